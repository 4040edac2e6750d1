import * as tf from '@tensorflow/tfjs-core';
import { afterEach, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { distance } from '../../engine/ops/testing/numbers.ts';
import { simdName } from '../../engine/simd.ts';
import { livelyWeights } from '../../model/testing/reference.ts';
import { bucketOf, padRows } from '../rows/microbatches.ts';
import { microbatchGradient, microbatchWork, type MinibatchRows } from './gradient.ts';
import { disposeNetwork, freshState, uploadNetwork } from '../team/network.ts';
import type { RowBatch } from '../rows/rows.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microConfig } from '../testing/microRun.ts';

onCpu();
afterEach(async () => {
  await tf.setBackend(simdName);
});

/**
 * Rows whose old log-probabilities are near those of an untrained network, so that some ratios are above and some below
 * the clip range.
 */
function randomCut(rows: number, length: number, seed: number): MinibatchRows {
  const draws = new Draws(seed, 0, 0);
  const count = rows * length;
  const column = (value: () => number) => Float32Array.from({ length: count }, value);
  const actionMask = column(() => (draws.next() < 0.6 ? 1 : 0));
  const actions = actionMask.reduce((sum, is) => sum + is, 0);
  const perRow = (value: (b: number) => number) => Int32Array.from({ length: rows }, (_, b) => value(b));
  const batch: RowBatch = {
    ...{ rows, length, actionMask },
    ids: Int32Array.from({ length: count }, () => draws.below(32)),
    targets: Int32Array.from({ length: count }, () => draws.below(32)),
    turnIds: Int32Array.from(actionMask, (is, at) => (is ? Math.floor((at % length) / 3) : -1)),
    oldLogprobs: column(() => -4.5 + 0.8 * draws.normal()),
    trajectoryIds: perRow((b) => Math.floor(b / 2)),
    agentIds: perRow((b) => b % 2),
  };
  const facts: MinibatchRows['facts'] = {
    oldLogprobs: batch.oldLogprobs,
    advantages: column(() => draws.normal()),
    weight: actionMask.map((is) => (is * (0.5 + draws.next())) / actions),
    share: actionMask.map((is) => is / actions),
    tokenShare: actionMask.map((is) => is / actions),
    oldValues: column(() => 0.3 * draws.normal()),
    returns: column(() => draws.normal()),
    refLogprobs: column(() => -3.5 + 1.5 * draws.normal()),
  };
  return { batch, facts };
}

/** The metrics and gradients of one microbatch, computed on the current backend. */
async function gradientOf(cut: MinibatchRows, settings: ConfigInput): Promise<Float32Array[]> {
  const config = microConfig(settings);
  const { shape } = assembleTeam(config);
  const state = freshState(livelyWeights(shape, 3), shape, true);
  state.critic.forEach(({ values }, i) => values.forEach((_, j) => (values[j] = Math.sin(7 * i + j))));
  const network = uploadNetwork(state, shape);
  const klCoef = config.kl.place === 'loss' ? config.kl.coef : null;
  const work = microbatchWork(cut, { config, klCoef, bucket: bucketOf(tf.getBackend()) });
  const outputs = tf.tidy(() => {
    const inputs = Object.fromEntries(
      Object.entries(work.uploads).map(([name, { values, shape: dimensions }]) => [
        name,
        tf.tensor(values, [...dimensions], values instanceof Int32Array ? 'int32' : 'float32'),
      ]),
    );
    return microbatchGradient(network, work, { config, inputs });
  });
  const read = await Promise.all(outputs.map((tensor) => tensor.data<'float32'>()));
  tf.dispose(outputs);
  disposeNetwork(network);
  return read;
}

const learning = {
  learner: 'ppo',
  entCoef: 0.05,
  dualClip: 1.05,
  clipLow: 0.2,
  clipHigh: 0.3,
  valueClip: 0.2,
} as const;

const levels = [
  { ratioLevel: 'token', turnMean: 'geometric', aggregation: 'token' },
  { ratioLevel: 'turn', turnMean: 'geometric', aggregation: 'turn' },
  { ratioLevel: 'turn', turnMean: 'arithmetic', aggregation: 'turn' },
  { ratioLevel: 'trajectory', turnMean: 'geometric', aggregation: 'trajectory' },
  { ratioLevel: 'dialogue', turnMean: 'geometric', aggregation: 'dialogue' },
] as const;

it('the loss of an update treats padding rows and columns as absent, in one kernel as composed, at every level', async () => {
  const bucket = { rows: 4, columns: 5, count: (n: number) => n + 3 };
  for (const { backend, level } of [simdName, 'cpu'].flatMap((backend) =>
    levels.map((level) => ({ backend, level })),
  )) {
    await tf.setBackend(backend);
    const settings: ConfigInput = { learning: { ...learning, ...level }, kl: { place: 'loss', coef: 0.1 } };
    const cut = randomCut(5, 7, 9);
    const padded = padRows(cut.batch, cut.facts as Record<string, Float32Array>, bucket);
    expect([padded.batch.rows, padded.batch.length]).toEqual([8, 10]);
    const whole = await gradientOf(cut, settings);
    const same = await gradientOf({ batch: padded.batch, facts: padded.columns }, settings);
    same.forEach((values, i) => expect(distance(values, whole[i] as Float32Array)).toBeLessThan(1e-5));
  }
});
