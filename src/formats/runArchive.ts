// A run archive: the files of a stored run in one zip. It is not compressed, as weights do not shrink and dialogues are
// packed already; a compressed one is read too, within limits. Names are checked before anything is unpacked, so that
// no archive writes or takes more than a run does.
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { unzipped } from './zip.ts';
import { zipPieces, type ZippedFile } from './zipPieces.ts';

/** Bytes of an archive and of what is in it, at most. */
export const mostArchiveBytes = 1_000_000_000;

/** Writes the files as they come, a piece of the zip at a time. The same files give the same bytes. */
export async function writeRunArchive(
  files: AsyncIterable<{ name: string; bytes: Uint8Array }>,
  write: (piece: Uint8Array<ArrayBuffer>) => void,
): Promise<void> {
  const whole = async function* (): AsyncGenerator<ZippedFile> {
    for await (const { name, bytes } of files) yield { name, pieces: [bytes] };
  };
  for await (const piece of zipPieces(whole())) write(piece);
}

/** The files of an archive by name. `isEntry` says which names a run may have. Throws FormatError. */
export function readRunArchive(bytes: Uint8Array, isEntry: (name: string) => boolean): Map<string, Uint8Array> {
  refuseAbove(bytes.length);
  let total = 0;
  return unzipped(bytes, ({ name, originalSize }) => {
    if (name.endsWith('/')) return false;
    if (!isEntry(name))
      throw new FormatError(spoken`the archive: ${JSON.stringify(name.slice(0, 80))} is no file of a run.`);
    total += originalSize;
    refuseAbove(total);
    return true;
  });
}

/** Throws FormatError for more bytes than a run may have. */
export function refuseAbove(bytes: number): void {
  if (bytes > mostArchiveBytes)
    throw new FormatError(spoken`the archive: expected at most ${mostArchiveBytes / 1e6} MB, got more.`);
}
