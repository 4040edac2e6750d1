import { expect, it, describe } from 'vitest';
import { ShapeError, ConfigError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { referenceShaping } from '../reference/advantages.ts';
import { largestGap } from '../reference/batches.ts';
import {
  potentialShaping,
  influenceAwareReward,
  influenceBonus,
  type InfluenceOptions,
  confidenceGain,
  influenceSigns,
} from './credit.ts';
import {
  referenceInfluenceAware,
  referenceInfluenceBonus,
  referenceConfidence,
  referenceInfluenceGain,
} from '../reference/credit.ts';

it('a shaped turn is its reward plus the discounted gain of potential, the ending counting 0', () => {
  const got = potentialShaping([0, 0, 1], [0.2, 0.6, 0.4], { gammaTurn: 0.5 });
  [0.5 * 0.6 - 0.2, 0.5 * 0.4 - 0.6, 1 - 0.4].forEach((x, t) => expect(got[t]).toBeCloseTo(x, 12));
});

it('every turn is that of the formula written out in 200 dialogues, ended or interrupted', () => {
  for (let seed = 0; seed < 200; seed++) {
    const draws = new Draws(seed, streams.control, 44);
    const rewards = Array.from({ length: draws.below(10) }, () => draws.normal());
    const potentials = rewards.map(() => draws.normal());
    const [gammaTurn, afterLast] = [draws.next(), seed % 2 ? draws.normal() : 0];
    const got = potentialShaping(rewards, potentials, { gammaTurn, ...(afterLast !== 0 && { afterLast }) });
    const expected = referenceShaping(rewards, potentials, { gammaTurn, afterLast });
    expect(largestGap([Array.from(got)], [expected]), `seed ${seed}`).toBeLessThan(1e-9);
  }
});

it('a potential for the ending is refused', () => {
  expect(() => potentialShaping([1], [0.5, 0.7], { gammaTurn: 1 })).toThrow(ShapeError);
});

// The scores of two agents in three turns.
const scores = [
  [0.2, 0.6],
  [0.5, 0.9],
  [1, 0.4],
];
const paper: InfluenceOptions = { gamma: 0.3, horizon: 'discounted', share: 'all' };
const horizons = ['last', 'current', 'discounted'] as const;
const shares = ['own', 'all'] as const;

function table<T>(seed: number, of: (draws: Draws) => T): T[][] {
  const draws = new Draws(seed, streams.control, 20);
  const [turns, agents] = [1 + draws.below(7), 1 + draws.below(6)];
  return Array.from({ length: turns }, () => Array.from({ length: agents }, () => of(draws)));
}

describe('influenceAwareReward', () => {
  it('is the own score and the discounted mean of all later ones, by hand', () => {
    const expected = [
      [0.473 / 1.39, 0.873 / 1.39], // (0.2 + 0.3·0.7 + 0.09·0.7) divided by (1 + 0.3 + 0.09)
      [0.71 / 1.3, 1.11 / 1.3],
      [1, 0.4],
    ];
    expect(largestGap(influenceAwareReward(scores, paper), expected)).toBeLessThan(1e-12);
    expect(influenceAwareReward(scores, paper)[0]?.[0]).toBeCloseTo(0.340288, 6);
  });
  it('agrees with the sums written out on 200 tables of odd shapes, and stays between the extreme scores', () => {
    for (let seed = 0; seed < 200; seed++) {
      const given = table(seed, (draws) => draws.normal());
      const gamma = [0, 0.3, 0.9, 1][seed % 4] as number;
      const flat = given.flat();
      for (const horizon of horizons)
        for (const share of shares) {
          const got = influenceAwareReward(given, { gamma, horizon, share });
          const expected = referenceInfluenceAware(given, gamma, `${horizon}-${share}`);
          expect(largestGap(got, expected), `seed ${seed} ${horizon} ${share}`).toBeLessThan(1e-9);
          expect(Math.max(...got.flat())).toBeLessThanOrEqual(Math.max(...flat) + 1e-9);
          expect(Math.min(...got.flat())).toBeGreaterThanOrEqual(Math.min(...flat) - 1e-9);
        }
    }
  });
  it('refuses ragged turns and a discount above 1, and takes a dialogue without turns', () => {
    expect(() => influenceAwareReward([[1, 2], [3]], paper)).toThrow(ShapeError);
    expect(() => influenceAwareReward(scores, { ...paper, gamma: 1.5 })).toThrow(ConfigError);
    expect(influenceAwareReward([], paper)).toEqual([]);
  });
});

describe('influenceBonus', () => {
  const change = { wrong: 1, right: 10 };
  const sway = { wrong: 100, right: 1000 };
  const only = {
    change: (isRight: boolean[][]) => influenceBonus(isRight, { change, sway: { wrong: 0, right: 0 } }),
    sway: (isRight: boolean[][]) => influenceBonus(isRight, { change: { wrong: 0, right: 0 }, sway }),
  };
  const [y, n] = [true, false];

  it('for an answer that becomes right tells following the majority from standing against it', () => {
    expect(
      only.change([
        [n, y, y],
        [y, y, y],
      ])[1],
    ).toEqual([10, 0, 0]);
    expect(
      only.change([
        [n, n, y],
        [y, n, y],
      ])[1],
    ).toEqual([1, 0, 0]);
  });
  it('agrees with the rules written out on 200 tables of odd shapes', () => {
    let paid = 0;
    for (let seed = 0; seed < 200; seed++) {
      const isRight = table(seed, (draws) => draws.below(2) === 1);
      const draws = new Draws(seed, streams.control, 21);
      const [a0, a1, b0, b1] = Array.from({ length: 4 }, () => draws.next()) as [number, number, number, number];
      const got = influenceBonus(isRight, { change: { wrong: a0, right: a1 }, sway: { wrong: b0, right: b1 } });
      expect(largestGap(got, referenceInfluenceBonus(isRight, [a0, a1], [b0, b1])), `seed ${seed}`).toBeLessThan(1e-9);
      paid += got.flat().filter((bonus) => bonus !== 0).length;
    }
    expect(paid).toBeGreaterThan(500);
  });
  it('refuses a negative bonus by its name', () => {
    expect(() => influenceBonus([[y, n]], { change: { wrong: -1, right: 0 }, sway })).toThrow(/change\.wrong/);
    expect(() => influenceBonus([[y, n], [y]], { change, sway })).toThrow(ShapeError);
  });
});

describe('confidenceGain', () => {
  it('raises the advantage of the surer member of a group, by hand', () => {
    // The NLLs 1, 2 and 3 become −1, 0 and 1 after normalisation (std 1).
    const got = confidenceGain([1, 1, -2], [1, 2, 3], ['g', 'g', 'g']);
    expect(got[0]).toBeCloseTo(Math.exp(0.25), 5);
    expect(got[0]).toBeCloseTo(1.284025, 5);
    expect(got[1]).toBe(1);
    expect(got[2]).toBeCloseTo(-2 * 0.778801, 5);
  });
  it('never changes the sign of an advantage, and a lone member or equal ones not at all', () => {
    expect(Array.from(confidenceGain([3, -2, 5], [9, 4, 4], ['a', 'b', 'b']))).toEqual([3, -2, 5]);
    const signs = confidenceGain([1, -1, 0], [0, 8, 1], ['g', 'g', 'g'], { alpha: 2 });
    expect(Array.from(signs, Math.sign)).toEqual([1, -1, 0]);
  });
  it('agrees with the formula written out on 200 batches of odd shapes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 25);
      const keys = Array.from({ length: 1 + draws.below(19) }, () => `g${draws.below(4)}`);
      const advantages = keys.map(() => draws.normal());
      const nlls = keys.map(() => 3 * draws.next());
      const alpha = draws.next();
      const got = Array.from(confidenceGain(advantages, nlls, keys, { alpha }));
      expect(largestGap([got], [referenceConfidence(advantages, nlls, keys, alpha)]), `seed ${seed}`).toBeLessThan(
        1e-9,
      );
    }
  });
  it('refuses lists of two lengths', () => {
    expect(() => confidenceGain([1, 2], [1], ['g', 'g'])).toThrow(ShapeError);
  });
});

describe('influenceSigns', () => {
  it('say whether the others do better at the next turn, by hand', () => {
    const rewards = [
      [0, 0.5, 1],
      [1, 0.5, 0],
      [1, 1, 1],
    ];
    // From turn 0 to turn 1, the agents gain +1, 0 and −1, so the mean gains of the others are −0.5, 0 and +0.5. From
    // turn 1 to turn 2, the mean gains of the others are 0, +0.5 and +1.
    const expected = [
      [-1, 0, 1],
      [1, 1, 1],
      [0, 0, 0],
    ];
    expect(largestGap(influenceSigns(rewards), expected)).toBe(0);
  });
  it('take rounding for no gain', () => {
    expect(
      influenceSigns([
        [0, 0],
        [1e-12, 1e-12],
      ]),
    ).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });
  it('agree with the bonus written out on 200 tables of odd shapes', () => {
    for (let seed = 0; seed < 200; seed++) {
      const draws = new Draws(seed, streams.control, 26);
      const [turns, agents] = [1 + draws.below(6), 1 + draws.below(5)];
      const rewards = Array.from({ length: turns }, () => Array.from({ length: agents }, () => draws.below(3) / 2));
      const signs = influenceSigns(rewards);
      const paid = rewards.map((row, t) => row.map((reward, agent) => reward + 0.2 * (signs[t]?.[agent] as number)));
      expect(largestGap(paid, referenceInfluenceGain(rewards, 0.2)), `seed ${seed}`).toBeLessThan(1e-9);
    }
  });
  it('are 0 for an agent without others, and refuse ragged turns', () => {
    expect(influenceSigns([[0], [1]])).toEqual([[0], [0]]);
    expect(() => influenceSigns([[0, 1], [1]])).toThrow(ShapeError);
  });
});
