import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { policyLoss, type PolicyOptions, approxKl, explainedVariance, valueLoss } from './loss.ts';
import { finiteDifferences, largestGap, randomBatch } from '../reference/batches.ts';
import { referencePolicyLoss, type Matrix, type ReferenceBatch, referenceValueLoss } from '../reference/policy.ts';
import { referenceApproxKl, referenceExplainedVariance } from '../reference/advantages.ts';

beforeAll(() => tf.setBackend('cpu'));

const base: PolicyOptions = {
  ratioLevel: 'token',
  turnMean: 'geometric',
  logratioClamp: 3,
  clipLow: 0.2,
  clipHigh: 0.2,
  dualClip: 3,
  aggregation: 'token',
};
const valid = [
  { ratioLevel: 'token', aggregation: 'token' },
  { ratioLevel: 'token', aggregation: 'turn' },
  { ratioLevel: 'token', aggregation: 'trajectory' },
  { ratioLevel: 'token', aggregation: 'constant', maxActionTokens: 20 },
  { ratioLevel: 'turn', aggregation: 'turn' },
  { ratioLevel: 'turn', aggregation: 'trajectory' },
  { ratioLevel: 'turn', turnMean: 'arithmetic', aggregation: 'turn' },
  { ratioLevel: 'turn', turnMean: 'arithmetic', aggregation: 'trajectory' },
  { ratioLevel: 'trajectory', aggregation: 'trajectory' },
  { ratioLevel: 'token', aggregation: 'dialogue' },
  { ratioLevel: 'turn', aggregation: 'dialogue' },
  { ratioLevel: 'trajectory', aggregation: 'dialogue' },
  { ratioLevel: 'dialogue', aggregation: 'dialogue' },
  { surrogate: 'cispo', ratioLevel: 'token', aggregation: 'token' },
  { surrogate: 'cispo', ratioLevel: 'turn', turnMean: 'arithmetic', aggregation: 'trajectory' },
  { surrogate: 'cispo', ratioLevel: 'trajectory', aggregation: 'trajectory' },
  { surrogate: 'sapo', ratioLevel: 'token', aggregation: 'trajectory', gateNegative: 1.05 },
  { surrogate: 'sapo', ratioLevel: 'turn', aggregation: 'turn', gatePositive: 2 },
  { surrogate: 'sapo', ratioLevel: 'turn', turnMean: 'arithmetic', aggregation: 'turn' },
  { surrogate: 'gmpo', ratioLevel: 'token', aggregation: 'token' },
  { surrogate: 'gmpo', ratioLevel: 'turn', turnMean: 'arithmetic', aggregation: 'trajectory' },
  { surrogate: 'gmpo', ratioLevel: 'trajectory', aggregation: 'trajectory' },
] as const satisfies Partial<PolicyOptions>[];

// The example that is worked out in the design document: two sequences with A = +1 and A = −0.5, whose tokens belong to
// the turns [0,1,1,1] and [0,0].
const worked: ReferenceBatch = {
  logprobs: [
    [0.1, -0.05, 0.3, 0.2],
    [-0.4, 0.1, 0, 0],
  ],
  oldLogprobs: [
    [0, 0, 0, 0],
    [0, 0, 0, 0],
  ],
  advantages: [
    [1, 1, 1, 1],
    [-0.5, -0.5, 0, 0],
  ],
  actionMask: [
    [1, 1, 1, 1],
    [1, 1, 0, 0],
  ],
  turnIds: [
    [0, 1, 1, 1],
    [0, 0, -1, -1],
  ],
  trajectoryIds: [0, 1],
  agentIds: [0, 0],
};

function tensors(batch: ReferenceBatch) {
  return {
    logprobs: tf.tensor2d(batch.logprobs),
    oldLogprobs: tf.tensor2d(batch.oldLogprobs),
    advantages: tf.tensor2d(batch.advantages),
    actionMask: batch.actionMask.flat(),
    turnIds: batch.turnIds.flat(),
    trajectoryIds: batch.trajectoryIds,
    agentIds: batch.agentIds,
  };
}
function lossOf(batch: ReferenceBatch, options: Partial<PolicyOptions>): number {
  return tf.tidy(() => policyLoss(tensors(batch), { ...base, ...options }).loss.dataSync()[0] as number);
}
function gradientOf(batch: ReferenceBatch, options: PolicyOptions): Matrix {
  return tf.tidy(() => {
    const rest = tensors(batch);
    const gradient = tf.grad((x) => policyLoss({ ...rest, logprobs: x as tf.Tensor2D }, options).loss);
    return gradient(rest.logprobs).arraySync() as Matrix;
  });
}

describe('policyLoss by hand', () => {
  it('gives the worked number of token ratio and token aggregation', () => {
    expect(lossOf(worked, {})).toBeCloseTo(-0.583969, 5);
  });
  it('gives the worked number of turn ratio and turn aggregation', () => {
    expect(lossOf(worked, { ratioLevel: 'turn', aggregation: 'turn' })).toBeCloseTo(-0.612217, 5);
  });
  it('weighs turns, trajectories and the constant as the table says', () => {
    const [a, b, c] = [-1.105171, -1.161834, 0.430354];
    expect(lossOf(worked, { ratioLevel: 'turn', aggregation: 'trajectory' })).toBeCloseTo(((a + b) / 2 + c) / 2, 5);
    // The token losses are −e^0.1, −e^−0.05, −1.2 and −1.2 in the first sequence, and 0.5·0.8 (clipped) and 0.5·e^0.1
    // in the second.
    const first = [-Math.exp(0.1), -Math.exp(-0.05), -1.2, -1.2] as const;
    const second = [0.4, 0.5 * Math.exp(0.1)] as const;
    const meanOf = (xs: readonly number[]) => xs.reduce((sum, x) => sum + x, 0) / xs.length;
    expect(lossOf(worked, { aggregation: 'trajectory' })).toBeCloseTo((meanOf(first) + meanOf(second)) / 2, 5);
    expect(lossOf(worked, { aggregation: 'turn' })).toBeCloseTo(
      (first[0] + meanOf(first.slice(1)) + meanOf(second)) / 3,
      5,
    );
    expect(lossOf(worked, { aggregation: 'constant', maxActionTokens: 10 })).toBeCloseTo(
      (meanOf(first) * 4 + meanOf(second) * 2) / 20,
      5,
    );
    // The ratio of the first trajectory is e^0.1375 < 1.2, with A = 1. The ratio of the second is e^−0.15, with A =
    // −0.5.
    expect(lossOf(worked, { ratioLevel: 'trajectory', aggregation: 'trajectory' })).toBeCloseTo(
      (-Math.exp(0.1375) + 0.5 * Math.exp(-0.15)) / 2,
      5,
    );
  });
  it('tells which side of the min won and how often', () => {
    const parts = policyLoss(tensors(worked), base);
    expect(parts.won.arraySync()).toEqual([
      [0, 0, 1, 1],
      [1, 0, 0, 0],
    ]);
    expect(parts.clipFraction.dataSync()[0]).toBeCloseTo(3 / 6, 6);
    expect(parts.dualClipFraction.dataSync()[0]).toBe(0);
    const turns = policyLoss(tensors(worked), { ...base, clipHigh: 0.15, ratioLevel: 'turn', aggregation: 'turn' });
    expect(turns.won.arraySync()[0]).toEqual([0, 1, 1, 1]); // e^0.1 < 1.15 < e^0.15
    expect(turns.clipFraction.dataSync()[0]).toBeCloseTo(1 / 3, 6); // the mean is over turns, not tokens
  });
  it('bounds a loss of negative advantage by dualClip times |A|, and only that', () => {
    const batch: ReferenceBatch = {
      ...worked,
      logprobs: [[2, 2]],
      oldLogprobs: [[0, 0]],
      advantages: [[-1, 1]],
      actionMask: [[1, 1]],
      turnIds: [[0, 0]],
      trajectoryIds: [0],
      agentIds: [0],
    };
    const parts = policyLoss(tensors(batch), base);
    expect(parts.loss.dataSync()[0]).toBeCloseTo((3 - 1.2) / 2, 5);
    expect(parts.won.arraySync()).toEqual([[2, 1]]);
    expect(parts.clipFraction.dataSync()[0]).toBeCloseTo(0.5, 6);
    expect(parts.dualClipFraction.dataSync()[0]).toBeCloseTo(0.5, 6);
    expect(lossOf(batch, { dualClip: 0 })).toBeCloseTo((Math.exp(2) - 1.2) / 2, 4);
  });

  it('of CISPO weighs log π by the clipped ratio, also where the ratio is clipped, by hand', () => {
    // −[1.1052 · 0.1 − 0.9512 · 0.05 + 1.2 · 0.3 + 1.2 · 0.2] + 0.5 · [−0.8 · 0.4 + 1.1052 · 0.1], divided by 6
    const parts = policyLoss(tensors(worked), { ...base, surrogate: 'cispo' });
    expect(parts.loss.dataSync()[0]).toBeCloseTo(-0.12795, 5);
    expect(parts.clipFraction.dataSync()[0]).toBeCloseTo(3 / 6, 6);
    expect(parts.dualClipFraction.dataSync()[0]).toBe(0);
    // The third token has the ratio e^0.3, which is clipped to 1.2. Its slope is −1.2/6, where PPO has 0.
    expect(gradientOf(worked, { ...base, surrogate: 'cispo' })[0]?.[2]).toBeCloseTo(-0.2, 6);
    expect(gradientOf(worked, base)[0]?.[2]).toBeCloseTo(0, 9);
  });

  it('of SAPO is a smooth gate of the ratio, with a temperature for each sign of the advantage, by hand', () => {
    // −4 · [σ(0.1052) + σ(−0.0488) + σ(0.3499) + σ(0.2214)] + 0.5 · 4/1.05 · [σ(−0.3462) + σ(0.1104)], divided by 6
    const options: PolicyOptions = { ...base, surrogate: 'sapo', gatePositive: 1, gateNegative: 1.05 };
    const parts = policyLoss(tensors(worked), options);
    expect(parts.loss.dataSync()[0]).toBeCloseTo(-1.13818, 5);
    expect(parts.clipFraction.dataSync()[0]).toBe(0);
    expect(gradientOf(worked, options)[0]?.[2]).toBeCloseTo(-0.21823, 5);
  });
});

describe('policyLoss of GMPO', () => {
  const options: PolicyOptions = { ...base, surrogate: 'gmpo', ratioLevel: 'trajectory', aggregation: 'trajectory' };

  it('bounds the log-ratio of each token before their mean is the ratio, by hand', () => {
    // A = 1: the log-ratios 0.1, −0.05, 0.3 and 0.2 become 0.1, −0.05, 0.2 and 0.2, whose mean is 0.1125. A = −0.5:
    // −0.4 and 0.1 become −0.2 and 0.1, whose mean is −0.05.
    const parts = policyLoss(tensors(worked), options);
    expect(parts.loss.dataSync()[0]).toBeCloseTo((-Math.exp(0.1125) + 0.5 * Math.exp(-0.05)) / 2, 6);
    expect(parts.won.arraySync()).toEqual([
      [0, 0, 1, 0],
      [1, 0, 0, 0],
    ]);
    // One of four tokens of the first trajectory is bounded, and one of two of the second.
    expect(parts.clipFraction.dataSync()[0]).toBeCloseTo((1 / 4 + 1 / 2) / 2, 6);
    expect(parts.dualClipFraction.dataSync()[0]).toBe(0);
  });

  it('gives a bounded token no gradient, and each other token of its trajectory the same', () => {
    const [first, second] = gradientOf(worked, options) as [number[], number[]];
    const slope = -Math.exp(0.1125) / 2 / 4;
    [slope, slope, 0, slope].forEach((expected, i) => expect(first[i]).toBeCloseTo(expected, 6));
    expect(second[0]).toBe(0);
    expect(second[1]).toBeCloseTo((0.5 * Math.exp(-0.05)) / 2 / 2, 6);
  });
});

describe('policyLoss', () => {
  it('agrees with the float64 loops on 200 random batches, won sides and clip fractions included', () => {
    let compared = 0;
    for (let seed = 0; seed < 200; seed++) {
      const batch = randomBatch(seed, { spread: seed % 5 === 4 });
      const options = { ...base, ...(valid[seed % valid.length] as Partial<PolicyOptions>) };
      options.dualClip = seed % 7 === 0 ? 0 : 3;
      options.clipHigh = seed % 2 === 0 ? 0.2 : 0.28;
      const expected = referencePolicyLoss(batch, options);
      tf.tidy(() => {
        const got = policyLoss(tensors(batch), options);
        expect(Math.abs((got.loss.dataSync()[0] as number) - expected.loss), `seed ${seed}`).toBeLessThan(1e-4);
        expect(largestGap(got.ratio.arraySync(), expected.ratio)).toBeLessThan(1e-4);
        if (expected.margin < 1e-5) return; // the two sides are so close that rounding decides which is smaller
        compared++;
        expect(largestGap(got.won.arraySync(), expected.won)).toBe(0);
        expect(got.clipFraction.dataSync()[0]).toBeCloseTo(expected.clipFraction, 5);
        expect(got.dualClipFraction.dataSync()[0]).toBeCloseTo(expected.dualClipFraction, 5);
      });
    }
    expect(compared).toBeGreaterThan(180);
  });

  it('has the gradient of the float64 loops by central differences, in every valid combination', () => {
    let compared = 0;
    for (let seed = 0; seed < 104; seed++) {
      const batch = randomBatch(1000 + seed, { spread: seed % 5 === 4 });
      const options = { ...base, ...(valid[seed % valid.length] as Partial<PolicyOptions>) };
      if (referencePolicyLoss(batch, options).margin < 1e-4) continue;
      compared++;
      const expected = finiteDifferences(
        (logprobs) => referencePolicyLoss({ ...batch, logprobs, heldAt: batch.logprobs }, options).loss,
        batch.logprobs,
      );
      expect(largestGap(gradientOf(batch, options), expected), `seed ${seed}`).toBeLessThan(2e-5);
    }
    expect(compared).toBeGreaterThan(88);
  });

  it('gives masked tokens exactly no gradient, whatever their log-probabilities', () => {
    for (const combination of valid) {
      for (let seed = 0; seed < 8; seed++) {
        const batch = randomBatch(2000 + seed);
        const wild = batch.logprobs.map((row, b) => row.map((x, t) => (batch.actionMask[b]?.[t] ? x : -1e9)));
        const gradient = gradientOf({ ...batch, logprobs: wild }, { ...base, ...combination });
        const masked = gradient.flat().filter((_, at) => batch.actionMask.flat()[at] === 0);
        expect(masked.every((g) => g === 0)).toBe(true);
        expect(lossOf({ ...batch, logprobs: wild }, combination)).toBe(lossOf(batch, combination));
      }
    }
  });

  it('does not change when trajectories are renumbered or rows of different agents change places', () => {
    for (let seed = 0; seed < 20; seed++) {
      const batch = randomBatch(3000 + seed);
      const turned = Object.fromEntries(
        Object.entries(batch).map(([name, rows]) => [name, [...rows].reverse()]),
      ) as ReferenceBatch;
      const renamed = { ...turned, trajectoryIds: turned.trajectoryIds.map((id) => 1000 - 7 * id) };
      for (const combination of valid) expect(lossOf(renamed, combination)).toBeCloseTo(lossOf(batch, combination), 5);
    }
  });

  it('of a batch without an action token is 0', () => {
    const silent = { ...worked, actionMask: worked.actionMask.map((row) => row.map(() => 0)) };
    for (const combination of valid) expect(lossOf(silent, combination)).toBe(0);
  });

  it('leaves only its five parts behind', () => {
    const batch = tensors(worked);
    const before = tf.memory().numTensors;
    const parts = policyLoss(batch, { ...base, ratioLevel: 'turn', aggregation: 'turn' });
    expect(tf.memory().numTensors).toBe(before + 5);
    expect(parts.loss.dataSync()[0]).toBeCloseTo(-0.612217, 5);
    tf.dispose(parts);
    expect(tf.memory().numTensors).toBe(before);
  });
});

it('refused combinations name the nearest valid setting', () => {
  const of = (options: Partial<PolicyOptions>) => () => lossOf(worked, options);
  for (const aggregation of ['token', 'constant'] as const) {
    const options = { ratioLevel: 'turn', aggregation, maxActionTokens: 8 } as const;
    expect(of(options)).toThrow(ConfigError);
    expect(of(options)).toThrow(/use aggregation = 'turn'/);
  }
  for (const aggregation of ['token', 'turn', 'constant'] as const) {
    const options = { ratioLevel: 'trajectory', aggregation, maxActionTokens: 8 } as const;
    expect(of(options)).toThrow(/use aggregation = 'trajectory'/);
    expect(of({ ...options, ratioLevel: 'dialogue' })).toThrow(/use aggregation = 'dialogue'/);
  }
  expect(of({ ratioLevel: 'dialogue', aggregation: 'trajectory' })).toThrow(/use aggregation = 'dialogue'/);
  expect(of({ aggregation: 'constant' })).toThrow(/maxActionTokens/);
  for (const dualClip of [0.9, 1]) expect(of({ dualClip })).toThrow(/use dualClip = 3/);
});

describe('valueLoss', () => {
  const row = (values: number[]) => tf.tensor2d([values]);
  it('takes the larger of the free and the clipped error', () => {
    const of = (v: number, old: number, target: number) =>
      valueLoss(
        { values: row([v, 50]), oldValues: row([old, 0]), returns: row([target, 0]), actionMask: row([1, 0]) },
        { valueClip: 0.2 },
      ).dataSync()[0];
    expect(of(0.5, 0.4, 1)).toBeCloseTo(0.125, 6); // the value is within the clip range
    expect(of(1, 0.4, 1)).toBeCloseTo(0.08, 6); // (0.6 − 1)²/2
    expect(of(-1, 0.4, 1)).toBeCloseTo(2, 6); // the unclipped error is larger
  });
  it('and its gradient agree with the float64 loops and central differences', () => {
    let compared = 0;
    for (let seed = 0; seed < 200; seed++) {
      const { logprobs: values, oldLogprobs: oldValues, advantages: returns, actionMask } = randomBatch(4000 + seed);
      const batch = { values, oldValues, returns, actionMask };
      const expected = referenceValueLoss(batch, 0.3);
      const { loss, gradient } = tf.tidy(() => {
        const rest = {
          oldValues: tf.tensor2d(oldValues),
          returns: tf.tensor2d(returns),
          actionMask: tf.tensor2d(actionMask),
        };
        const of = (x: tf.Tensor) => valueLoss({ ...rest, values: x as tf.Tensor2D }, { valueClip: 0.3 });
        const both = tf.valueAndGrad(of)(tf.tensor2d(values));
        return { loss: both.value.dataSync()[0] as number, gradient: both.grad.arraySync() as Matrix };
      });
      expect(Math.abs(loss - expected.loss)).toBeLessThan(1e-5 * Math.max(1, expected.loss));
      if (expected.margin < 1e-3) continue;
      compared++;
      const differences = finiteDifferences((x) => referenceValueLoss({ ...batch, values: x }, 0.3).loss, values);
      expect(largestGap(gradient, differences), `seed ${seed}`).toBeLessThan(1e-4);
      expect(gradient.flat().every((g, at) => actionMask.flat()[at] === 1 || g === 0)).toBe(true);
    }
    expect(compared).toBeGreaterThan(150);
  });
});

describe('the two gauges', () => {
  it('approxKl is 0 on policy, unclamped, and blind to masked tokens', () => {
    const x = tf.tensor2d([[0.3, 4, 100]]);
    const mask = tf.tensor2d([[1, 1, 0]]);
    expect(approxKl(x, x, mask).dataSync()[0]).toBe(0);
    const expected = (Math.exp(0.3) - 1 - 0.3 + Math.exp(4) - 1 - 4) / 2;
    expect(approxKl(x, tf.zerosLike(x), mask).dataSync()[0]).toBeCloseTo(expected, 4);
    const tiny = tf.fill([1, 3], 1e-3) as tf.Tensor2D;
    expect(approxKl(tiny, tf.zerosLike(x), mask).dataSync()[0]).toBeCloseTo(5e-7, 9);
  });
  it('approxKl agrees with the formula written out on 200 batches of odd shapes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { logprobs, oldLogprobs, actionMask } = randomBatch(6000 + seed);
      const expected = referenceApproxKl(logprobs, oldLogprobs, actionMask);
      const got = tf.tidy(
        () => approxKl(tf.tensor2d(logprobs), tf.tensor2d(oldLogprobs), tf.tensor2d(actionMask)).dataSync()[0],
      ) as number;
      expect(Math.abs(got - expected), `seed ${seed}`).toBeLessThan(1e-5 * Math.max(1, expected));
    }
  });
  it('explainedVariance agrees with the formula written out on 200 batches, constant returns among them', () => {
    let constant = 0;
    for (let seed = 0; seed < 200; seed++) {
      const { logprobs, advantages, actionMask } = randomBatch(7000 + seed);
      const [values, mask] = [logprobs.flat(), actionMask.flat()];
      const returns = advantages.flat().map((x) => (seed % 10 ? x : 0.5));
      const expected = referenceExplainedVariance(values, returns, mask);
      const got = explainedVariance(values, returns, mask);
      if (Number.isNaN(expected)) constant++;
      if (Number.isNaN(expected)) expect(got, `seed ${seed}`).toBeNaN();
      else expect(Math.abs(got - expected), `seed ${seed}`).toBeLessThan(1e-9 * Math.max(1, Math.abs(expected)));
    }
    expect(constant).toBeGreaterThan(15);
    expect(constant).toBeLessThan(100);
  });
  it('explainedVariance is 1 for perfect values, 0 for constant ones, NaN for constant returns', () => {
    expect(explainedVariance([1, 2, 3, 9], [1, 2, 3, 4], [1, 1, 1, 0])).toBe(1);
    expect(explainedVariance([5, 5, 5], [1, 2, 3])).toBe(0);
    expect(explainedVariance([3, 2, 1], [1, 2, 3], [1, 1, 1])).toBeCloseTo(-3, 12);
    expect(explainedVariance([1, 2], [3, 3], [1, 1])).toBeNaN();
  });
});
