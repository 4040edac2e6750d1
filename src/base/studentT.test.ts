import { describe, expect, it } from 'vitest';
import { tQuantile } from './intervals.ts';
import { Draws, streams } from './random.ts';
import { holm, meanTests, twoSided } from './studentT.ts';

describe('the two-sided probability of Student’s t', () => {
  it('is 5 % at the quantiles of the table and at those of the expansion', () => {
    for (let freedom = 1; freedom <= 60; freedom++)
      expect(Math.abs(twoSided(tQuantile(freedom), freedom) - 0.05), String(freedom)).toBeLessThan(6e-5);
  });

  it('has the closed forms of one and two degrees of freedom', () => {
    for (const t of [0, 0.3, 1, 4, 250]) {
      expect(twoSided(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12);
      expect(twoSided(-t, 2)).toBeCloseTo(1 - t / Math.sqrt(t * t + 2), 12);
    }
  });

  it('agrees with the integral of the density', () => {
    for (const freedom of [3, 4, 9, 10]) {
      const density = (x: number) => (1 + (x * x) / freedom) ** (-(freedom + 1) / 2);
      const integral = (to: number) => {
        const n = 20_000;
        return Array.from({ length: n }, (_, i) => density(((i + 0.5) * to) / n)).reduce((a, b) => a + b, 0) * (to / n);
      };
      const whole = integral(2000);
      for (const t of [0.5, 1.7, 3]) expect(twoSided(t, freedom)).toBeCloseTo(1 - integral(t) / whole, 3);
    }
  });

  it('refuses fractions of degrees of freedom', () => expect(() => twoSided(1, 2.5)).toThrow(RangeError));
});

describe('the tests of a mean', () => {
  it('agree with numbers worked out by hand', () => {
    // Mean 0.3, standard deviation 0.1, standard error 0.1 / √4 = 0.05, so t = 6 with three degrees of freedom.
    const xs = [0.3 - Math.sqrt(0.015), 0.3, 0.3, 0.3 + Math.sqrt(0.015)];
    expect(meanTests(xs, 0.35).p).toBeCloseTo(twoSided(6, 3), 12);
    // The mean is one standard error below 0.35, and one above 0.25.
    expect(meanTests(xs, 0.35).pSmaller).toBeCloseTo(twoSided(1, 3) / 2, 12);
    expect(meanTests(xs, 0.25).pSmaller).toBeCloseTo(1 - twoSided(1, 3) / 2, 12);
  });

  it('are rejected as often as they state if the hypothesis is true', () => {
    const draws = new Draws(5, streams.control, 3);
    const normal = () => Math.sqrt(-2 * Math.log(1 - draws.next())) * Math.cos(2 * Math.PI * draws.next());
    const share = (centre: number, of: (xs: number[]) => number) =>
      Array.from({ length: 4000 }, () => of(Array.from({ length: 5 }, () => centre + normal()))).filter((p) => p < 0.05)
        .length / 4000;
    expect(Math.abs(share(0, (xs) => meanTests(xs, 1).p) - 0.05)).toBeLessThan(0.015);
    expect(Math.abs(share(4, (xs) => meanTests(xs, 4).pSmaller) - 0.05)).toBeLessThan(0.015);
  });

  it('judge nothing by one value or by equal values, whose spread is unknown', () => {
    for (const xs of [[0.5], [0, 0, 0], [0.5, 0.5]]) expect(meanTests(xs, 0.02)).toEqual({ p: 1, pSmaller: 1 });
  });
});

describe('Holm’s correction', () => {
  it('agrees with numbers worked out by hand, in the order of the claims', () => {
    const corrected = holm([0.02, 0.5, 0.001, 0.03]);
    [0.06, 0.5, 0.004, 0.06].forEach((p, i) => expect(corrected[i]).toBeCloseTo(p, 12));
    expect(holm([])).toEqual([]);
  });

  it('never corrects downwards, and a smaller p never gets a larger corrected one', () => {
    const draws = new Draws(5, streams.control, 4);
    for (let n = 0; n < 200; n++) {
      const ps = Array.from({ length: 1 + draws.below(8) }, () => draws.next() ** 3);
      const corrected = holm(ps);
      ps.forEach((p, i) => {
        expect(corrected[i]).toBeGreaterThanOrEqual(p);
        ps.forEach((other, j) => p < other && expect(corrected[i]).toBeLessThanOrEqual(corrected[j] as number));
      });
    }
  });
});
