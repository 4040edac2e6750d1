// Detects that a disk or a browser has changed a stored record. The checksum covers the whole record, including its
// number arrays, so any single flipped bit is detected. With the first preset, the checksum of a checkpoint (0.9 MB)
// takes 1 ms, which is a three-hundredth of an iteration on the CPU, and the checksum of an iteration's dialogues (42
// kB) takes 0.03 ms. The checksum is computed synchronously, because a database transaction would end while the code
// waits for an asynchronous result. Measurements have no checksum, because all measurements of a run are read together,
// and no network is trained on them.
import { StorageError } from '../base/errors.ts';
import { crc32c } from '../base/crc32c.ts';
import { spoken } from '../base/spoken.ts';

const text = new TextEncoder();

/**
 * The checksum of a record. It is computed from the bytes of all number arrays, and from the record as JSON, in which
 * each array is replaced by its type and length.
 */
function checksumOf(record: object): number {
  let checksum = 0;
  const json = JSON.stringify(record, (_, value: unknown) => {
    if (!ArrayBuffer.isView(value)) return value;
    checksum = crc32c(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), checksum);
    return [value.constructor.name, value.byteLength];
  });
  return crc32c(text.encode(json), checksum);
}

/** A record together with its checksum, as it is stored. */
export const withChecksum = <T extends object>(record: T): T & { checksum: number } => ({
  ...record,
  checksum: checksumOf(record),
});

/**
 * Throws StorageError if a record has changed since it was stored. A record without a checksum is accepted, because
 * earlier versions stored no checksums, and files have a checksum of the whole file.
 */
export function refuseChanged(record: unknown, what: string): void {
  if (typeof record !== 'object' || record === null) return;
  const { checksum, ...stored } = record as { checksum?: unknown };
  if (checksum !== undefined && checksum !== checksumOf(stored))
    throw new StorageError(
      spoken`${what}: the checksum does not match, so the data has changed since it was stored; continue from an earlier checkpoint, or from an archive.`,
    );
}
