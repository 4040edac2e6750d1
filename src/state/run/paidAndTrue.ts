// Finds the point where reward and correctness diverge: accuracy falls while the reward rises or stays the same (reward
// hacking; Gao et al. 2210.10760 call it overoptimisation). The reward can stay the same if a verifier learns together
// with the agents, because the mean of its scores stays the same, even if more and more answers are wrong.
import { mean, std } from '../../base/stats.ts';
import type { IterationMetrics } from '../../records/metrics.ts';

/**
 * Number of iterations that are averaged. In a long run, stretches of iterations are averaged instead, each of which is
 * represented by its newest row.
 */
const span = 10;

/** The point of divergence, with means over ten iterations around it and over the newest ten. */
export interface Parting {
  iteration: number;
  paid: { before: number; now: number };
  right: { before: number; now: number };
}

/**
 * Finds the ten iterations with the highest accuracy; the point of divergence is in their middle. Reward and
 * correctness have diverged if accuracy has fallen since then and the mean reward has risen, each by more than two
 * standard errors of the difference between these ten iterations and the newest ten. If accuracy is less than half as
 * high as before, the reward need not have risen. It is then enough that it has not fallen by two standard errors. The
 * result is null if reward and correctness have not diverged, or if there are fewer than twenty iterations.
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

/** The change from one mean to another, in standard errors of the difference; 0 if both means are equal. */
function change(before: readonly number[], after: readonly number[]): number {
  const difference = mean(after) - mean(before);
  if (difference === 0) return 0;
  return difference / Math.sqrt((std(before) ** 2 + std(after) ** 2) / span);
}
