import { describe, expect, it } from 'vitest';
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { influenceAwareReward, influenceBonus, type InfluenceOptions } from './credit.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceInfluenceAware, referenceInfluenceBonus } from '../reference/credit.ts';

// Two agents, three turns.
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
      [0.473 / 1.39, 0.873 / 1.39], // 0.2 + 0.3·0.7 + 0.09·0.7 over 1 + 0.3 + 0.09
      [0.71 / 1.3, 1.11 / 1.3],
      [1, 0.4],
    ];
    expect(largestGap(influenceAwareReward(scores, paper), expected)).toBeLessThan(1e-12);
    expect(influenceAwareReward(scores, paper)[0]?.[0]).toBeCloseTo(0.340288, 6);
  });
  it('with own scores follows one agent alone', () => {
    const got = influenceAwareReward(scores, { ...paper, share: 'own' });
    expect(got[0]?.[0]).toBeCloseTo(0.316547, 6); // (0.2 + 0.15 + 0.09)/1.39
    expect(got[1]?.[1]).toBeCloseTo((0.9 + 0.12) / 1.3, 9);
  });
  it('of the last or the current turn is a score or a mean of scores', () => {
    const of = (horizon: 'last' | 'current', share: 'own' | 'all') =>
      influenceAwareReward(scores, { gamma: 0.3, horizon, share });
    expect(of('last', 'own')[0]).toEqual([1, 0.4]);
    expect(of('last', 'all')[1]).toEqual([0.7, 0.7]);
    expect(of('current', 'own')).toEqual(scores);
    expect(of('current', 'all')[0]).toEqual([0.4, 0.4]);
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
    expect(only.change([[n, y, y], [y, y, y]])[1]).toEqual([10, 0, 0]); // prettier-ignore
    expect(only.change([[n, n, y], [y, n, y]])[1]).toEqual([1, 0, 0]); // prettier-ignore
  });
  it('takes as much from an answer that becomes wrong, under the opposite majority', () => {
    expect(only.change([[y, n, n], [n, n, n]])[1]).toEqual([-10, 0, 0]); // prettier-ignore
    expect(only.change([[y, y, y], [n, y, y]])[1]).toEqual([-1, 0, 0]); // prettier-ignore
  });
  it('pays at turn 0 already who brings the others to the right answer, and charges who leads them away', () => {
    expect(only.sway([[y, n], [y, y]])[0]).toEqual([1000, 0]); // prettier-ignore
    expect(
      only.sway([
        [n, n, n],
        [n, y, y],
      ])[0]?.[0],
    ).toBe(100);
    expect(
      only.sway([
        [n, y, y],
        [n, n, n],
      ])[0]?.[0],
    ).toBe(-1000);
    expect(
      only.sway([
        [y, y, y],
        [y, n, n],
      ])[0]?.[0],
    ).toBe(-100);
  });
  it('pays nobody where nobody changes, and an agent without others never', () => {
    expect(influenceBonus([[y, n], [y, n], [y, n]], { change, sway }).flat()).toEqual([0, 0, 0, 0, 0, 0]); // prettier-ignore
    expect(influenceBonus([[n], [y], [n]], { change, sway }).flat()).toEqual([0, 0, 0]);
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
