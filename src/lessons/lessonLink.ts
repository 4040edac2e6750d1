// A visitor's own lesson as a link. The compressed file of the lesson follows the number sign, so browsers do not send
// it to a server. The link has the form `#ownLesson=eJx…`, which is zlib with its checksum in URL-safe base64.
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';

const name = '#ownLesson=';
/**
 * The maximum number of characters of the compressed file in a link. Mail programs and chats break longer addresses.
 */
const mostSigns = 6000;
/** The maximum size of the uncompressed file in bytes, which is the same as for a lesson from a file. */
const mostBytes = 150_000;
const damaged = () =>
  new FormatError(
    spoken`the lesson in the link is damaged or was cut short; copy the whole link, or ask the author for the lesson as a file.`,
  );

/** Whether the part of an address after the number sign is a lesson. */
export const isLessonLink = (hash: string): boolean => hash.startsWith(name);

/** The part of an address after the number sign that contains this file; null if this part would be too long. */
export async function writeLessonLink(text: string): Promise<string | null> {
  const packed = await piped(new TextEncoder().encode(text), new CompressionStream('deflate'), Infinity);
  if (packed.length > (3 / 4) * mostSigns) return null;
  const letters = btoa(String.fromCharCode(...packed));
  return name + letters.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The file in a link. Throws FormatError if the link contains no valid file. */
export async function readLessonLink(hash: string): Promise<string> {
  const letters = hash.slice(name.length);
  if (letters.length > mostSigns)
    throw new FormatError(
      spoken`the lesson in the link: expected at most ${mostSigns} characters, got ${letters.length}.`,
    );
  try {
    const packed = Uint8Array.from(atob(letters.replaceAll('-', '+').replaceAll('_', '/')), (sign) =>
      sign.charCodeAt(0),
    );
    const bytes = await piped(packed, new DecompressionStream('deflate'), mostBytes);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (thrown) {
    throw thrown instanceof FormatError ? thrown : damaged();
  }
}

/** Reads all bytes of a stream. Throws FormatError as soon as there are more than `most` bytes. */
async function piped(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
  most: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw new FormatError(spoken`the lesson in the link: expected at most ${most} bytes, got more.`);
    }
    parts.push(value);
  }
}
