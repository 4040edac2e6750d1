// The kernels are compiled only once, for a memory that belongs to one thread. A module states in its import section
// which kind of memory it needs. For several threads, the single bit that states this is changed before the module is
// compiled. No instruction is changed.

import { copiedBytes } from '../fusedProducts.ts';

const importSection = 2;
const memoryKind = 2;
const hasMaximum = 1;
const isShared = 2;

/**
 * A copy of a module's bytes that imports a shared memory instead of a memory of its own.
 * @returns undefined if the first import is not a memory with a maximum size, which a shared memory needs
 */
export function forSharedMemory(source: BufferSource): Uint8Array<ArrayBuffer> | undefined {
  const bytes = copiedBytes(source);
  let at = 8; // behind the magic number and the version
  /** Reads an unsigned LEB128 number. */
  const next = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  };
  const skip = (count: number): void => {
    at += count;
  };
  while (at < bytes.length) {
    const section = next();
    const length = next();
    if (section === importSection) {
      next(); // how many imports
      skip(next()); // module
      skip(next()); // name
      if (next() !== memoryKind || bytes[at] !== hasMaximum) return undefined;
      bytes[at] = hasMaximum | isShared;
      return bytes;
    }
    skip(length);
  }
  return undefined;
}
