// Thins the records of a run that has stored more than its allowance: of its checkpoints, and of its iterations'
// trajectories, it keeps the first, the newest and evenly spaced ones between. Metrics and evaluations of every
// iteration stay.
import type { RunRecord } from '../records/stored/checkpoint.ts';

/** How much of one kind a run may keep; the first and the newest stay whatever they weigh. */
export interface Allowance {
  count: number;
  bytes: number;
}

export const checkpointAllowance: Allowance = { count: 20, bytes: 256e6 };
/** For iterations with their trajectories, without the flagged ones. */
export const trajectoryAllowance: Allowance = { count: 200, bytes: 64e6 };

/** Iterations between one look at what has become too much and the next. */
export const tidyEvery = 10;

interface Stored {
  iteration: number;
  bytes: number;
}

/**
 * Which of the stored ones, by rising iteration, to delete: always the one with the closest neighbours, until the rest
 * is within the allowance. However long a run gets, the distances between the remaining ones differ by a factor of
 * about two.
 */
export function surplus<T extends Stored>(stored: readonly T[], { count, bytes }: Allowance): T[] {
  let kept = [...stored];
  // Finding the closest neighbours takes quadratic time: far too many are halved first.
  while (kept.length > 2 * count) kept = kept.filter((_, i) => i % 2 === 0 || i === kept.length - 1);
  let total = kept.reduce((sum, one) => sum + one.bytes, 0);
  while (kept.length > 2 && (kept.length > count || total > bytes)) {
    const [gone] = kept.splice(closest(kept), 1);
    total -= gone?.bytes ?? 0;
  }
  const staying = new Set(kept);
  return stored.filter((one) => !staying.has(one));
}

/** Place of the one, neither first nor last, whose neighbours lie closest together; the earliest of several. */
function closest(stored: readonly Stored[]): number {
  const at = (i: number) => stored[i]?.iteration ?? 0;
  let best = 1;
  for (let i = 2; i < stored.length - 1; i++) if (at(i + 1) - at(i - 1) < at(best + 1) - at(best - 1)) best = i;
  return best;
}

/**
 * Iterations whose trajectories stay in addition to the evenly spaced ones: at a checkpoint, near a change, after a
 * fork.
 */
export function flagged(
  { changes, forkedFrom }: Pick<RunRecord, 'changes' | 'forkedFrom'>,
  checkpoints: readonly number[],
): Set<number> {
  const changed = changes.flatMap(({ iteration }) => [iteration, iteration + 1]);
  return new Set([...checkpoints, ...changed, ...(forkedFrom ? [forkedFrom.iteration + 1] : [])]);
}
