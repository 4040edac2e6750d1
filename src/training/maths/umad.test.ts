import { describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { largestGap } from '../reference/batches.ts';
import { referenceConfidence, referenceInfluenceGain } from '../reference/credit.ts';
import { confidenceGain, influenceSigns } from './credit.ts';

describe('confidenceGain', () => {
  it('raises the advantage of the surer member of a group, by hand', () => {
    // NLL 1, 2, 3: normalised −1, 0, 1 (std 1).
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
    // From turn 0: gains +1, 0, −1; means of the others −0.5, 0, +0.5. From turn 1: 0, +0.5, +1.
    const expected = [
      [-1, 0, 1],
      [1, 1, 1],
      [0, 0, 0],
    ];
    expect(largestGap(influenceSigns(rewards), expected)).toBe(0);
  });
  it('take rounding for no gain', () => {
    expect(influenceSigns([[0, 0], [1e-12, 1e-12]])).toEqual([[0, 0], [0, 0]]); // prettier-ignore
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
