import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { approxKl, explainedVariance, valueLoss } from './loss.ts';
import { referenceApproxKl, referenceExplainedVariance } from '../reference/advantages.ts';
import { finiteDifferences, largestGap, randomBatch } from '../reference/batches.ts';
import { referenceValueLoss } from '../reference/policy.ts';
import type { Matrix } from '../reference/policy.ts';

beforeAll(() => tf.setBackend('cpu'));

describe('valueLoss', () => {
  const row = (values: number[]) => tf.tensor2d([values]);
  it('takes the larger of the free and the clipped error', () => {
    const of = (v: number, old: number, target: number) =>
      valueLoss(
        { values: row([v, 50]), oldValues: row([old, 0]), returns: row([target, 0]), actionMask: row([1, 0]) },
        { valueClip: 0.2 },
      ).dataSync()[0];
    expect(of(0.5, 0.4, 1)).toBeCloseTo(0.125, 6); // inside the clip
    expect(of(1, 0.4, 1)).toBeCloseTo(0.08, 6); // (0.6 − 1)²/2
    expect(of(-1, 0.4, 1)).toBeCloseTo(2, 6); // the free error is larger
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
    expect(explainedVariance([5, 5, 5], [1, 2, 3], [1, 1, 1])).toBe(0);
    expect(explainedVariance([3, 2, 1], [1, 2, 3], [1, 1, 1])).toBeCloseTo(-3, 12);
    expect(explainedVariance([1, 2], [3, 3], [1, 1])).toBeNaN();
  });
});
