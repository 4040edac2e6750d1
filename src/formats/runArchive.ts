// Reads and writes run archives. A run archive is a zip with the files of a stored run. The zip is written without
// compression, because weights cannot be compressed much, and dialogues are already compressed. A compressed archive
// can also be read, within limits. Names and sizes are checked before anything is unpacked, so an archive can neither
// write other files nor take more space than a run may.
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { unzipped } from './zip.ts';
import { zipPieces, type ZippedFile } from './zipPieces.ts';

/** The maximum size of an archive in bytes, and the maximum size of its contents. */
export const mostArchiveBytes = 1_000_000_000;

/**
 * Writes an archive: each file is written as soon as it arrives, in pieces of the zip. The same files give the same
 * bytes.
 */
export async function writeRunArchive(
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
  write: (piece: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const whole = async function* (): AsyncGenerator<ZippedFile> {
    for await (const { name, bytes } of files) yield { name, pieces: [bytes] };
  };
  for await (const piece of zipPieces(whole())) write(piece);
}

/**
 * The files of an archive by name. `isEntry` determines whether a run may contain a file of this name. Throws
 * FormatError if the archive contains any other file, or is damaged.
 */
export function readRunArchive(bytes: Uint8Array, isEntry: (name: string) => boolean): Map<string, Uint8Array> {
  refuseAbove(bytes.length);
  let total = 0;
  return unzipped(bytes, ({ name, originalSize }) => {
    if (name.endsWith('/')) return false;
    if (!isEntry(name))
      throw new FormatError(spoken`the archive: ${JSON.stringify(name.slice(0, 80))} is not a file of a run.`);
    total += originalSize;
    refuseAbove(total);
    return true;
  });
}

/** Throws FormatError if the archive is larger than a run may be. */
export function refuseAbove(bytes: number): void {
  if (bytes > mostArchiveBytes)
    throw new FormatError(spoken`the archive: expected at most ${mostArchiveBytes / 1e6} MB, got more.`);
}
