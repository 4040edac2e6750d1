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

/** Ranks, starting at 1. Equal numbers all receive the mean of their ranks. */
function ranks(xs: readonly number[]): number[] {
  const order = [...xs.keys()].sort((a, b) => (xs[a] as number) - (xs[b] as number));
  const out = Array<number>(xs.length).fill(0);
  for (let from = 0; from < order.length;) {
    let to = from + 1;
    while (to < order.length && xs[order[to] as number] === xs[order[from] as number]) to++;
    for (const at of order.slice(from, to)) out[at] = (from + to + 1) / 2;
    from = to;
  }
  return out;
}

/** Spearman's rank correlation, with mean ranks for equal numbers; NaN if all numbers in one of the lists are equal. */
export function spearman(xs: readonly number[], ys: readonly number[]): number {
  const [a, b] = [ranks(xs), ranks(ys)];
  const [centreA, centreB] = [mean(a), mean(b)];
  let [products, squaresA, squaresB] = [0, 0, 0];
  a.forEach((rank, i) => {
    const [x, y] = [rank - centreA, (b[i] as number) - centreB];
    products += x * y;
    squaresA += x * x;
    squaresB += y * y;
  });
  return products / Math.sqrt(squaresA * squaresB);
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
