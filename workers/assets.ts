// What the worker fetches from its own origin: kernels and warm starts. Nothing else is ever fetched.
import kernelsUrl from '../src/engine/simd/kernels.wasm?url';
import { FormatError } from '../src/base/errors.ts';
import type { Config } from '../src/config/schema.ts';
import { shippedFor } from '../src/config/warmStarts.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import type { NamedArray } from '../src/records/stored/checkpoint.ts';

async function fetchBytes(url: string, what: string): Promise<ArrayBuffer> {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) {
    throw new FormatError(
      response
        ? `${what}: could not be loaded (status ${response.status}); reload the page.`
        : `${what}: no connection. Stay on this page; try again later.`,
    );
  }
  return response.arrayBuffer();
}

/** Bytes of the SIMD kernels. */
export const loadKernels = () => fetchBytes(kernelsUrl, 'kernels.wasm');

/** The shipped warm start of a configuration. Throws ConfigError when none was made for it. */
export async function loadShipped(config: Config): Promise<NamedArray[]> {
  const { name } = shippedFor(config);
  // Beside the page, wherever it is served from: the worker's own file lies in its assets folder.
  const url = new URL(`../warmstart/${name}.safetensors`, self.location.href).href;
  return readSafetensors(new Uint8Array(await fetchBytes(url, `warm start ${name}`))).tensors;
}
