import { describe, expect, it } from 'vitest';
import { pairedShares, shareDifference, tInterval, welch } from './intervals.ts';
import { wilson } from './stats.ts';

describe('a few seeds', () => {
  it('the t-interval of 1, 2, 3 is 2 ± 4.303/√3', () => {
    const { mean, low, high } = tInterval([1, 2, 3]);
    expect(mean).toBe(2);
    expect([low, high].map((x) => Number(x.toFixed(3)))).toEqual([-0.484, 4.484]);
  });

  it('one seed says nothing of others', () => {
    expect(tInterval([0.9])).toEqual({ mean: 0.9, low: -Infinity, high: Infinity });
    expect(welch([0.9], [0.1, 0.2])).toMatchObject({ low: -Infinity, high: Infinity });
  });

  it('Welch of equal variances and counts has the t of both together', () => {
    const { mean, low, high } = welch([2, 3, 4], [1, 2, 3]);
    expect(mean).toBe(1);
    expect(high - mean).toBeCloseTo(2.776 * Math.sqrt(2 / 3), 9); // 4 degrees of freedom
    expect(mean - low).toBeCloseTo(high - mean, 12);
    expect(welch([1, 1], [0, 0])).toEqual({ mean: 1, low: 1, high: 1 });
  });
});

describe('two shares', () => {
  it('apart: Newcombe’s example of 56 of 70 against 48 of 80', () => {
    const share = (right: number, of: number) => ({ share: right / of, ...wilson(right, of) });
    const { mean, low, high } = shareDifference(share(56, 70), share(48, 80));
    expect([mean, low, high].map((x) => Number(x.toFixed(4)))).toEqual([0.2, 0.0524, 0.3339]);
  });

  it('paired: where both fail on the same problems the interval is narrower, and says what it saves', () => {
    const second = Array.from({ length: 100 }, (_, i) => i < 50);
    const first = second.map((isRight, i) => isRight || i >= 96);
    const paired = pairedShares(first, second);
    expect(paired.mean).toBeCloseTo(0.04, 12);
    const variance = 0.04 * 0.96; // of the differences, each 0 or 1
    expect(paired.high - paired.mean).toBeCloseTo(1.959964 * Math.sqrt(variance / 99), 6);
    const apart = 0.54 * 0.46 + 0.5 * 0.5;
    expect(paired.problemsUnpaired).toBe(Math.ceil((100 * apart) / variance));
    expect(paired.unpaired.low).toBeLessThan(paired.low);
  });

  it('answers without any difference are equal for certain on these problems', () => {
    const same = pairedShares([true, false], [true, false]);
    expect(same).toMatchObject({ mean: 0, low: 0, high: 0, problemsUnpaired: Infinity });
    expect(() => pairedShares([true], [])).toThrow(RangeError);
  });
});
