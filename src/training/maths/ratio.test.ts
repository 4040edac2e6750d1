import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { ratioLevels, turnMeans } from '../../config/names.ts';
import { largestGap, randomBatch } from '../reference/batches.ts';
import { referencePolicyLoss } from '../reference/policy.ts';
import type { Matrix, ReferenceBatch } from '../reference/policy.ts';
import { preparedRatio, prepareSpans, ratio, spanMean, spanTensors, tokenSpans } from './ratio.ts';
import type { RatioOptions } from './ratio.ts';

beforeAll(() => tf.setBackend('cpu'));

// Two sequences, with turns [0,1,1,1] and [0,0,–,–].
const worked = {
  logprobs: [
    [0.1, -0.05, 0.3, 0.2],
    [-0.4, 0.1, 9, 9],
  ],
  actionMask: [1, 1, 1, 1, 1, 1, 0, 0],
  turnIds: [0, 1, 1, 1, 0, 0, -1, -1],
  trajectoryIds: [0, 1],
};
const base: RatioOptions = { ratioLevel: 'token', turnMean: 'geometric', logratioClamp: 3 };

function workedRatio(options: Partial<RatioOptions>): Matrix {
  const logprobs = tf.tensor2d(worked.logprobs);
  return ratio({ ...worked, logprobs, oldLogprobs: tf.zerosLike(logprobs) }, { ...base, ...options }).arraySync();
}

function flat(batch: ReferenceBatch) {
  return {
    actionMask: batch.actionMask.flat(),
    turnIds: batch.turnIds.flat(),
    trajectoryIds: batch.trajectoryIds,
    agentIds: batch.agentIds,
    shape: [batch.logprobs.length, (batch.logprobs[0] as number[]).length] as const,
  };
}

describe('ratio by hand', () => {
  const expm = Math.exp;
  it('of a token is exp of its log-ratio, 1 where masked', () => {
    const expected = [worked.logprobs[0]?.map(expm) as number[], [expm(-0.4), expm(0.1), 1, 1]];
    expect(largestGap(workedRatio({}), expected)).toBeLessThan(1e-6);
  });
  it('of a turn is exp of the mean log-ratio', () => {
    const late = expm(0.15);
    const expected = [
      [expm(0.1), late, late, late],
      [expm(-0.15), expm(-0.15), 1, 1],
    ];
    expect(largestGap(workedRatio({ ratioLevel: 'turn' }), expected)).toBeLessThan(1e-6);
  });
  it('of a turn with the arithmetic mean is the mean of the ratios', () => {
    const late = (expm(-0.05) + expm(0.3) + expm(0.2)) / 3;
    const early = (expm(-0.4) + expm(0.1)) / 2;
    const expected = [
      [expm(0.1), late, late, late],
      [early, early, 1, 1],
    ];
    expect(largestGap(workedRatio({ ratioLevel: 'turn', turnMean: 'arithmetic' }), expected)).toBeLessThan(1e-6);
  });
  it('of a trajectory is exp of the mean over all rows of one agent, of a dialogue over those of all', () => {
    const logprobs = tf.tensor2d(worked.logprobs);
    const of = (agentIds: number[], ratioLevel: 'trajectory' | 'dialogue') => {
      const joint = { ...worked, trajectoryIds: [7, 7], agentIds, logprobs, oldLogprobs: tf.zerosLike(logprobs) };
      return ratio(joint, { ...base, ratioLevel }).arraySync();
    };
    const [all, first, second] = [expm((0.1 - 0.05 + 0.3 + 0.2 - 0.4 + 0.1) / 6), expm(0.55 / 4), expm(-0.15)];
    const one = [
      [all, all, all, all],
      [all, all, 1, 1],
    ];
    const two = [
      [first, first, first, first],
      [second, second, 1, 1],
    ];
    expect(largestGap(of([0, 0], 'trajectory'), one)).toBeLessThan(1e-6);
    expect(largestGap(of([0, 1], 'trajectory'), two)).toBeLessThan(1e-6);
    expect(largestGap(of([0, 1], 'dialogue'), one)).toBeLessThan(1e-6);
  });
  it('clamps the mean at turn level, each token with the arithmetic mean, and never from below', () => {
    const logprobs = tf.tensor2d([[5, 2, -8, -8]]);
    const batch = { actionMask: [1, 1, 1, 1], turnIds: [0, 0, 1, 1], trajectoryIds: [0], logprobs };
    const of = (options: Partial<RatioOptions>) =>
      ratio({ ...batch, oldLogprobs: tf.zerosLike(logprobs) }, { ...base, ...options }).arraySync()[0] as number[];
    expect(of({ ratioLevel: 'turn' })[0]).toBeCloseTo(expm(3), 4);
    expect(of({ ratioLevel: 'turn', turnMean: 'arithmetic' })[0]).toBeCloseTo((expm(3) + expm(2)) / 2, 4);
    expect(of({})[0]).toBeCloseTo(expm(3), 4);
    expect(of({ ratioLevel: 'turn' })[2]).toBeCloseTo(expm(-8), 8);
  });
});

describe('ratio', () => {
  it('agrees with the float64 loops on 200 random batches at every level', () => {
    for (let seed = 0; seed < 200; seed++) {
      const batch = randomBatch(seed, { spread: seed % 5 === 3 });
      const options: RatioOptions = {
        ratioLevel: ratioLevels[seed % 4] as (typeof ratioLevels)[number],
        turnMean: turnMeans[(seed >> 2) % 2] as (typeof turnMeans)[number],
        logratioClamp: seed % 7 === 0 ? 0.5 : 3,
      };
      const policy = { clipLow: 0.2, clipHigh: 0.2, dualClip: 3, aggregation: 'dialogue' } as const;
      const expected = referencePolicyLoss(batch, { ...options, ...policy }).ratio;
      const got = tf.tidy(() =>
        ratio(
          { ...flat(batch), logprobs: tf.tensor2d(batch.logprobs), oldLogprobs: tf.tensor2d(batch.oldLogprobs) },
          options,
        ).arraySync(),
      );
      expect(largestGap(got, expected), `seed ${seed}`).toBeLessThan(1e-4);
    }
  });

  it('is exactly 1 everywhere when the policies are the same, at every level', () => {
    for (let seed = 0; seed < 30; seed++) {
      const batch = randomBatch(seed);
      for (const ratioLevel of ratioLevels) {
        const logprobs = tf.tensor2d(batch.logprobs);
        const got = ratio({ ...flat(batch), logprobs, oldLogprobs: logprobs }, { ...base, ratioLevel });
        expect(
          largestGap(
            got.arraySync(),
            got.arraySync().map((row) => row.map(() => 1)),
          ),
        ).toBe(0);
      }
    }
  });

  it('reads masks given as tensors and as arrays alike, and leaves no tensor behind', () => {
    const logprobs = tf.tensor2d(worked.logprobs);
    const oldLogprobs = tf.zerosLike(logprobs) as tf.Tensor2D;
    const asTensors = {
      actionMask: tf.tensor2d(worked.actionMask, [2, 4]),
      turnIds: tf.tensor2d(worked.turnIds, [2, 4], 'int32'),
      trajectoryIds: tf.tensor1d(worked.trajectoryIds, 'int32'),
    };
    const before = tf.memory().numTensors;
    const got = ratio({ ...asTensors, logprobs, oldLogprobs }, { ...base, ratioLevel: 'turn' });
    expect(tf.memory().numTensors).toBe(before + 1);
    expect(got.arraySync()).toEqual(workedRatio({ ratioLevel: 'turn' }));
  });
});

describe('spans', () => {
  it('padded to constant sizes give the same means', () => {
    for (let seed = 0; seed < 20; seed++) {
      const batch = randomBatch(seed);
      for (const level of ['turn', 'trajectory', 'dialogue'] as const) {
        const x = tf.tensor2d(batch.advantages);
        const tight = spanMean(x, spanTensors(prepareSpans(flat(batch), level)));
        const wide = spanMean(x, spanTensors(prepareSpans(flat(batch), level, { slots: 16, links: 120 })));
        expect(largestGap(tight.arraySync(), wide.arraySync())).toBeLessThan(1e-6);
      }
    }
  });
  it('need no link matrix while every span stays in its row', () => {
    expect(prepareSpans({ ...worked, shape: [2, 4] }, 'turn').grouping?.link).toBeUndefined();
    const joint = { ...worked, trajectoryIds: [3, 3], agentIds: [0, 1], shape: [2, 4] } as const;
    expect(prepareSpans(joint, 'trajectory').grouping?.link).toBeUndefined();
    expect(prepareSpans(joint, 'dialogue').links).toBe(1);
    expect(prepareSpans({ ...joint, agentIds: [1, 1] }, 'trajectory').links).toBe(1);
  });
  it('keep the turns of different trajectories apart and count masked tokens nowhere', () => {
    expect(tokenSpans({ ...worked, shape: [2, 4] }, 'turn').lengths).toEqual([1, 3, 2]);
    expect(tokenSpans({ ...worked, trajectoryIds: [0, 0], shape: [2, 4] }, 'turn').lengths).toEqual([3, 3]);
  });
  it('refuse sizes that are too small, arrays of another shape and an action token without a turn', () => {
    const masks = { ...worked, shape: [2, 4] as const };
    expect(() => prepareSpans(masks, 'turn', { slots: 1 })).toThrow(/slots must be at least 2/);
    expect(() => prepareSpans({ ...masks, shape: [2, 5] }, 'turn')).toThrow(ShapeError);
    expect(() => prepareSpans({ ...masks, turnIds: worked.turnIds.map(() => -1) }, 'turn')).toThrow(/row 0, token 0/);
  });
  it('prepared once serve many steps without an upload or a leak', () => {
    const expected = workedRatio({ ratioLevel: 'turn' });
    const logprobs = tf.tensor2d(worked.logprobs);
    const options = { turnMean: 'geometric', logratioClamp: tf.scalar(3) } as const;
    const batch = { logprobs, oldLogprobs: tf.zerosLike(logprobs) as tf.Tensor2D };
    const before = tf.memory().numTensors;
    const spans = spanTensors(prepareSpans({ ...worked, shape: [2, 4] }, 'turn'));
    const prepared = tf.memory().numTensors;
    for (let step = 0; step < 3; step++) {
      const got = preparedRatio(batch, spans, options);
      expect(tf.memory().numTensors).toBe(prepared + 1);
      expect(got.arraySync()).toEqual(expected);
      tf.dispose(got);
    }
    tf.dispose(spans);
    expect(tf.memory().numTensors).toBe(before);
  });
});
