// A file from the visitor. The file can be read as a whole or in parts, so that a large file need not be completely in
// memory.
import { FormatError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';

export interface GivenFile {
  /** The name of the file or, if the file is in a folder, its path with slashes. */
  name: string;
  size: number;
  bytes: () => Promise<Uint8Array>;
  /** A copy of the bytes from position `from` up to `to`. */
  range: (from: number, to: number) => Promise<Uint8Array>;
}

/** A file that is already in memory. */
export const heldFile = (name: string, content: Uint8Array): GivenFile => ({
  ...{ name, size: content.length },
  bytes: () => Promise.resolve(content),
  range: (from, to) => Promise.resolve(content.slice(from, to)),
});

/**
 * The same files, but `tell` is called whenever bytes are read. If parts of a file are read twice, at most the size of
 * the file is counted.
 * @param tell receives the number of bytes read so far, and the size of all files together
 */
export function toldFiles(files: readonly GivenFile[], tell: (read: number, all: number) => void): GivenFile[] {
  const all = files.reduce((sum, { size }) => sum + size, 0);
  const reached = files.map(() => 0);
  return files.map((file, i) => {
    const told = <T>(bytes: T, more: number): T => {
      reached[i] = Math.min(file.size, (reached[i] as number) + more);
      tell(
        reached.reduce((sum, one) => sum + one, 0),
        all,
      );
      return bytes;
    };
    return {
      ...file,
      bytes: async () => told(await file.bytes(), file.size),
      range: async (from, to) => told(await file.range(from, to), to - from),
    };
  });
}

/** A part of a file. Throws FormatError if the file has become shorter than before. */
export async function rangeOf(file: Pick<GivenFile, 'name' | 'size' | 'range'>, from: number, to: number) {
  const bytes = await file.range(from, to);
  if (bytes.length === to - from) return bytes;
  throw new FormatError(
    spoken`${shortened(file.name)}: expected ${to - from} bytes from ${from}, got ${bytes.length}; is the file complete?`,
  );
}
