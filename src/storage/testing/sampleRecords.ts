// Sample records for tests, such as a small run would store.
import { ownNameOf, type OwnWorld } from '../../config/worlds/own.ts';
import fc from 'fast-check';
import { presetConfig } from '../../config/presets.ts';
import { profiles, trajectories } from '../../records/testing/arbitrary.ts';
import {
  checkpointFormat,
  type Checkpoint,
  type RunRecord,
  type StoredIteration,
} from '../../records/stored/checkpoint.ts';
import { runId } from '../../records/ids.ts';

export const id = runId('run-1');
export const run = (changes: Partial<RunRecord> = {}): RunRecord => ({
  format: checkpointFormat,
  id,
  name: 'calm-otter',
  preset: 'default',
  config: presetConfig('default'),
  changes: [{ iteration: 3, path: 'learning.clipHigh', value: 0.3 }],
  backend: 'simd',
  createdMs: 1000,
  iteration: 4,
  isDone: false,
  ...changes,
});

export const array = (name: string, ...values: number[]) => ({
  name,
  shape: [values.length],
  values: Float32Array.from(values),
});

export const checkpoint = (iteration: number, changes: Partial<Checkpoint> = {}): Checkpoint => ({
  format: checkpointFormat,
  runId: id,
  iteration,
  config: presetConfig('default'),
  backend: 'simd',
  networks: [
    {
      weights: [array('a', 1, -0, 1e-45)],
      critic: [array('c', 2)],
      m: [Float32Array.of(1, 2, 3), Float32Array.of(4)],
      v: [Float32Array.of(5, 6, 7), Float32Array.of(8)],
      updates: 12,
    },
  ],
  reference: [[array('a', 1, 2, 3)]],
  klCoef: 0.01,
  sampledTokens: 99,
  ...changes,
});

/** Iterations with an even number have no profile, as in earlier versions. */
export const iteration = (at: number, seed = 1): StoredIteration => ({
  metrics: {
    iteration: at,
    values: { 'losses/policy_loss': at / 10, 'losses/explained_variance': Number.NaN },
    ...(at % 2 === 1 && { profile: fc.sample(profiles, { numRuns: 1, seed: seed + at })[0] }),
  },
  evaluation:
    at % 2 === 0
      ? { iteration: at, accuracy: 0.5, low: 0.4, high: 0.6, problems: 16, bySlice: { precedence: 0.5 }, ceiling: 0.6 }
      : null,
  trajectories: fc.sample(trajectories, { numRuns: 5, seed: seed + at }),
  shown: { iteration: at, group: 0, isDead: false, meanReward: 0.5, rollouts: [] },
});

const content = { kind: 'module', source: 'export const about = 1' } as const;
/** A world of the visitor's own. */
export const ownWorld: OwnWorld = {
  form: {
    ...{ name: ownNameOf(content), label: 'Mine', sentence: '', hidden: [], parts: [] },
    ...{ levels: [{ level: 1, label: 'one' }], vocabularies: { words: 'words' } },
  },
  content,
};
