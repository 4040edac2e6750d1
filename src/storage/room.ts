// Functions that ask the browser how much storage this page may use, that estimate the size of a record, and that
// prepare a record for storage.

export interface StorageSpace {
  usedBytes: number;
  grantedBytes: number;
}

/** The storage that the page uses, and the amount that it may use; null if the browser does not report them. */
export async function storageEstimate(): Promise<StorageSpace | null> {
  if (typeof navigator === 'undefined' || !navigator.storage?.estimate) return null;
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  return { usedBytes: usage, grantedBytes: quota };
}

/** Whether the browser keeps the stored data even if the disk becomes full; null if the browser does not report it. */
export async function isPersisted(): Promise<boolean | null> {
  const manager = globalThis.navigator?.storage as StorageManager | undefined;
  return (await manager?.persisted?.().catch(() => null)) ?? null;
}

/**
 * Estimates the size of a record: the bytes of arrays and texts, including field names, plus eight bytes for each
 * number. The browser's overhead and compression are not included.
 */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + bytesOf(item), 0);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + bytesOf(item), 0);
}

/**
 * A copy of a record in which each array has its own buffer. For an array that is only a view of a larger buffer, the
 * whole buffer would be stored. Arrays in shared memory cannot be stored at all.
 */
export function owned<T>(value: T): T {
  if (value instanceof Float32Array || value instanceof Float64Array || value instanceof Uint16Array) {
    const isWhole = value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength;
    return isWhole ? value : (value.slice() as typeof value);
  }
  if (Array.isArray(value)) return value.map(owned) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, owned<unknown>(item)])) as T;
}
