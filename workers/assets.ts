// Loads files from the worker's own origin: kernels and warm starts. These are the only files that the worker fetches.
// Worlds that visitors wrote are loaded from the store.
import kernelsUrl from '../src/engine/simd/kernels.wasm?url';
import { FormatError } from '../src/base/errors.ts';
import { spoken } from '../src/base/spoken.ts';
import type { Config } from '../src/config/schema.ts';
import { shippedFor } from '../src/config/warmStarts.ts';
import { isOwn } from '../src/config/worlds/own.ts';
import { readSafetensors } from '../src/formats/safetensors.ts';
import type { NamedArray } from '../src/records/stored/checkpoint.ts';
import { loadWorld } from '../src/storage/reading.ts';
import { openWorld, readyWorlds } from '../src/tasks/registry.ts';

async function fetchBytes(url: string, what: string): Promise<ArrayBuffer> {
  const response = await fetch(url).catch(() => null);
  if (!response?.ok) {
    throw new FormatError(
      response
        ? spoken`${what}: the file could not be loaded (status ${response.status}); reload the page.`
        : spoken`${what}: there is no connection. Stay on this page, and try again later.`,
    );
  }
  return response.arrayBuffer();
}

/** The bytes of the SIMD kernels. */
export const loadKernels = () => fetchBytes(kernelsUrl, 'kernels.wasm');

/** The shipped warm start of a configuration. Throws ConfigError if there is no shipped warm start. */
export async function loadShipped(config: Config): Promise<NamedArray[]> {
  const { name } = shippedFor(config);
  // The address is relative to the worker's own file, which is in the assets folder of the page, so that the page can
  // be served from any folder.
  const url = new URL(`../warmstart/${name}.safetensors`, self.location.href).href;
  return readSafetensors(new Uint8Array(await fetchBytes(url, `warm start ${name}`))).tensors;
}

/**
 * Loads the code that a world requires: the world itself, and the code for chat templates if the agents talk in plain
 * words. Throws StorageError if a world is not stored.
 */
export async function readyWorld(config: Config): Promise<void> {
  const { name } = config.world;
  if (isOwn(name)) await openWorld(await loadWorld(name));
  await readyWorlds(config);
}
