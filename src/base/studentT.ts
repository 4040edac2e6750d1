// Tests on the mean of a few values with Student's t: whether the mean differs from 0, and whether it is smaller than
// the smallest size that matters.
import { mean, std } from './stats.ts';

/**
 * The probability that |t| is at least this large if the true mean is 0, for a whole number of degrees of freedom. The
 * sums are finite and exact (Abramowitz and Stegun 1964, 26.7.3 and 26.7.4).
 */
export function twoSided(t: number, freedom: number): number {
  if (!Number.isInteger(freedom) || freedom < 1)
    throw new RangeError(`expected a whole number of degrees of freedom from 1, got ${freedom}`);
  const angle = Math.atan(Math.abs(t) / Math.sqrt(freedom));
  const [sine, squared] = [Math.sin(angle), Math.cos(angle) ** 2];
  const isOdd = freedom % 2 === 1;
  let term = isOdd ? Math.cos(angle) : 1;
  let sum = 0;
  for (let k = isOdd ? 2 : 1; k < freedom; k += 2) {
    sum += term;
    term *= (k / (k + 1)) * squared;
  }
  const within = isOdd ? (2 / Math.PI) * (angle + sine * sum) : sine * sum;
  return Math.min(1, Math.max(0, 1 - within));
}

export interface MeanTests {
  /** Two-sided p of the hypothesis that the true mean is 0. */
  p: number;
  /**
   * p of the hypothesis that the true mean is at least `least` away from 0: the larger one of the two one-sided tests
   * (Schuirmann 1987). If this p is small, the mean is smaller than what matters.
   */
  pSmaller: number;
}

/**
 * Tests the mean of one value per seed, if the values are normally distributed. With fewer than two values, or if all
 * values are equal, nothing is known about their spread, and both p are 1.
 */
export function meanTests(xs: readonly number[], least: number): MeanTests {
  const freedom = xs.length - 1;
  const centre = mean(xs);
  const error = std(xs) / Math.sqrt(xs.length);
  if (error === 0) return { p: 1, pSmaller: 1 };
  const isSmaller = Math.abs(centre) < least;
  const half = twoSided((least - Math.abs(centre)) / error, freedom) / 2;
  return { p: twoSided(centre / error, freedom), pSmaller: isSmaller ? half : 1 - half };
}

/**
 * Corrects p-values for the number of hypotheses that are tested together (Holm 1979). The corrected values have the
 * order of the given ones. If each hypothesis with a corrected p below 5 % is rejected, the probability of rejecting any
 * true hypothesis is at most 5 %, whether the tests are independent or not.
 */
export function holm(ps: readonly number[]): number[] {
  const corrected = new Array<number>(ps.length);
  let largest = 0;
  ps.map((p, i) => ({ p, i }))
    .toSorted((a, b) => a.p - b.p)
    .forEach(({ p, i }, rank) => {
      largest = Math.max(largest, Math.min(1, (ps.length - rank) * p));
      corrected[i] = largest;
    });
  return corrected;
}
