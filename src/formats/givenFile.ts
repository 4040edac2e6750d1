// A file from the visitor. It is read when needed, in whole or in parts, so that large files are never completely in
// memory.
import { FormatError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';

export interface GivenFile {
  /** The path, with slashes, if the file is in folders. */
  name: string;
  size: number;
  bytes: () => Promise<Uint8Array>;
  /** The bytes between two positions, copied to memory of their own. */
  range: (from: number, to: number) => Promise<Uint8Array>;
}

/** A file that is already in memory. */
export const heldFile = (name: string, content: Uint8Array): GivenFile => ({
  ...{ name, size: content.length },
  bytes: () => Promise.resolve(content),
  range: (from, to) => Promise.resolve(content.slice(from, to)),
});

/**
 * The same files with progress reports. A file counts with at most its size, even if a part of it is read again.
 * @param tell receives the bytes read so far, and the bytes of all files
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
