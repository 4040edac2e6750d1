// Small statistics, in float64.

export interface Interval {
  low: number;
  high: number;
}

export function mean(xs: ArrayLike<number>): number {
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum += xs[i] as number;
  return xs.length === 0 ? 0 : sum / xs.length;
}

/** Unbiased standard deviation; 0 for fewer than two numbers. */
export function std(xs: ArrayLike<number>): number {
  if (xs.length < 2) return 0;
  const m = mean(xs);
  let sum = 0;
  for (let i = 0; i < xs.length; i++) sum += ((xs[i] as number) - m) ** 2;
  return Math.sqrt(sum / (xs.length - 1));
}

export function median(xs: readonly number[]): number {
  const sorted = [...xs].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 ? (sorted[half] as number) : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}

/** 95 % Wilson score interval of a share (Wilson 1927). */
export function wilson(successes: number, trials: number): Interval {
  if (trials === 0) return { low: 0, high: 1 };
  const z = 1.959963984540054;
  const p = successes / trials;
  const scale = 1 + (z * z) / trials;
  const centre = p + (z * z) / (2 * trials);
  const spread = z * Math.sqrt((p * (1 - p)) / trials + (z * z) / (4 * trials * trials));
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

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
