// The kernels are compiled once, for a memory that belongs to one thread. The import section of a module states what
// kind of memory the module expects. For threads, this statement, which is a single bit, is changed before the module
// is compiled. No instruction is changed.

import { copiedBytes } from '../fusedProducts.ts';

const importSection = 2;
const memoryKind = 2;
const hasMaximum = 1;
const isShared = 2;

/**
 * A copy of a module's bytes that expects a shared memory where the original imports one of its own.
 * @returns undefined when the first import is not a memory with a maximum, which a shared memory requires
 */
export function forSharedMemory(source: BufferSource): Uint8Array<ArrayBuffer> | undefined {
  const bytes = copiedBytes(source);
  let at = 8; // behind the magic number and the version
  /** An unsigned LEB128 number. */
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
