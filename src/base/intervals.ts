// Computes 95 % intervals of measurements and of differences between them, over a few seeds or over many problems.
import { mean, std, wilson, type Interval } from './stats.ts';

/** A mean with its 95 % interval. */
export interface Estimate extends Interval {
  mean: number;
}

const z = 1.959963984540054;

// Two-sided 97.5 % quantiles of Student's t for 1 … 30 degrees of freedom.
const tQuantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/**
 * The 97.5 % quantile of Student's t, for a two-sided interval. Up to 30 degrees of freedom, a value between two rows
 * of the table is rounded down, which gives the wider interval. Above 30, the expansion of Fisher and Cornish 1960 has
 * an error of less than 1e-5.
 */
export function tQuantile(freedom: number): number {
  if (freedom < 1) return Infinity;
  if (freedom < 31) return tQuantiles[Math.floor(freedom) - 1] as number;
  const terms = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  return terms.reduce((sum, term, i) => sum + term / freedom ** (i + 1), z);
}

const around = (centre: number, half: number): Estimate => ({
  mean: centre,
  low: Number.isNaN(half) ? -Infinity : centre - half,
  high: Number.isNaN(half) ? Infinity : centre + half,
});

/** 95 % t-interval of the mean of one value per seed; infinite for fewer than two seeds. */
export function tInterval(xs: readonly number[]): Estimate {
  const half = xs.length < 2 ? Infinity : (tQuantile(xs.length - 1) * std(xs)) / Math.sqrt(xs.length);
  return around(mean(xs), half);
}

/** Welch's t-interval of the mean of `xs` minus the mean of `ys`, measured with different seeds (Welch 1947). */
export function welch(xs: readonly number[], ys: readonly number[]): Estimate {
  const centre = mean(xs) - mean(ys);
  if (xs.length < 2 || ys.length < 2) return around(centre, Infinity);
  const [a, b] = [std(xs) ** 2 / xs.length, std(ys) ** 2 / ys.length];
  if (a + b === 0) return around(centre, 0);
  const freedom = (a + b) ** 2 / (a ** 2 / (xs.length - 1) + b ** 2 / (ys.length - 1));
  return around(centre, tQuantile(freedom) * Math.sqrt(a + b));
}

/**
 * The difference of two independent shares, with Newcombe's interval, which is computed from the Wilson intervals of
 * both shares (Newcombe 1998, method 10).
 */
export function shareDifference(first: Interval & { share: number }, second: Interval & { share: number }): Estimate {
  const centre = first.share - second.share;
  return {
    mean: centre,
    low: centre - Math.hypot(first.share - first.low, second.high - second.share),
    high: centre + Math.hypot(first.high - first.share, second.share - second.low),
  };
}

/**
 * The half-width of a 95 % interval of the mean of shares from 0 to 1, one share per problem. Two shares of 0 and two
 * of 1 are added before the t-interval is computed, so that the interval has a width even if all shares are equal. The
 * half-width is the distance from the mean to the farther end of the interval (Agresti and Coull 1998 for shares that
 * are 0 or 1; here t is used instead of z, because there may be few problems).
 */
export function shareError(shares: readonly number[]): number {
  const centre = mean(shares);
  const { low, high } = tInterval([...shares, 0, 0, 1, 1]);
  return Math.max(high - centre, centre - low);
}

/**
 * The difference of two accuracies on the same problems, and the gain in precision because the problems are the same.
 */
export interface PairedShares extends Estimate {
  /** The interval that the same answers would give if the two teams had answered different problems. */
  unpaired: Estimate;
  /**
   * The number of problems that a comparison on different problems would need for an equally narrow interval; infinite
   * if no answer differs.
   */
  problemsUnpaired: number;
}

/**
 * The accuracy of the first team minus the accuracy of the second team on the same problems, with a 95 % interval. The
 * interval is the t-interval of the mean of the differences per problem, to which the differences 1 and −1 are added
 * (Bonett and Price 2012, but with t instead of z). Because of these two added differences, the interval has a width
 * even if all other differences are equal. Throws RangeError if the lists have different lengths or are empty.
 */
export function pairedShares(first: readonly boolean[], second: readonly boolean[]): PairedShares {
  const n = first.length;
  if (n === 0 || n !== second.length)
    throw new RangeError(`expected the same number of problems, at least one, got ${n} and ${second.length}`);
  const differences = first.map((isRight, i) => Number(isRight) - Number(second[i]));
  const ends = tInterval([...differences, 1, -1]);
  const [low, high] = [Math.max(-1, ends.low), Math.min(1, ends.high)];
  const unpaired = shareDifference(shareOf(first), shareOf(second));
  const isSame = differences.every((difference) => difference === 0);
  return {
    ...{ mean: mean(differences), low, high, unpaired },
    problemsUnpaired: isSame ? Infinity : Math.ceil(n * ((unpaired.high - unpaired.low) / (high - low)) ** 2),
  };
}

function shareOf(answers: readonly boolean[]) {
  const right = answers.filter(Boolean).length;
  return { share: right / answers.length, ...wilson(right, answers.length) };
}
