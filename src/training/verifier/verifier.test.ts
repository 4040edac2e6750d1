import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { auc } from '../maths/calibration.ts';
import { finiteDifferences, largestGap, randomBatch } from '../reference/batches.ts';
import { referenceVerifierLoss } from '../reference/judgement.ts';
import type { Matrix } from '../reference/policy.ts';
import { balancedSample, verifierLoss, verifierScores } from './verifier.ts';

beforeAll(() => tf.setBackend('cpu'));

describe('balancedSample', () => {
  const draws = (seed: number) => new Draws(seed, streams.control, 36);

  it('takes as many right as wrong responses to each question, on 200 batches', () => {
    for (let seed = 0; seed < 200; seed++) {
      const from = draws(seed);
      const keys = Array.from({ length: from.below(30) }, () => `q${from.below(5)}`);
      const isRight = keys.map(() => from.below(3) > 0);
      const { indices, oneSided } = balancedSample(isRight, keys, draws(1000 + seed));
      expect(new Set(indices).size).toBe(indices.length);
      let left = 0;
      for (const key of new Set(keys)) {
        const of = (side: boolean, among: number[]) =>
          among.filter((at) => keys[at] === key && isRight[at] === side).length;
        const all = keys.map((_, at) => at);
        const rarer = Math.min(of(true, all), of(false, all));
        expect([of(true, indices), of(false, indices)]).toEqual([rarer, rarer]);
        if (rarer === 0) left++;
      }
      expect(oneSided).toBe(left);
    }
  });
  it('leaves a judge of difficulty nothing to go by', () => {
    // Answers to easy questions are mostly right, and answers to hard ones mostly wrong. The scores of the simulated
    // verifier depend only on whether a question is easy or hard.
    const keys = Array.from({ length: 400 }, (_, i) => `${i % 2 ? 'easy' : 'hard'} ${i % 20}`);
    const from = draws(1);
    const isRight = keys.map((key) => from.next() < (key.startsWith('easy') ? 0.9 : 0.1));
    const judge = (at: number[]) => ({
      scores: at.map((i) => (keys[i]?.startsWith('easy') ? 0.9 : 0.1)),
      isRight: at.map((i) => isRight[i] as boolean),
    });
    expect(auc(judge(keys.map((_, at) => at)))).toBeGreaterThan(0.85);
    const { indices } = balancedSample(isRight, keys, draws(2));
    expect(indices.length).toBeGreaterThan(20);
    expect(auc(judge(indices))).toBe(0.5);
  });
  it('draws the same from the same address, and not always the first', () => {
    const isRight = [true, true, true, true, false];
    const keys = isRight.map(() => 'q');
    const chosen = (seed: number) => balancedSample(isRight, keys, draws(seed)).indices.join();
    expect(chosen(3)).toBe(chosen(3));
    expect(new Set(Array.from({ length: 30 }, (_, seed) => chosen(seed))).size).toBe(4);
    expect(() => balancedSample([true], [], draws(0))).toThrow(ShapeError);
  });
});

describe('verifierLoss', () => {
  const measured = (logits: Matrix, isRight: number[], mask: Matrix) =>
    tf.tidy(() => {
      const rest = { isRight: tf.tensor1d(isRight), responseMask: tf.tensor2d(mask) };
      const of = (x: tf.Tensor) => verifierLoss({ ...rest, logits: x as tf.Tensor2D });
      const { value, grad } = tf.valueAndGrad(of)(tf.tensor2d(logits));
      return { loss: value.dataSync()[0] as number, gradient: grad.arraySync() as Matrix };
    });

  it('is the mean over all response tokens, by hand', () => {
    // −log σ(0) is 0.693147 and −log σ(2) is 0.126928. The wrong response with logit 1 has −log σ(−1) = 1.313262.
    const { loss } = measured(
      [
        [0, 2, 99],
        [1, 99, 99],
      ],
      [1, 0],
      [
        [1, 1, 0],
        [1, 0, 0],
      ],
    );
    expect(loss).toBeCloseTo((0.693147 + 0.126928 + 1.313262) / 3, 5);
  });
  it('and its gradient agree with float64 and central differences on 200 batches', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { advantages, actionMask } = randomBatch(7000 + seed);
      const logits = advantages.map((row) => row.map((x) => 4 * x));
      const isRight = logits.map((_, b) => (b + seed) % 2);
      const got = measured(logits, isRight, actionMask);
      expect(Math.abs(got.loss - referenceVerifierLoss(logits, isRight, actionMask)), `seed ${seed}`).toBeLessThan(
        1e-5,
      );
      const differences = finiteDifferences((x) => referenceVerifierLoss(x, isRight, actionMask), logits);
      expect(largestGap(got.gradient, differences), `seed ${seed}`).toBeLessThan(1e-4);
    }
  });
});

it('verifierScores are read at the last response token of each row', () => {
  const logits = [5, 0, 9, 1, 2, 3, 9, 9, 9];
  const mask = [1, 1, 0, 1, 1, 1, 0, 0, 0];
  const got = verifierScores(logits, mask, [3, 3]);
  expect(got[0]).toBe(0.5);
  expect(got[1]).toBeCloseTo(0.952574, 5);
  expect(got[2]).toBeNaN();
  expect(() => verifierScores([1], [1, 1], [1, 2])).toThrow(ShapeError);
});
