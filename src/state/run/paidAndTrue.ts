// Finds the iteration from which accuracy falls although the reward rises or stays the same (reward hacking; Gao et al.
// 2210.10760 call it overoptimisation). The reward may stay the same if a verifier is trained together with the agents:
// the mean of its scores hardly changes, even if more and more answers are wrong.
import { mean, std } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';

/**
 * The number of rows that are averaged. Each row belongs to one iteration or, in a long run, to a stretch of
 * iterations.
 */
const span = 10;

/** The iteration from which accuracy falls, and the means over the ten iterations around it and over the newest ten. */
export interface Parting {
  iteration: number;
  paid: { before: number; now: number };
  right: { before: number; now: number };
}

/**
 * Compares the ten iterations with the highest mean accuracy to the newest ten. Reports a divergence, in the middle of
 * the best ten iterations, if accuracy has fallen and the mean reward has risen between the two, each by more than two
 * standard errors of the difference. If accuracy has fallen by more than half, a divergence is reported unless the
 * reward has fallen by two standard errors. Returns null if there is no divergence, or if there are fewer than twenty
 * iterations.
 */
export function partingOf(rows: readonly IterationMetrics[]): Parting | null {
  const series = (name: string) => rows.map(({ values }) => values[name] ?? Number.NaN);
  const [paid, right] = [series('charts/episodic_return'), series('charts/training_accuracy')];
  if (rows.length < 2 * span) return null;
  let best = 0;
  let most = -Infinity;
  let sum = 0;
  for (const [i, value] of right.slice(0, -span).entries()) {
    sum += value - (i >= span ? (right[i - span] as number) : 0);
    if (i < span - 1 || sum <= most) continue;
    most = sum;
    best = i - span + 1;
  }
  const ends = (all: readonly number[]) => [all.slice(best, best + span), all.slice(-span)] as const;
  const means = (all: readonly number[]) => ({ before: mean(ends(all)[0]), now: mean(ends(all)[1]) });
  const parting = { paid: means(paid), right: means(right) };
  const isHalved = parting.right.now < parting.right.before / 2;
  if (!(change(...ends(right)) < -2 && change(...ends(paid)) > (isHalved ? -2 : 2))) return null;
  const { iteration } = rows[best + span / 2 - 1] as IterationMetrics;
  return { iteration, ...parting };
}

/** The difference between two means, divided by its standard error; 0 if both means are equal. */
function change(before: readonly number[], after: readonly number[]): number {
  const difference = mean(after) - mean(before);
  if (difference === 0) return 0;
  return difference / Math.sqrt((std(before) ** 2 + std(after) ** 2) / span);
}
