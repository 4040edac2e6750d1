// Provides the warm starts of the benches: the shipped one or, if there is none, one for each seed, which is trained
// once by the same recipe and stored in .cache. One network learns all roles, and all networks of a run start as copies
// of it.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parseConfig } from '../../src/config/parse.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { findShipped } from '../../src/config/warmStarts.ts';
import { readSafetensors, writeSafetensors } from '../../src/formats/safetensors.ts';
import type { Checkpoint, NamedArray } from '../../src/records/stored/checkpoint.ts';
import { runId } from '../../src/records/ids.ts';
import { startingCheckpoint } from '../../src/training/run/start.ts';
import { hashOf } from './rowStore.ts';
import { loadShipped } from './shippedWeights.ts';

export interface BenchStart {
  checkpoint: Checkpoint;
  /** Supervised steps of its warm start. */
  steps: number;
  /** The seconds of its training; null for a shipped one. */
  seconds: number | null;
}

/** The folder in which benches store warm starts. */
export const folder = '.cache/benchWarmStarts';

/** Returns the settings for the warm start of a configuration: its world, team and demonstrations, with one network. */
function recipeOf({ world, agents, warmStart, run }: Config): ConfigInput {
  const { name, level, also } = world;
  const { protocol, count, informed, size, finishEnds, unheard } = agents;
  return {
    world: { name, level, ...(also.length > 0 && { also }) },
    agents: { protocol, count, informed, size, finishEnds, ...(warmStart.unheard && { unheard }) },
    warmStart: { ...warmStart, source: 'train' },
    run: { seed: run.seed },
  };
}

/** Returns whether the networks differ, so that they cannot be copies: each learns its own role, in the run itself. */
const isUnequal = ({ agents }: Config) => agents.parameters === 'heterogeneous';

/** Returns whether the run starts from random weights, which are drawn from the seed. */
const isUntaught = ({ warmStart }: Config) => warmStart.source === 'none';

/** Returns whether a warm start is shipped for the configuration. Agents that never hear each other have none. */
const isShipped = (config: Config) => !config.warmStart.unheard && findShipped(config);

/** Returns the file of a warm start that several rows share, or null if it is shipped or if each row trains its own. */
export function warmStartFile(config: Config): string | null {
  if (isShipped(config) || isUntaught(config) || isUnequal(config)) return null;
  return `${folder}/${config.agents.protocol}-${config.run.seed}-${hashOf(recipeOf(config))}.safetensors`;
}

/** Returns iteration 0 of a configuration. Its warm start is trained now unless it exists. */
export async function benchStart(config: Config): Promise<BenchStart> {
  const { steps } = config.warmStart;
  const started = performance.now();
  if (isUntaught(config) || isUnequal(config)) {
    const checkpoint = await startingCheckpoint({ ...request, config });
    return { checkpoint, steps: isUntaught(config) ? 0 : steps, seconds: (performance.now() - started) / 1000 };
  }
  const file = warmStartFile(config);
  if (file === null) return { checkpoint: await startFrom(config, await loadShipped(config)), steps, seconds: null };
  if (!existsSync(file)) await makeWarmStart(config, file);
  const { tensors, metadata } = readSafetensors(readFileSync(file));
  return { checkpoint: await startFrom(config, tensors), steps, seconds: Number(metadata['seconds']) };
}

/** Returns iteration 0 with all networks as copies of the same weights. */
export function startFrom(config: Config, weights: NamedArray[]): Promise<Checkpoint> {
  const shipped: Config = { ...config, warmStart: { ...config.warmStart, source: 'shipped' } };
  return startingCheckpoint({ ...request, config: shipped, loadShipped: () => Promise.resolve(weights) });
}

const request = { runId: runId('bench'), backend: 'simd', loadShipped };

async function makeWarmStart(config: Config, file: string): Promise<void> {
  const started = performance.now();
  let told = 0;
  const { networks } = await startingCheckpoint({
    ...request,
    config: parseConfig(recipeOf(config)),
    onProgress: ({ share, loss }) => {
      if (loss === null || Math.floor(share * 5) === told) return;
      told = Math.floor(share * 5);
      console.error(`${file}: ${share.toFixed(1)}, loss ${loss.toFixed(4)}`);
    },
  });
  const seconds = (performance.now() - started) / 1000;
  mkdirSync(folder, { recursive: true });
  const { weights } = networks[0] as (typeof networks)[0];
  writeFileSync(file, writeSafetensors(weights, { seconds: seconds.toFixed(1) }));
}
