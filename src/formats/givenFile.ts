// A file that somebody gives: read when it is needed, whole or a part of it, so that the largest are never in memory at once.
import { FormatError } from '../base/errors.ts';
import { shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';

export interface GivenFile {
  /** With slashes, where it lies in folders. */
  name: string;
  size: number;
  bytes: () => Promise<Uint8Array>;
  /** The bytes from one place up to another, as memory of their own. */
  range: (from: number, to: number) => Promise<Uint8Array>;
}

/** A file that is in memory already. */
export const heldFile = (name: string, content: Uint8Array): GivenFile => ({
  ...{ name, size: content.length },
  bytes: () => Promise.resolve(content),
  range: (from, to) => Promise.resolve(content.slice(from, to)),
});

/** A part of a file. Throws FormatError where it has become shorter than it was. */
export async function rangeOf(file: Pick<GivenFile, 'name' | 'size' | 'range'>, from: number, to: number) {
  const bytes = await file.range(from, to);
  if (bytes.length === to - from) return bytes;
  throw new FormatError(
    spoken`${shortened(file.name)}: expected ${to - from} bytes from ${from}, got ${bytes.length}; is the file complete?`,
  );
}
