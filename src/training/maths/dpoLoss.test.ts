import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { preferenceKinds, type PreferenceKind } from '../../config/names.ts';
import { Draws, streams } from '../../base/random.ts';
import { dpoLoss, pairSigns, preferenceDelta, type PreferenceOptions, minePairs } from './dpoLoss.ts';
import { finiteDifferences, largestGap, randomBatch } from '../reference/batches.ts';
import { referenceDelta, referenceDpo } from '../reference/judgement.ts';
import type { Matrix } from '../reference/policy.ts';

beforeAll(() => tf.setBackend('cpu'));

const base: PreferenceOptions = { beta: 0.1, kind: 'sigmoid', smoothing: 0, margin: 0 };
const lossOf = (deltas: number[], options: Partial<PreferenceOptions> = {}): number =>
  tf.tidy(() => dpoLoss(tf.tensor1d(deltas), { ...base, ...options }).dataSync()[0] as number);
const slopeOf = (deltas: number[], options: Partial<PreferenceOptions> = {}): number[] =>
  tf.tidy(() =>
    Array.from(
      tf
        .grad((x) => dpoLoss(x, { ...base, ...options }))(tf.tensor1d(deltas))
        .dataSync(),
    ),
  );

describe('dpoLoss', () => {
  it('by hand: log 2 where policy and reference agree, and each kind at Δ = 5 with β = 0.1', () => {
    expect(lossOf([0])).toBeCloseTo(0.693147, 5);
    expect(lossOf([5])).toBeCloseTo(0.474077, 5); // −log σ(0.5)
    expect(lossOf([5], { smoothing: 0.1 })).toBeCloseTo(0.9 * 0.474077 + 0.1 * 0.974077, 5);
    expect(lossOf([5], { kind: 'robust', smoothing: 0.1 })).toBeCloseTo((0.9 * 0.474077 - 0.1 * 0.974077) / 0.8, 5);
    expect(lossOf([5], { kind: 'robust' })).toBeCloseTo(0.474077, 5);
    expect(lossOf([5], { kind: 'simpo', margin: 0.5 })).toBeCloseTo(0.693147, 5); // −log σ(0.5 − 0.5)
    expect(lossOf([5], { kind: 'simpo', margin: 1 })).toBeCloseTo(0.974077, 5); // −log σ(−0.5)
    expect(lossOf([5], { kind: 'hinge' })).toBeCloseTo(0.5, 5);
    expect(lossOf([5, 20], { kind: 'hinge' })).toBeCloseTo(0.25, 5);
    expect(lossOf([5], { kind: 'ipo' })).toBeCloseTo(0, 5); // 1/(2β) = 5
    expect(lossOf([2], { kind: 'ipo' })).toBeCloseTo(9, 5);
    expect(lossOf([2], { kind: 'ipoOfSum' })).toBeCloseTo(9, 5);
  });
  it('stays finite, with a finite slope, however far a pair is on either side', () => {
    for (const kind of preferenceKinds)
      for (const delta of [-5000, 5000]) {
        expect(Number.isFinite(lossOf([delta], { kind, smoothing: 0.1 }))).toBe(true);
        expect(Number.isFinite(slopeOf([delta], { kind, smoothing: 0.1 })[0])).toBe(true);
      }
    expect(lossOf([-5000])).toBeCloseTo(500, 3);
  });
  it('and its gradient agree with float64 and central differences on 200 batches of every kind', () => {
    let compared = 0;
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 33);
      const deltas = Array.from({ length: 1 + draws.below(9) }, () => 4 * draws.normal());
      const kind = preferenceKinds[seed % preferenceKinds.length] as PreferenceKind;
      const options = {
        beta: draws.pick([0.1, 0.5, 1]),
        kind,
        smoothing: draws.pick([0, 0.1, 0.3]),
        margin: draws.next(),
      };
      const of = (x: number[]) => referenceDpo(x, options);
      const expected = of(deltas);
      expect(Math.abs(lossOf(deltas, options) - expected.loss), `seed ${seed}`).toBeLessThan(
        1e-5 * Math.max(1, expected.loss),
      );
      if (expected.margin < 1e-3) continue;
      compared++;
      const differences = finiteDifferences(([x]) => of(x as number[]).loss, [deltas]);
      const scale = Math.max(1, ...differences.flat().map(Math.abs));
      expect(largestGap([slopeOf(deltas, options)], differences) / scale, `seed ${seed}`).toBeLessThan(1e-4);
    }
    expect(compared).toBeGreaterThan(180);
  });
  it('of the robust kind has, over swapped pairs, the mean of the sigmoid loss over the right ones', () => {
    const smoothing = 0.2;
    const [right, swapped] = [lossOf([3], { kind: 'robust', smoothing }), lossOf([-3], { kind: 'robust', smoothing })];
    expect((1 - smoothing) * right + smoothing * swapped).toBeCloseTo(lossOf([3]), 5);
  });
  it('refuses no pairs, no pull and a smoothing that turns pairs around', () => {
    expect(() => lossOf([])).toThrow(ShapeError);
    expect(() => lossOf([1], { beta: 0 })).toThrow(ConfigError);
    expect(() => lossOf([1], { smoothing: 0.5 })).toThrow(ConfigError);
  });
});

describe('preferenceDelta', () => {
  const delta = (
    batch: Record<'logprobs' | 'refLogprobs' | 'actionMask', Matrix>,
    pairs: { winner: number[]; loser: number[] }[],
    { isFree = false, kind = 'sigmoid' }: { isFree?: boolean; kind?: PreferenceKind } = {},
  ) =>
    tf.tidy(() => {
      const rows = batch.logprobs.length;
      const counts = batch.actionMask.map((row) => row.reduce((sum, is) => sum + is, 0));
      const signs = tf.tensor2d(pairSigns(pairs, counts, kind), [pairs.length, rows]);
      const rest = {
        refLogprobs: isFree ? null : tf.tensor2d(batch.refLogprobs),
        actionMask: tf.tensor2d(batch.actionMask),
      };
      const of = (x: tf.Tensor) => preferenceDelta({ ...rest, logprobs: x as tf.Tensor2D }, signs);
      const start = tf.tensor2d(batch.logprobs);
      const loss = (x: tf.Tensor) => dpoLoss(of(x), { ...base, beta: 0.5, kind });
      return { values: Array.from(of(start).dataSync()), gradient: tf.grad(loss)(start).arraySync() as Matrix };
    });

  it('sums over the action tokens of both sides, by hand', () => {
    const batch = {
      logprobs: [
        [-1, -2, 50],
        [-0.5, -0.5, 50],
        [-3, 50, 50],
      ],
      refLogprobs: [
        [-1.5, -2.5, 0],
        [-0.5, -1, 0],
        [-2, 0, 0],
      ],
      actionMask: [
        [1, 1, 0],
        [1, 1, 0],
        [1, 0, 0],
      ],
    };
    // In the three rows, the log-probability is higher than under the reference by 1, 0.5 and −1. If the preferred side
    // has two rows, the differences of both rows are added.
    const pairs = [
      { winner: [0], loser: [2] },
      { winner: [0, 1], loser: [2] },
      { winner: [2], loser: [1] },
    ];
    expect(largestGap([delta(batch, pairs).values], [[2, 2.5, -1.5]])).toBeLessThan(1e-5);
    expect(largestGap([delta(batch, pairs, { isFree: true }).values], [[0, -1, -2]])).toBeLessThan(1e-5);
    // IPO compares means per token. The means are 0.5, 0.25 and −1 for the single rows, and 1.5 / 4 for the first two
    // rows together.
    expect(largestGap([delta(batch, pairs, { kind: 'ipo' }).values], [[1.5, 1.375, -1.25]])).toBeLessThan(1e-5);
    expect(delta(batch, pairs, { kind: 'ipoOfSum' }).values).toEqual(delta(batch, pairs).values);
  });
  it('and the loss through it agree with float64 on 200 batches; masked tokens have no gradient', () => {
    for (let seed = 0; seed < 200; seed++) {
      const { logprobs, oldLogprobs: refLogprobs, actionMask } = randomBatch(6000 + seed);
      const batch = { logprobs, refLogprobs, actionMask };
      const draws = new Draws(seed, streams.control, 34);
      const side = () => [...new Set(Array.from({ length: 1 + draws.below(2) }, () => draws.below(logprobs.length)))];
      const pairs = Array.from({ length: 1 + draws.below(4) }, () => ({ winner: side(), loser: side() }));
      const isFree = seed % 4 === 0;
      const kind = seed % 3 === 0 ? 'ipo' : 'sigmoid';
      const given = { refLogprobs: isFree ? null : refLogprobs, actionMask };
      const each = (x: Matrix) => pairs.map((pair) => referenceDelta({ logprobs: x, ...given }, pair, kind === 'ipo'));
      const got = delta(batch, pairs, { isFree, kind });
      expect(largestGap([got.values], [each(logprobs)]), `seed ${seed}`).toBeLessThan(1e-4);
      const differences = finiteDifferences(
        (x) => referenceDpo(each(x), { beta: 0.5, smoothing: 0, kind }).loss,
        logprobs,
      );
      expect(largestGap(got.gradient, differences), `seed ${seed}`).toBeLessThan(1e-4);
      const masked = got.gradient.flat().filter((_, at) => actionMask.flat()[at] === 0);
      expect(masked.every((g) => g === 0)).toBe(true);
    }
  });
  it('refuses a side without rows and a row that is not there', () => {
    expect(() => pairSigns([{ winner: [], loser: [0] }], [1, 1], 'ipo')).toThrow(/side without rows/);
    expect(() => pairSigns([{ winner: [0], loser: [2] }], [1, 1], 'ipo')).toThrow(ShapeError);
  });
});

const group = (rewards: number[], options: { minGap?: number } = {}) =>
  minePairs(
    rewards,
    rewards.map(() => 'g'),
    { minGap: 1e-6, ...options },
  );

describe('minePairs', () => {
  it('pairs the best with the worst, then inwards', () => {
    expect(group([0.5, 0, 1, 0.75])).toEqual([
      { winner: 2, loser: 1, gap: 1 },
      { winner: 3, loser: 0, gap: 0.25 },
    ]);
    expect(group([0.5, 0, 1, 0.75], { minGap: 0.3 })).toHaveLength(1);
    expect(group([0.5, 0, 1, 0.75], { minGap: 0.25 })).toHaveLength(2); // a gap that equals the minimum is included
  });
  it('finds none where all are equal, in a group of one, and across groups', () => {
    expect(group([1, 1, 1])).toEqual([]);
    expect(minePairs([1, 0], ['a', 'b'], { minGap: 1e-6 })).toEqual([]);
  });
  it('on 200 batches stays in its group, uses nobody twice, and finds a pair wherever rewards differ', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 35);
      const keys = Array.from({ length: draws.below(20) }, () => `g${draws.below(4)}`);
      const rewards = keys.map(() => draws.below(4) / 3);
      const pairs = minePairs(rewards, keys, { minGap: 1e-6 });
      const used = pairs.flatMap(({ winner, loser }) => [winner, loser]);
      expect(new Set(used).size).toBe(used.length);
      for (const { winner, loser, gap } of pairs) {
        expect(keys[winner]).toBe(keys[loser]);
        expect(gap).toBe((rewards[winner] as number) - (rewards[loser] as number));
        expect(gap).toBeGreaterThan(0);
      }
      const differing = [...new Set(keys)].filter(
        (key) => new Set(rewards.filter((_, at) => keys[at] === key)).size > 1,
      );
      expect(new Set(pairs.map(({ winner }) => keys[winner]))).toEqual(new Set(differing));
    }
  });
  it('refuses ties as preferences and keys that do not fit', () => {
    expect(() => group([1, 0], { minGap: 0 })).toThrow(ConfigError);
    expect(() => minePairs([1, 0], ['g'], { minGap: 1 })).toThrow(ShapeError);
  });
});
