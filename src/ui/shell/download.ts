// Lets the browser save bytes as a file.
import { fileNameOf } from '../../config/runName.ts';

/**
 * Offers `bytes` for download under `name`, or under a similar valid file name. `type` is not needed for a Blob, which
 * already has a type.
 */
export function download(name: string, bytes: Blob | Uint8Array | string, type = 'application/octet-stream'): void {
  const blob = bytes instanceof Blob ? bytes : new Blob([bytes as BlobPart], { type });
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = fileNameOf(name);
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
