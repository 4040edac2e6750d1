// How much the browser lets this page keep.

export interface Room {
  usedBytes: number;
  grantedBytes: number;
}

/** Room used and granted; null where the browser does not tell. */
export async function storageEstimate(): Promise<Room | null> {
  if (typeof navigator === 'undefined' || !navigator.storage?.estimate) return null;
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  return { usedBytes: usage, grantedBytes: quota };
}
