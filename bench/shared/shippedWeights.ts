// The shipped warm starts, read from the source tree as the page fetches them from its server.
import { readFileSync } from 'node:fs';
import type { Config } from '../../src/config/schema.ts';
import { shippedFor } from '../../src/config/warmStarts.ts';
import { readSafetensors } from '../../src/formats/safetensors.ts';
import type { NamedArray } from '../../src/records/stored/checkpoint.ts';

/** Weights of a configuration. Throws ConfigError if none ship for it. */
export function loadShipped(config: Config): Promise<NamedArray[]> {
  const { name } = shippedFor(config);
  return Promise.resolve(readSafetensors(readFileSync(`public/warmstart/${name}.safetensors`)).tensors);
}
