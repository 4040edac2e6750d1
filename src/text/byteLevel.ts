// Byte-level tokens, in the notation of GPT-2 and Hugging Face. Each byte of a text is represented by a visible
// character, so any text can be split into tokens, and a vocabulary file contains no invisible characters. A token may
// end within a character.

const isSeen = (byte: number) => (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);

/**
 * The character for each byte. A byte is represented by the character with the same code if this character is visible.
 * The other bytes are represented by characters from U+0100 onwards.
 */
export const byteSigns: readonly string[] = (() => {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCharCode(isSeen(byte) ? byte : next++));
})();

const byteOf = new Map(byteSigns.map((sign, byte) => [sign, byte]));
// A byte order mark is treated like any other character of a text.
const [encoder, decoder] = [new TextEncoder(), new TextDecoder('utf-8', { ignoreBOM: true })];

/** The bytes of a text as visible characters: ` é` becomes `ĠÃ©`. */
export const signsOf = (text: string): string => Array.from(encoder.encode(text), (byte) => byteSigns[byte]).join('');

/** The bytes that these characters represent. */
export const bytesOfSigns = (signs: string): Uint8Array => Uint8Array.from(signs, (sign) => byteOf.get(sign) ?? 0);

/** The text that these characters represent, with U+FFFD for an incomplete character. */
export const textOfSigns = (signs: string): string => decoder.decode(bytesOfSigns(signs));
