// Functions that determine how much storage the browser grants to this page, estimate the size of a record, and prepare
// a record for storage.

export interface StorageSpace {
  usedBytes: number;
  grantedBytes: number;
}

/** The storage that is used and granted; null if the browser does not report it. */
export async function storageEstimate(): Promise<StorageSpace | null> {
  if (typeof navigator === 'undefined' || !navigator.storage?.estimate) return null;
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  return { usedBytes: usage, grantedBytes: quota };
}

/** Whether stored data is kept when the disk becomes full; null if the browser does not report it. */
export async function isPersisted(): Promise<boolean | null> {
  const manager = globalThis.navigator?.storage as StorageManager | undefined;
  return (await manager?.persisted?.().catch(() => null)) ?? null;
}

/**
 * The size of a record: the bytes of arrays and texts, including field names, and eight bytes for each number. The
 * browser's overhead and compression are not included.
 */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + bytesOf(item), 0);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + bytesOf(item), 0);
}

/**
 * A copy of a record in which all arrays have their own memory. Storing a view would store the whole buffer behind it,
 * and shared memory cannot be stored.
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
