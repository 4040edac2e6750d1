import { describe, expect, it } from 'vitest';
import { pairedShares, shareDifference, tInterval, tQuantile, welch } from './intervals.ts';
import { wilson } from './stats.ts';

/** Of the density of Student's t, by Simpson's rule: the share within ± t. */
function within(t: number, freedom: number): number {
  const steps = 2000;
  const at = (i: number) => (1 + ((t * i) / steps) ** 2 / freedom) ** (-(freedom + 1) / 2);
  // Γ((ν + 1) / 2) / Γ(ν / 2) / √π by its recurrence, from 1/π of one degree of freedom or 1/2 of two.
  let scale = freedom % 2 === 1 ? 1 / Math.PI : 1 / 2;
  for (let n = freedom % 2 === 1 ? 1 : 2; n < freedom; n += 2) scale *= (n + 1) / n;
  const inner = Array.from({ length: steps - 1 }, (_, i) => at(i + 1) * (i % 2 === 0 ? 4 : 2));
  return ((2 * scale) / Math.sqrt(freedom)) * (t / steps / 3) * inner.reduce((sum, x) => sum + x, at(0) + at(steps));
}

describe('quantiles of Student’s t', () => {
  it('are those of the published tables', () => {
    const known = { 1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 30: 2.042, 31: 2.04, 40: 2.021, 60: 2, 120: 1.98, 1000: 1.962 }; // prettier-ignore
    for (const [freedom, t] of Object.entries(known)) expect(tQuantile(Number(freedom))).toBeCloseTo(t, 3);
    expect(tQuantile(0.5)).toBe(Infinity);
  });

  it('hold 95 % of the density between them', () => {
    for (const freedom of [2, 4, 9, 30]) expect(within(tQuantile(freedom), freedom)).toBeCloseTo(0.95, 4);
    for (const freedom of [31, 32, 40, 61, 120, 1000]) expect(within(tQuantile(freedom), freedom)).toBeCloseTo(0.95, 6);
  });

  it('fall as the degrees of freedom rise, so that between two rows the wider is taken', () => {
    const each = Array.from({ length: 400 }, (_, i) => tQuantile(1 + i / 4));
    expect(each).toEqual(each.toSorted((a, b) => b - a));
    expect(tQuantile(30.99)).toBe(tQuantile(30));
    expect(tQuantile(1e9)).toBeCloseTo(1.959964, 6);
  });
});

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
