import { describe, expect, it } from 'vitest';
import { ConfigError, ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { minePairs } from './dpoLoss.ts';

const group = (rewards: number[], options: { minGap?: number; perGroup?: number } = {}) =>
  minePairs(rewards, rewards.map(() => 'g'), { minGap: 1e-6, ...options }); // prettier-ignore

describe('minePairs', () => {
  it('pairs the best with the worst, then inwards', () => {
    expect(group([0.5, 0, 1, 0.75])).toEqual([
      { winner: 2, loser: 1, gap: 1 },
      { winner: 3, loser: 0, gap: 0.25 },
    ]);
    expect(group([0.5, 0, 1, 0.75], { perGroup: 1 })).toHaveLength(1);
    expect(group([0.5, 0, 1, 0.75], { minGap: 0.3 })).toHaveLength(1);
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
