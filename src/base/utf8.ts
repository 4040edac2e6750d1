// Converts bytes from other sources to text. All input must be UTF-8; text in another encoding is refused with a
// message that states the encoding. Invalid bytes are never replaced by U+FFFD, because this would change the text.
import { FormatError } from './errors.ts';
import { spoken } from './spoken.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The text that the bytes encode, without a byte order mark; null if they are not valid UTF-8. */
export function utf8Of(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** The number of bytes that are examined to detect the encoding. */
const looked = 1024;

/**
 * Recognises UTF-16 by its byte order mark, or by zeros in every other byte, as in a text of letters and digits; null
 * if it is not recognised.
 */
export function wideEncodingOf(bytes: Uint8Array): 'UTF-16' | null {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return 'UTF-16';
  const head = bytes.subarray(0, looked);
  const zeros = [0, 1].map((parity) => head.filter((byte, i) => byte === 0 && i % 2 === parity).length);
  return head.length >= 4 && Math.max(...zeros) > head.length / 4 && Math.min(...zeros) === 0 ? 'UTF-16' : null;
}

/** Explains why bytes that are not valid UTF-8 cannot be read. */
export const notUtf8 = (): string =>
  spoken`the text is not written in UTF-8, but perhaps in Latin-1 or Windows-1252; save the file again in UTF-8`;

/** The text of a whole file. If it is not UTF-8, throws FormatError with the encoding or the line. */
export function readUtf8(bytes: Uint8Array, name: string): string {
  const wide = wideEncodingOf(bytes);
  if (wide) throw new FormatError(spoken`${name}: expected a text in UTF-8, got ${wide}; save it again in UTF-8.`);
  const text = utf8Of(bytes);
  if (text !== null) return text;
  for (let [line, from] = [1, 0]; ; line++) {
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.length : end;
    if (utf8Of(bytes.subarray(from, to)) === null || end < 0)
      throw new FormatError(spoken`${name}: line ${line}: ${notUtf8()}.`);
    from = to + 1;
  }
}
