// Writes a zip piece by piece, without compression. Each piece can be written to the disk as soon as it is made, so a
// file may be larger than the memory. The same files give the same bytes.
import { Zip, ZipPassThrough } from 'fflate';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';

/**
 * The date of all files in a zip. A zip stores local time, so the date is given in local time. The bytes are therefore
 * the same in every time zone.
 */
export const mtime = new Date(1980, 0, 1);

export interface ZippedFile {
  name: string;
  /** The bytes of the file, in consecutive chunks. */
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>;
}

/**
 * The bytes of a zip of these files. Each file is requested only when it is needed. Throws FormatError if the zip
 * exceeds 4 GB, which this kind of zip cannot represent.
 */
export async function* zipPieces(
  files: Iterable<ZippedFile> | AsyncIterable<ZippedFile>,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const ready: Uint8Array<ArrayBuffer>[] = [];
  const zip = new Zip((error, piece) => {
    if (error) throw error;
    ready.push(piece as Uint8Array<ArrayBuffer>);
  });
  let written = 0;
  const taken = () => {
    const pieces = ready.splice(0);
    written += pieces.reduce((sum, { length }) => sum + length, 0);
    if (written >= 2 ** 32)
      throw new FormatError(
        spoken`zip: expected at most ${4} GB, got more; choose a format with fewer bits per number.`,
      );
    return pieces;
  };
  for await (const { name, pieces } of files) {
    const entry = new ZipPassThrough(name);
    entry.mtime = mtime;
    zip.add(entry);
    let last: Uint8Array = new Uint8Array(0);
    for await (const piece of pieces) {
      if (last.length > 0) entry.push(last, false);
      last = piece;
      yield* taken();
    }
    entry.push(last, true);
    yield* taken();
  }
  zip.end();
  yield* taken();
}
