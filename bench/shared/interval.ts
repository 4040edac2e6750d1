// How far the mean of a few seeds can be believed.
import { mean, std, type Interval } from '../../src/base/stats.ts';

// Two-sided 97.5 % quantiles of Student's t for 1 … 30 degrees of freedom.
const tQuantiles = [
  12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.16, 2.145, 2.131, 2.12, 2.11,
  2.101, 2.093, 2.086, 2.08, 2.074, 2.069, 2.064, 2.06, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/** 95 % t-interval of the mean of a few seeds. */
export function tInterval(xs: readonly number[]): Interval {
  const m = mean(xs);
  if (xs.length < 2) return { low: -Infinity, high: Infinity };
  const half = ((tQuantiles[xs.length - 2] ?? 1.96) * std(xs)) / Math.sqrt(xs.length);
  return { low: m - half, high: m + half };
}
