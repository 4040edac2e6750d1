import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { klEstimators } from '../../config/names.ts';
import { adaptKlCoef, kl, klOf, refKlLoss } from './kl.ts';
import { Draws, streams } from '../../base/random.ts';
import { referenceKlCoef } from '../reference/advantages.ts';
import { finiteDifferences, largestGap, randomBatch } from '../reference/batches.ts';
import { referenceKl } from '../reference/policy.ts';
import type { Matrix } from '../reference/policy.ts';

beforeAll(() => tf.setBackend('cpu'));

const at = (matrix: Matrix, row: number, column: number) => (matrix[row] as number[])[column] as number;

describe('kl', () => {
  it('gives the worked number of k3 at d = −0.3, and the others by hand', () => {
    const of = (estimator: (typeof klEstimators)[number]) =>
      kl(tf.tensor2d([[-1]]), tf.tensor2d([[-1.3]]), estimator).dataSync()[0];
    expect(of('k3')).toBeCloseTo(0.040818, 6);
    expect(of('k1')).toBeCloseTo(0.3, 6);
    expect(of('abs')).toBeCloseTo(0.3, 6);
    expect(of('mse')).toBeCloseTo(0.045, 6);
  });
  const farOff = (estimator: (typeof klEstimators)[number], gap: number) => {
    const of = (x: tf.Tensor) => tf.sum(kl(x as tf.Tensor2D, tf.zeros([1, 1]), estimator));
    const { value, grad } = tf.valueAndGrad(of)(tf.tensor2d([[gap]]));
    return [value.dataSync()[0], grad.dataSync()[0]];
  };
  it('k3 is at most 10 with a gradient of 0 there, even where exp would overflow', () => {
    for (const gap of [-5, -60, -500, 15]) {
      expect(farOff('k3', gap)).toEqual([10, expect.closeTo(0, 12)]);
      expect(klOf(-gap, 'k3')).toBe(10);
    }
    expect(farOff('k3', 5)).toEqual([4 + Math.exp(-5), 1 - Math.exp(-5)].map((x) => expect.closeTo(x, 5)));
  });
  it('the others pull from any distance, and charge both signs alike', () => {
    for (const gap of [-15, -5, 5, 15]) {
      expect(farOff('mse', gap)).toEqual([gap ** 2 / 2, gap]);
      expect(farOff('abs', gap)).toEqual([Math.abs(gap), Math.sign(gap)]);
      expect(farOff('k1', gap)).toEqual([gap, 1]);
      expect([klOf(-gap, 'mse'), klOf(-gap, 'abs'), klOf(-gap, 'k1')]).toEqual([gap ** 2 / 2, Math.abs(gap), gap]);
    }
  });
  it('abs and k3 have no gradient where policy and reference agree', () => {
    for (const estimator of ['abs', 'k3', 'mse'] as const) {
      const reference = tf.tensor2d([[-0.7, -2]]);
      const policy = tf.tensor2d([[-0.7, -2]]); // a separate tensor, because only the policy is differentiated
      const gradient = tf.grad((x) => tf.sum(kl(x as tf.Tensor2D, reference, estimator)))(policy);
      expect(gradient.dataSync().every((g) => Math.abs(g) === 0)).toBe(true);
    }
  });
  it.each(klEstimators)(
    '%s and its gradient agree with float64 and central differences on 200 batches',
    (estimator) => {
      for (let seed = 0; seed < 200; seed++) {
        const { logprobs, oldLogprobs: reference } = randomBatch(5000 + seed);
        const each = (x: Matrix) =>
          x.map((cells, row) => cells.map((l, column) => referenceKl(l, at(reference, row, column), estimator)));
        const weights = logprobs.map((row, b) => row.map((_, t) => 1 + b - 0.5 * t));
        const total = (x: Matrix) =>
          each(x).reduce((sum, cells, b) => sum + cells.reduce((s, k, t) => s + k * at(weights, b, t), 0), 0);
        const { values, gradient } = tf.tidy(() => {
          const of = (x: tf.Tensor) => kl(x as tf.Tensor2D, tf.tensor2d(reference), estimator);
          const weighted = (x: tf.Tensor) => tf.sum(tf.mul(of(x), tf.tensor2d(weights)));
          const start = tf.tensor2d(logprobs);
          return { values: of(start).arraySync(), gradient: tf.grad(weighted)(start).arraySync() as Matrix };
        });
        expect(largestGap(values, each(logprobs)), `seed ${seed}`).toBeLessThan(1e-5);
        const differences = finiteDifferences(total, logprobs);
        const scale = Math.max(1, ...differences.flat().map(Math.abs));
        expect(largestGap(gradient, differences) / scale, `seed ${seed}`).toBeLessThan(1e-4);
        if (estimator === 'k3') expect(Math.min(...values.flat())).toBeGreaterThanOrEqual(0);
      }
    },
  );
});

it('on the policy’s own tokens k3 pulls towards KL(ref‖π) and mse towards KL(π‖ref)', () => {
  const reference = [0.5, 0.3, 0.2];
  const start = [[0.4, -0.3, 0.9]];
  const policy = (logits: Matrix) => {
    const odds = (logits[0] as number[]).map(Math.exp);
    return odds.map((x) => x / odds.reduce((sum, other) => sum + other, 0));
  };
  const divergence = (a: number[], b: number[]) => a.reduce((sum, p, i) => sum + p * Math.log(p / (b[i] as number)), 0);
  // The tokens are drawn from the current policy. The expected gradient is the gradient of the KL estimate for fixed
  // tokens: it does not include the effect of the policy on which tokens are drawn.
  const drawn = policy(start);
  const pull = (estimator: 'k3' | 'mse') =>
    finiteDifferences((logits) => {
      const logps = policy(logits).map(Math.log);
      return drawn.reduce(
        (sum, p, i) => sum + p * referenceKl(logps[i] as number, Math.log(reference[i] as number), estimator),
        0,
      );
    }, start);
  const forward = finiteDifferences((logits) => divergence(reference, policy(logits)), start);
  const backward = finiteDifferences((logits) => divergence(policy(logits), reference), start);
  expect(largestGap(pull('k3'), forward)).toBeLessThan(1e-7);
  expect(largestGap(pull('mse'), backward)).toBeLessThan(1e-7);
  expect(largestGap(forward, backward)).toBeGreaterThan(0.02);
});

describe('refKlLoss', () => {
  const batch = () => ({
    logprobs: tf.tensor2d([[-1, -1, -50]]),
    refLogprobs: tf.tensor2d([[-1.3, -1, 0]]),
    actionMask: tf.tensor2d([[1, 1, 0]]),
  });
  it('is the mean over action tokens', () => {
    expect(refKlLoss(batch(), 'k3').dataSync()[0]).toBeCloseTo(0.040818 / 2, 6);
  });
  it('refuses k1, whose expected gradient is zero', () => {
    expect(() => refKlLoss(batch(), 'k1')).toThrow(ConfigError);
  });
});

describe('adaptKlCoef', () => {
  it('moves in proportion to the error, at most a fifth in a horizon', () => {
    expect(adaptKlCoef(0.1, { kl: 0.055, target: 0.05, n: 100, horizon: 1000 })).toBeCloseTo(0.101, 12);
    expect(adaptKlCoef(0.1, { kl: 9, target: 0.05, n: 1000, horizon: 1000 })).toBeCloseTo(0.12, 12);
    expect(adaptKlCoef(0.1, { kl: 0, target: 0.05, n: 1000, horizon: 1000 })).toBeCloseTo(0.08, 12);
    expect(adaptKlCoef(0.1, { kl: 0.05, target: 0.05, n: 1000, horizon: 1000 })).toBe(0.1);
  });
  it('stays above 0 where an update has many horizons', () => {
    const far = { kl: 0.001, target: 0.05, horizon: 20 };
    expect(adaptKlCoef(0.1, { ...far, n: 80 })).toBeCloseTo(0.02, 12);
    expect(adaptKlCoef(0.1, { ...far, n: 256 })).toBeCloseTo(0.02, 12);
    expect(adaptKlCoef(0.1, { ...far, kl: 9, n: 256 })).toBeCloseTo(0.18, 12);
  });
  it('agrees with the formula written out on 200 draws', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 45);
      const beta = draws.next();
      const measured = {
        kl: draws.next() - 0.1,
        target: 0.05 + draws.next(),
        n: draws.below(900),
        horizon: 1 + draws.below(2000),
      };
      const expected = referenceKlCoef(beta, measured);
      expect(Math.abs(adaptKlCoef(beta, measured) - expected), `seed ${seed}`).toBeLessThan(
        1e-12 * Math.max(1, Math.abs(expected)),
      );
    }
  });
  it('refuses a target of 0', () => {
    expect(() => adaptKlCoef(0.1, { kl: 0, target: 0, n: 1, horizon: 1 })).toThrow(ConfigError);
  });
});
