// Tests whole updates on WebGPU at every level of the ratio. The dispatches are counted. A replayed update must give
// exactly the same result as an update without replay, and both updates must agree with the update on the CPU engine.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import type { Config, ConfigInput } from '../../config/schema.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { counters } from '../../engine/counters.ts';
import { countersSince } from '../../engine/testing/countersSince.ts';
import { distance } from '../../engine/ops/testing/numbers.ts';
import { simdName } from '../../engine/simd.ts';
import type { CapturingBackend } from '../../engine/webgpu/device/capturingBackend.ts';
import { forceVariant, recorderOf } from '../../engine/webgpu/program/kernel.ts';
import type { Variant } from '../../engine/webgpu/program/program.ts';
import { grantOnly } from '../../engine/testing/gpuBackend.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { livelyWeights } from '../../model/testing/reference.ts';
import { disposeNetwork, downloadNetwork, freshState, uploadNetwork, type Network } from '../team/network.ts';
import type { RowBatch } from '../rows/rows.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { microConfig, openGate } from '../testing/microRun.ts';
import { updateMetricNames, updateNetwork, type RowFacts, type UpdateMetrics } from './update.ts';

beforeAll(async () => {
  await startCpuEngine();
  await startOwnDevice();
});

/**
 * The network of workload A in the benchmark. The network has 105,000 parameters, and the workload has 16 rows of 64
 * tokens.
 */
const workloadA: ModelShape = {
  ...{ vocabSize: 32, hiddenSize: 64, intermediateSize: 172, numLayers: 2, numHeads: 4, numKvHeads: 4, headSize: 16 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 64 },
};
/** A network of the same depth, for tests that do not depend on the width. */
const narrow: ModelShape = {
  ...workloadA,
  hiddenSize: 16,
  intermediateSize: 32,
  numHeads: 2,
  numKvHeads: 1,
  headSize: 8,
};

const settingsOf = (learning: ConfigInput['learning'], kl: ConfigInput['kl'] = {}): Config =>
  microConfig({
    learning: { updateEpochs: 1, numMinibatches: 1, ...learning },
    kl: { coef: 0.1, ...kl },
    optimiser: { learningRate: 1e-3 },
  });

/**
 * Invented rows. Each of the two agents of a dialogue has a row, and a turn consists of up to 9 tokens of one agent.
 */
function rowsOf(rows: number, length: number): { batch: RowBatch; facts: RowFacts } {
  const draws = new Draws(11, 0, 0);
  const count = rows * length;
  const column = (value: (at: number) => number) => Float32Array.from({ length: count }, (_, at) => value(at));
  const turnAt = (at: number) => 2 * Math.floor((at % length) / 9) + (Math.floor(at / length) % 2);
  const actionMask = column(() => (draws.next() < 0.7 ? 1 : 0));
  const perRow = (value: (b: number) => number) => Int32Array.from({ length: rows }, (_, b) => value(b));
  const batch: RowBatch = {
    ...{ rows, length, actionMask },
    ids: Int32Array.from({ length: count }, () => draws.below(32)),
    targets: Int32Array.from({ length: count }, () => draws.below(32)),
    turnIds: Int32Array.from(actionMask, (is, at) => (is ? turnAt(at) : -1)),
    oldLogprobs: column(() => -3.6 + 0.4 * draws.normal()),
    trajectoryIds: perRow((b) => Math.floor(b / 2)),
    agentIds: perRow((b) => b % 2),
  };
  const facts: RowFacts = {
    advantages: column(() => draws.normal()),
    returns: column(() => draws.normal()),
    oldValues: column(() => 0.3 * draws.normal()),
    refLogprobs: column(() => -3.5 + 0.5 * draws.normal()),
  };
  return { batch, facts };
}

const networkOf = (shape: ModelShape, config: Config, isReplayed: boolean): Network =>
  uploadNetwork(freshState(livelyWeights(shape, 1), shape, config.learning.learner === 'ppo'), shape, isReplayed);

/** Calls `updateNetwork` once. Columns of facts that the learner does not use are omitted, as in a real run. */
function update(network: Network, config: Config, { batch, facts }: ReturnType<typeof rowsOf>) {
  const none = new Float32Array(0);
  const used = {
    ...facts,
    ...(config.learning.learner !== 'ppo' && { returns: none, oldValues: none }),
    ...(config.kl.place !== 'loss' && { refLogprobs: none }),
  };
  const context = { config, iteration: 0, gate: openGate(), klCoef: config.kl.coef, maxActionTokens: 9 };
  return updateNetwork(network, batch, used, context);
}

/**
 * The number of dispatches in one replayed update. The number is the same for 4 rows of 16 tokens as for the 16 rows of
 * 64 tokens of workload A, with both variants of the kernels, so the smaller batch is used.
 */
async function dispatchesOf(config: Config, shape: ModelShape, rows = rowsOf(4, 16)): Promise<number> {
  const network = networkOf(shape, config, true);
  let work = counters();
  // The first update runs without recording, the second is recorded, and the third is replayed.
  for (let step = 0; step < 3; step++) {
    const before = counters();
    await update(network, config, rows);
    work = countersSince(before);
  }
  const { captures, note } = network.replays;
  disposeNetwork(network);
  expect({ captures, note, submits: work.submits }).toEqual({ captures: 1, note: '', submits: 1 });
  return work.dispatches;
}

interface Counted {
  title: string;
  most: number;
  config: Config;
}

/** The objective with the largest number of dispatches. */
const longest: Counted[] = [
  { title: 'a value head and KL in the loss', most: 100, config: settingsOf({ learner: 'ppo' }, { place: 'loss' }) },
];
/**
 * These dispatches are counted only with the solo kernels, because software drivers need half a minute to compile the
 * team kernels for one objective.
 */
const shorter: Counted[] = [
  { title: 'the default objective', most: 60, config: settingsOf({ learner: 'grpo' }) },
  {
    title: 'whole trajectories',
    most: 60,
    config: settingsOf({ ratioLevel: 'trajectory', aggregation: 'trajectory' }),
  },
  { title: 'a value head', most: 100, config: settingsOf({ learner: 'ppo' }) },
];

describe.each<Variant>(['solo', 'team'])('a replayed update of workload A on the %s kernels takes', (variant) => {
  let own: Variant;
  beforeAll(async () => {
    await tf.setBackend('webgpu');
    own = recorderOf(tf.backend() as CapturingBackend).variant;
    forceVariant(tf.backend() as CapturingBackend, variant);
  });
  afterAll(() => forceVariant(tf.backend() as CapturingBackend, own));

  it.each(variant === 'solo' ? [...longest, ...shorter] : longest)(
    'at most $most dispatches for $title',
    async ({ title, most, config }) => {
      const { ratioLevel, turnMean } = config.learning;
      if (title !== 'whole trajectories') expect([ratioLevel, turnMean]).toEqual(['turn', 'geometric']);
      // A software driver runs the team kernels slowly, so they have the narrow network, which takes as many dispatches.
      const dispatches = await dispatchesOf(config, variant === 'team' ? narrow : workloadA);
      expect(dispatches).toBeLessThanOrEqual(most);
      if (variant === 'solo') expect(await dispatchesOf(config, narrow)).toBe(dispatches);
      if (title === 'the default objective')
        expect(await dispatchesOf(config, workloadA, rowsOf(16, 64))).toBe(dispatches);
    },
  );
});

type Engine = 'replayed' | 'run' | 'composed' | 'cpu';

/**
 * Takes four consecutive updates of two minibatches. Returns their metrics followed by all weights, and the recordings.
 */
async function train(engine: Engine, config: Config) {
  await tf.setBackend(engine === 'cpu' ? simdName : 'webgpu');
  const restore =
    engine === 'composed' ? grantOnly(tf.backend() as CapturingBackend, { maxStorageBuffersPerShaderStage: 8 }) : null;
  const before = tf.memory().numTensors;
  const network = networkOf(narrow, config, engine === 'replayed');
  const metrics: number[] = [];
  for (let step = 0; step < 4; step++)
    for (const taken of await update(network, config, rowsOf(10, 21)))
      metrics.push(...updateMetricNames.map((name) => taken[name]));
  const state = await downloadNetwork(network);
  const { captures, note } = network.replays;
  disposeNetwork(network);
  restore?.();
  const weights = [...state.weights, ...state.critic].flatMap(({ values }) => [...values]);
  return { metrics, weights, captures, note, left: tf.memory().numTensors - before };
}

describe('four updates by', () => {
  const levels: ConfigInput['learning'][] = [
    { ratioLevel: 'token', turnMean: 'geometric', aggregation: 'token' },
    { ratioLevel: 'turn', turnMean: 'geometric', aggregation: 'turn' },
    { ratioLevel: 'turn', turnMean: 'arithmetic', aggregation: 'trajectory' },
    { ratioLevel: 'trajectory', turnMean: 'geometric', aggregation: 'trajectory' },
    { ratioLevel: 'dialogue', turnMean: 'geometric', aggregation: 'dialogue' },
  ];
  const both = levels.flatMap((level) => [
    { ...level, learner: 'grpo' as const },
    { ...level, learner: 'ppo' as const },
  ]);

  it.each(both)(
    '$learner, $ratioLevel $turnMean: replayed as run, bit by bit, and as the CPU computes them',
    async (learning) => {
      const config = settingsOf(
        { numMinibatches: 2, ...learning },
        learning.learner === 'ppo' ? { place: 'loss' } : {},
      );
      const [run, replayed, cpu] = [
        await train('run', config),
        await train('replayed', config),
        await train('cpu', config),
      ];
      expect({ captures: replayed.captures > 0, note: replayed.note, left: replayed.left }).toEqual({
        captures: true,
        note: '',
        left: 0,
      });
      expect(replayed.metrics).toEqual(run.metrics);
      expect(replayed.weights).toEqual(run.weights);
      expect(distance(run.metrics, cpu.metrics)).toBeLessThan(1e-3);
      expect(distance(run.weights, cpu.weights)).toBeLessThan(1e-3);
      const ofUpdates = (name: keyof UpdateMetrics) =>
        run.metrics.filter((_, i) => i % updateMetricNames.length === updateMetricNames.indexOf(name));
      expect(Math.max(...ofUpdates('losses/clipfrac'))).toBeGreaterThan(0);
    },
  );

  it('ppo on a device that binds 8 buffers: composed, and the same', async () => {
    const config = settingsOf({ learner: 'ppo' }, { place: 'loss' });
    const [fused, composed] = [await train('run', config), await train('composed', config)];
    expect(distance(composed.metrics, fused.metrics)).toBeLessThan(1e-3);
    expect(distance(composed.weights, fused.weights)).toBeLessThan(1e-3);
    expect(composed.metrics).not.toEqual(fused.metrics);
  });
});
