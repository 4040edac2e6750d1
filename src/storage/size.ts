// About how many bytes a record takes in the store: what it holds, without what the browser adds or saves.

/** Bytes of arrays and texts, eight for a number; the names of fields count, as each record stores them. */
export function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (ArrayBuffer.isView(value)) return value.byteLength;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + bytesOf(item), 0);
  if (typeof value !== 'object' || value === null) return 8;
  return Object.entries(value).reduce((sum, [name, item]) => sum + name.length + bytesOf(item), 0);
}
