// Hands bytes to the browser as a file. The address lives only for the click.

/** Offers `bytes` for download under `name`. */
export function download(name: string, bytes: Uint8Array | string, type = 'application/octet-stream'): void {
  const blob = new Blob([bytes as BlobPart], { type });
  const address = URL.createObjectURL(blob);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
