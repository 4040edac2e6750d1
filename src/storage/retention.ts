// Deletes some of the records of a run that has stored more than its allowance. It keeps the first and the newest
// checkpoint, and evenly spaced ones in between; the same applies to the trajectories of iterations. The metrics and
// evaluations of every iteration are kept.
import type { RunRecord } from '../records/stored/checkpoint.ts';

/** The allowance of a run for one kind of record; the first and the newest record are kept regardless of their size. */
export interface Allowance {
  count: number;
  bytes: number;
}

export const checkpointAllowance: Allowance = { count: 20, bytes: 256e6 };
/** The allowance for iterations with their trajectories; iterations that `flagged` returns do not count. */
export const trajectoryAllowance: Allowance = { count: 200, bytes: 64e6 };

/** Number of iterations between two checks of whether the allowance is exceeded. */
export const tidyEvery = 10;

interface Stored {
  iteration: number;
  bytes: number;
}

/**
 * The stored records, in ascending order of iteration, that are to be deleted. The record with the closest neighbours
 * is deleted repeatedly, until the rest is within the allowance. So the distances between the remaining records of a
 * run differ by a factor of only about two, even if the run is long.
 */
export function surplus<T extends Stored>(stored: readonly T[], { count, bytes }: Allowance): T[] {
  let kept = [...stored];
  // Finding the closest neighbours takes quadratic time, so if there are far too many records, their number is halved
  // first.
  while (kept.length > 2 * count) kept = kept.filter((_, i) => i % 2 === 0 || i === kept.length - 1);
  let total = kept.reduce((sum, one) => sum + one.bytes, 0);
  while (kept.length > 2 && (kept.length > count || total > bytes)) {
    const [gone] = kept.splice(closest(kept), 1);
    total -= gone?.bytes ?? 0;
  }
  const staying = new Set(kept);
  return stored.filter((one) => !staying.has(one));
}

/** The index of the record, neither first nor last, whose neighbours are closest together; in a tie, the earliest. */
function closest(stored: readonly Stored[]): number {
  const at = (i: number) => stored[i]?.iteration ?? 0;
  let best = 1;
  for (let i = 2; i < stored.length - 1; i++) if (at(i + 1) - at(i - 1) < at(best + 1) - at(best - 1)) best = i;
  return best;
}

/**
 * Iterations whose trajectories are kept in addition to the evenly spaced ones: those at a checkpoint, near a change,
 * or after a fork.
 */
export function flagged(
  { changes, forkedFrom }: Pick<RunRecord, 'changes' | 'forkedFrom'>,
  checkpoints: readonly number[],
): Set<number> {
  const changed = changes.flatMap(({ iteration }) => [iteration, iteration + 1]);
  return new Set([...checkpoints, ...changed, ...(forkedFrom ? [forkedFrom.iteration + 1] : [])]);
}
