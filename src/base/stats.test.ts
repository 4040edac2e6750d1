import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spearman } from './stats.ts';

describe('Spearman’s ρ', () => {
  it('compares ranks; equal numbers have the mean of their ranks', () => {
    expect(spearman([1, 2, 3, 4], [10, 20, 30, 1000])).toBe(1);
    expect(spearman([1, 2, 3, 4], [4, 3, 2, 1])).toBe(-1);
    // The ranks 1.5 1.5 3 4 and 1 2 3 4 have the correlation 4.5 / √(4.5 · 5).
    expect(spearman([0, 0, 1, 2], [1, 2, 3, 4])).toBeCloseTo(4.5 / Math.sqrt(22.5), 12);
    expect(spearman([1, 1, 1], [1, 2, 3])).toBeNaN();
    expect(spearman([], [])).toBeNaN();
  });

  it('without ties is 1 − 6·Σd²/(n³ − n)', () => {
    const shuffled = fc.shuffledSubarray([0, 1, 2, 3, 4, 5, 6], { minLength: 7 });
    fc.assert(
      fc.property(shuffled, shuffled, (xs, ys) => {
        const squares = xs.reduce((sum, x, i) => sum + (x - (ys[i] as number)) ** 2, 0);
        expect(spearman(xs, ys)).toBeCloseTo(1 - (6 * squares) / (7 ** 3 - 7), 12);
      }),
    );
  });
});
