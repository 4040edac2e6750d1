import { describe, expect, it } from 'vitest';
import { pairedShares, shareDifference, shareError, tInterval, tQuantile, welch } from './intervals.ts';
import { Draws, streams } from './random.ts';
import { mean, wilson } from './stats.ts';

/** Probability that Student's t lies between −t and t, computed from the density by Simpson's rule. */
function within(t: number, freedom: number): number {
  const steps = 2000;
  const at = (i: number) => (1 + ((t * i) / steps) ** 2 / freedom) ** (-(freedom + 1) / 2);
  // The factor Γ((ν + 1) / 2) / Γ(ν / 2) / √π of the density, computed step by step from 1/π for one degree of freedom
  // or 1/2 for two.
  let scale = freedom % 2 === 1 ? 1 / Math.PI : 1 / 2;
  for (let n = freedom % 2 === 1 ? 1 : 2; n < freedom; n += 2) scale *= (n + 1) / n;
  const inner = Array.from({ length: steps - 1 }, (_, i) => at(i + 1) * (i % 2 === 0 ? 4 : 2));
  return ((2 * scale) / Math.sqrt(freedom)) * (t / steps / 3) * inner.reduce((sum, x) => sum + x, at(0) + at(steps));
}

describe('quantiles of Student’s t', () => {
  it('are those of the published tables', () => {
    const known = {
      1: 12.706,
      2: 4.303,
      4: 2.776,
      9: 2.262,
      30: 2.042,
      31: 2.04,
      40: 2.021,
      60: 2,
      120: 1.98,
      1000: 1.962,
    };
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

  it('one seed gives no interval', () => {
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

  it('paired: if both fail on the same problems, the interval is narrower, and the gain is reported', () => {
    const second = Array.from({ length: 100 }, (_, i) => i < 50);
    const first = second.map((isRight, i) => isRight || i >= 96);
    const paired = pairedShares(first, second);
    expect(paired.mean).toBeCloseTo(0.04, 12);
    expect(paired.unpaired.low).toBeLessThan(paired.low);
    const [narrow, wide] = [paired.high - paired.low, paired.unpaired.high - paired.unpaired.low];
    expect(paired.problemsUnpaired).toBe(Math.ceil(100 * (wide / narrow) ** 2));
    expect(paired.problemsUnpaired).toBeGreaterThan(800);
  });

  it('paired: eight right against eight wrong are 1, and 0.348 at least', () => {
    // Eight differences of 1 and the two added ones, 1 and −1, have mean 0.8 and variance 3.6/9. The quantile t(9) is
    // 2.262.
    const { mean: centre, low, high } = pairedShares(Array<boolean>(8).fill(true), Array<boolean>(8).fill(false));
    expect([centre, high]).toEqual([1, 1]);
    expect(low).toBeCloseTo(0.8 - 2.262 * Math.sqrt(0.4 / 10), 12);
  });

  it('paired: the interval of the answers is that of the counts of their table', () => {
    for (const [n, ours, theirs] of [
      [40, 9, 3],
      [12, 0, 5],
      [64, 8, 0],
    ] as const) {
      // According to Bonett and Price, p₁₂ = (b + 1) / (n + 2) and p₂₁ = (c + 1) / (n + 2). Here, t and the unbiased
      // variance are used.
      const [p12, p21] = [(ours + 1) / (n + 2), (theirs + 1) / (n + 2)];
      const half = tQuantile(n + 1) * Math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 1));
      const first = Array.from({ length: n }, (_, i) => i < ours);
      const second = Array.from({ length: n }, (_, i) => i >= ours && i < ours + theirs);
      const paired = pairedShares(first, second);
      expect(paired.low).toBeCloseTo(p12 - p21 - half, 12);
      expect(paired.high).toBeCloseTo(p12 - p21 + half, 12);
    }
  });

  it('a few answers without any difference give a wide interval', () => {
    const same = pairedShares([true, false], [true, false]);
    expect(same).toMatchObject({ mean: 0, low: -1, high: 1, problemsUnpaired: Infinity });
    expect(() => pairedShares([true], [])).toThrow(RangeError);
  });
});

describe('shares of a few problems', () => {
  it('three problems of which none is ever right are 0 ± 0.737', () => {
    // The values 0, 0, 0, 0, 0, 1, 1 have mean 2/7 and variance (2 − 4/7) / 6, and t(6) is 2.447.
    expect(shareError([0, 0, 0])).toBeCloseTo(2 / 7 + 2.447 * Math.sqrt((2 - 4 / 7) / 6 / 7), 12);
    expect(shareError([0, 0, 0])).toBeCloseTo(0.737, 3);
    expect(shareError([1, 1, 1])).toBeCloseTo(shareError([0, 0, 0]), 12);
  });

  it('for many problems the error is that of their mean', () => {
    const shares = Array.from({ length: 40000 }, (_, i) => (i % 4) / 4);
    const normal = (1.959964 * Math.sqrt(5 / 64)) / 200; // the variance of 0, 1/4, 1/2, 3/4 is 5/64
    expect(shareError(shares) / normal).toBeCloseTo(1, 2);
  });

  it('no interval of fewer than a hundred problems has width 0', () => {
    for (let n = 1; n < 100; n++) {
      for (const share of [0, 0.5, 1]) expect(shareError(Array<number>(n).fill(share))).toBeGreaterThan(0.01);
      for (const [ours, theirs] of [
        [true, true],
        [true, false],
        [false, false],
      ] as const) {
        const { low, high, unpaired } = pairedShares(Array<boolean>(n).fill(ours), Array<boolean>(n).fill(theirs));
        expect(high - low).toBeGreaterThan(0.01);
        expect(unpaired.high - unpaired.low).toBeGreaterThan(0.01);
      }
    }
  });

  const tries = 2000;
  const draws = new Draws(1, streams.control, 0);

  it.each([1, 3, 8, 16])('the interval of a mean of %i shares holds the truth in 95 of 100 cases', (n) => {
    for (const truth of [0.01, 0.05, 0.2, 0.5, 0.75, 0.95])
      for (const answers of [1, 4, 16]) {
        // Two extreme cases: all problems are equally hard, or each problem is always answered correctly or never.
        const even = () => mean(Array.from({ length: answers }, () => Number(draws.next() < truth)));
        const split = () => Number(draws.next() < truth);
        for (const share of [even, split]) {
          let held = 0;
          for (let i = 0; i < tries; i++) {
            const shares = Array.from({ length: n }, share);
            if (Math.abs(mean(shares) - truth) <= shareError(shares)) held++;
          }
          expect(held / tries).toBeGreaterThan(0.94);
        }
      }
  });

  it.each([1, 3, 8, 16])('the interval of a difference on %i problems holds the truth in 95 of 100 cases', (n) => {
    for (const [ours, theirs] of [
      [0, 0],
      [0.1, 0],
      [0.3, 0],
      [0.7, 0],
      [1, 0],
      [0.1, 0.1],
      [0.4, 0.1],
      [0.5, 0.5],
    ] as const) {
      let held = 0;
      for (let i = 0; i < tries; i++) {
        const places = Array.from({ length: n }, () => draws.next());
        const first = places.map((place) => place < ours);
        const second = places.map((place) => place >= ours && place < ours + theirs);
        const { low, high } = pairedShares(first, second);
        if (low <= ours - theirs && ours - theirs <= high) held++;
      }
      expect(held / tries).toBeGreaterThan(0.94);
    }
  });
});
