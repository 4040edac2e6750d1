import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import {
  mixingLoss,
  mixingTargets,
  qmixTotal,
  softUpdate,
  totalOf,
  totalsWithout,
  vdnTotal,
  type MixingNumbers,
  type MixingWeights,
} from './mixing.ts';
import { referenceMixingTargets } from '../reference/advantages.ts';
import { finiteDifferences, largestGap } from '../reference/batches.ts';
import type { Matrix } from '../reference/policy.ts';
import { referenceQmix } from '../reference/team.ts';

beforeAll(() => tf.setBackend('cpu'));

interface Given {
  q: Matrix; // [N, A]
  w1: Matrix; // [N, H·A]
  b1: Matrix; // [N, H]
  w2: Matrix; // [N, H]
  v: Matrix; // [N, 1]
  agents: number;
  hidden: number;
}

function randomMixing(seed: number): Given {
  const draws = new Draws(seed, streams.control, 31);
  const [states, agents, hidden] = [1 + draws.below(6), 2 + draws.below(5), 1 + draws.below(7)];
  const matrix = (columns: number): Matrix =>
    Array.from({ length: states }, () => Array.from({ length: columns }, () => draws.normal()));
  return {
    q: matrix(agents),
    w1: matrix(hidden * agents),
    b1: matrix(hidden),
    w2: matrix(hidden),
    v: matrix(1),
    agents,
    hidden,
  };
}

type Part = 'q' | 'w1' | 'b1' | 'w2' | 'v';
const parts = ['q', 'w1', 'b1', 'w2', 'v'] as const;

function reference(given: Given): { totals: number[]; margin: number } {
  const of = given.q.map((q, n) => {
    const flat = given.w1[n] as number[];
    const w1 = (given.b1[n] as number[]).map((_, unit) => flat.slice(unit * given.agents, (unit + 1) * given.agents));
    return referenceQmix(q, {
      w1,
      b1: given.b1[n] as number[],
      w2: given.w2[n] as number[],
      v: (given.v[n] as number[])[0] as number,
    });
  });
  return { totals: of.map(({ total }) => total), margin: Math.min(...of.map(({ margin }) => margin)) };
}

function totalsOf({ agents, hidden, ...of }: Record<Part, tf.Tensor> & { agents: number; hidden: number }): tf.Tensor {
  const states = of.q.shape[0] as number;
  return qmixTotal(of.q, { ...of, w1: tf.reshape(of.w1, [states, hidden, agents]), v: tf.reshape(of.v, [states]) });
}

/** Computes Q_tot [N] and the gradient of Σ_n (n + 1)·Q_tot_n with respect to the input `part`. */
function measured(given: Given, part: Part): { totals: number[]; gradient: Matrix } {
  return tf.tidy(() => {
    const tensors = Object.fromEntries(parts.map((name) => [name, tf.tensor2d(given[name])])) as Record<
      Part,
      tf.Tensor
    >;
    const of = (x: tf.Tensor) => totalsOf({ ...given, ...tensors, [part]: x });
    const weighted = (x: tf.Tensor) => tf.sum(tf.mul(of(x), tf.tensor1d(given.q.map((_, n) => n + 1))));
    return {
      totals: Array.from(of(tensors[part]).dataSync()),
      gradient: tf.grad(weighted)(tensors[part]).arraySync() as Matrix,
    };
  });
}

describe('qmixTotal', () => {
  // |w1|·q + b1 = [1·2 + 0.5·(−1) + 0.5, 2·2 + 1·(−1) − 4] = [2, −1]. After the ELU, these are 2 and e⁻¹ − 1.
  const hand = (): [tf.Tensor, MixingWeights] => [
    tf.tensor1d([2, -1]),
    {
      w1: tf.tensor2d([
        [-1, 0.5],
        [2, -1],
      ]),
      b1: tf.tensor1d([0.5, -4]),
      w2: tf.tensor1d([0.5, -3]),
      v: tf.scalar(0.25),
    },
  ];

  it('mixes by absolute weights and ELU, by hand', () => {
    const got = qmixTotal(...hand());
    expect(got.shape).toEqual([]);
    expect(got.dataSync()[0]).toBeCloseTo(0.5 * 2 + 3 * (Math.exp(-1) - 1) + 0.25, 5);
    expect(got.dataSync()[0]).toBeCloseTo(-0.646362, 5);
  });
  it('and all its gradients agree with float64 and central differences on 200 batches', () => {
    const compared: Record<Part, number> = { q: 0, w1: 0, b1: 0, w2: 0, v: 0 };
    for (let seed = 0; seed < 200; seed++) {
      const given = randomMixing(seed);
      const part = parts[seed % parts.length] as Part;
      const expected = reference(given);
      const { totals, gradient } = measured(given, part);
      const scale = Math.max(1, ...expected.totals.map(Math.abs));
      expect(largestGap([totals], [expected.totals]) / scale, `seed ${seed}`).toBeLessThan(1e-5);
      if (part === 'q') expect(Math.min(...gradient.flat()), `seed ${seed}`).toBeGreaterThanOrEqual(0);
      if (expected.margin < 1e-4) continue;
      compared[part]++;
      const weighted = (x: Matrix) =>
        reference({ ...given, [part]: x }).totals.reduce((sum, total, n) => sum + (n + 1) * total, 0);
      const differences = finiteDifferences(weighted, given[part]);
      const size = Math.max(1, ...differences.flat().map(Math.abs));
      expect(largestGap(gradient, differences) / size, `seed ${seed} ${part}`).toBeLessThan(1e-4);
    }
    for (const part of parts) expect(compared[part], part).toBeGreaterThan(30);
  });
  it('refuses a single agent, and weights made for other agents', () => {
    const [q, weights] = hand();
    expect(() => qmixTotal(tf.tensor1d([1]), { ...weights, w1: tf.tensor2d([[1], [1]]) })).toThrow(
      /one agent needs no/,
    );
    expect(() => qmixTotal(tf.tensor1d([1, 2, 3]), weights)).toThrow(ShapeError);
    expect(() => qmixTotal(q, { ...weights, w2: tf.tensor1d([1]) })).toThrow(/w2 must be \[2\]/);
  });
  it('leaves one tensor behind', () => {
    const given = hand();
    qmixTotal(...given).dispose(); // the first call creates constants that are kept
    const before = tf.memory().numTensors;
    const total = qmixTotal(...given);
    expect(tf.memory().numTensors).toBe(before + 1);
    total.dispose();
  });
});

describe('vdnTotal', () => {
  it('adds up the values of the agents', () => {
    const q = tf.tensor2d([
      [1, 2, 4],
      [0.5, -1, 8],
    ]);
    expect(Array.from(vdnTotal(q).dataSync())).toEqual([7, 7.5]);
  });
});

describe('what a message added', () => {
  /** The weights of a random mixer in one state, and the values of the agents that the mixer combines. */
  const stateOf = (given: Given, n: number): { q: number[]; weights: MixingNumbers } => {
    const [q, w1, b1, w2, v] = [given.q, given.w1, given.b1, given.w2, given.v].map((rows) => rows[n] as number[]) as [
      number[],
      number[],
      number[],
      number[],
      number[],
    ];
    return { q, weights: { w1, b1, w2, v: v[0] as number } };
  };
  const added = (q: number[], baselines: number[], weights: MixingNumbers | null) =>
    totalsWithout(q, baselines, weights).map((without) => totalOf(q, weights) - without);

  it('is its Q less the baseline in a sum, and in a mix what the mix makes of that, by hand', () => {
    expect(largestGap([added([0.9, 0.2, 0], [0.5, 0.6, 0], null)], [[0.4, -0.4, 0]])).toBeLessThan(1e-12);
    // The two hidden units have the inputs x = (0.5·1 + 2·(−1) + 1, 1·1 + 1·(−1)) = (−0.5, 0), so Q_tot = 3·(e^−0.5 −
    // 1) + 0 + 2.
    const weights = { w1: [-0.5, 2, 1, -1], b1: [1, 0], w2: [3, -2], v: 2 };
    expect(totalOf([1, -1], weights)).toBeCloseTo(2 + 3 * (Math.exp(-0.5) - 1), 12);
    // If the first Q is replaced by 3, x is (0.5, 2) and Q_tot is 3·0.5 + 2·2 + 2 = 7.5. If the second Q is replaced by
    // 0, x is (1.5, 1) and Q_tot is 8.5.
    expect(largestGap([totalsWithout([1, -1], [3, 0], weights)], [[7.5, 8.5]])).toBeLessThan(1e-12);
  });

  it('agrees with the tensors and with the mix written out in 200 states, 0 where Q is its baseline', () => {
    for (let seed = 0; seed < 200; seed++) {
      const given = randomMixing(seed);
      const { q, weights } = stateOf(given, 0);
      const draws = new Draws(seed, streams.control, 33);
      const baselines = q.map(() => draws.normal());
      const rows = Array.from({ length: given.hidden }, (_, unit) =>
        Array.from(weights.w1).slice(unit * given.agents, (unit + 1) * given.agents),
      );
      const { b1, w2, v } = weights;
      const written = { w1: rows, b1: Array.from(b1), w2: Array.from(w2), v };
      const expected = q.map(
        (_, i) => referenceQmix(q, written).total - referenceQmix(q.with(i, baselines[i] as number), written).total,
      );
      expect(largestGap([added(q, baselines, weights)], [expected]), `seed ${seed}`).toBeLessThan(1e-9);
      expect(Math.max(...added(q, q, weights).map(Math.abs))).toBe(0);
      const tensors = tf.tidy(
        () =>
          qmixTotal(tf.tensor1d(q), {
            w1: tf.tensor2d(rows),
            b1: tf.tensor1d(written.b1),
            w2: tf.tensor1d(written.w2),
            v: tf.scalar(v),
          }).dataSync()[0] as number,
      );
      expect(Math.abs(tensors - totalOf(q, weights)) / Math.max(1, Math.abs(tensors))).toBeLessThan(1e-5);
    }
  });

  it('is next to a baseline the slope of Q_tot times the distance, and never of the other sign', () => {
    for (let seed = 0; seed < 200; seed++) {
      const given = randomMixing(seed);
      const { q, weights } = stateOf(given, 0);
      const slopes = finiteDifferences((at) => totalOf(at[0] as number[], weights), [q])[0] as number[];
      const near = added(
        q,
        q.map((x) => x - 1e-6),
        weights,
      ).map((x) => x * 1e6);
      // At the kink of a hidden unit, the left and right derivatives differ, so the tolerance allows for this.
      expect(largestGap([near], [slopes]), `seed ${seed}`).toBeLessThan(1e-3 * Math.max(1, ...slopes));
      expect(Math.min(...slopes)).toBeGreaterThanOrEqual(-1e-9);
    }
  });

  it('does not depend on what Q is counted from, which slope times Q does', () => {
    const { q, weights } = stateOf(randomMixing(3), 0);
    const agents = q.length;
    const lifted = {
      ...weights,
      b1: Array.from(
        weights.b1,
        (b, unit) => b - q.reduce((sum, _, i) => sum + Math.abs(weights.w1[unit * agents + i] as number) * 5, 0),
      ),
    };
    const baselines = q.map((x, i) => x - 0.3 * (i + 1));
    const five = (xs: number[]) => xs.map((x) => x + 5);
    expect(largestGap([added(five(q), five(baselines), lifted)], [added(q, baselines, weights)])).toBeLessThan(1e-9);
    const timesSlope = (at: number[], of: MixingNumbers) =>
      (finiteDifferences((x) => totalOf(x[0] as number[], of), [at])[0] as number[]).map(
        (slope, i) => slope * (at[i] as number),
      );
    expect(largestGap([timesSlope(five(q), lifted)], [timesSlope(q, weights)])).toBeGreaterThan(0.1);
  });
});

describe('training the mixer', () => {
  it('aims at the reward and the discounted total of the next round; the last is an ending', () => {
    const got = mixingTargets([0, 0.5, 1], [9, 2, 4], { gammaTurn: 0.95 });
    expect(largestGap([Array.from(got)], [[1.9, 4.3, 1]])).toBeLessThan(1e-12);
    expect(() => mixingTargets([1], [1, 2], { gammaTurn: 1 })).toThrow(ShapeError);
  });
  it('aims where the formula written out does in 200 dialogues of odd length', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 43);
      const rewards = Array.from({ length: draws.below(12) }, () => draws.normal());
      const [totals, gammaTurn] = [rewards.map(() => 3 * draws.normal()), draws.next()];
      const got = Array.from(mixingTargets(rewards, totals, { gammaTurn }));
      expect(largestGap([got], [referenceMixingTargets(rewards, totals, gammaTurn)]), `seed ${seed}`).toBeLessThan(
        1e-9,
      );
    }
  });
  it('loses half the squared errors, weighed', () => {
    const [totals, targets, weights] = [tf.tensor1d([1, 3]), tf.tensor1d([0, 1]), tf.tensor1d([0.5, 0.5])];
    expect(mixingLoss(totals, targets, weights).dataSync()[0]).toBeCloseTo((1 + 4) / 4, 6);
    const gradient = tf.grad((x) => mixingLoss(x, targets, weights))(totals);
    expect(largestGap([Array.from(gradient.dataSync())], [[0.5, 1]])).toBeLessThan(1e-6);
  });
  it('lets the target copy follow by tau, in place', () => {
    const target = tf.variable(tf.tensor1d([0, 10]));
    const before = tf.memory().numTensors;
    softUpdate([target], [tf.tensor1d([1, 0])], 0.005);
    expect(largestGap([Array.from(target.dataSync())], [[0.005, 9.95]])).toBeLessThan(1e-6);
    expect(tf.memory().numTensors).toBe(before + 1); // the tensor that this test created
    expect(() => softUpdate([target], [], 0.005)).toThrow(ShapeError);
  });
});
