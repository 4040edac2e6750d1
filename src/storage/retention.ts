// Chooses which records of a run are deleted if the run has stored more than its allowance. The remaining checkpoints
// are the first, the newest, and evenly spaced ones in between. The same applies to the trajectories of iterations. The
// metrics and evaluations of all iterations are kept.
import type { RunRecord } from '../records/stored/checkpoint.ts';

/**
 * The allowance of a run for one kind of record: the maximum number of records, and the maximum size of all records
 * together. The first and the newest record are never deleted, even if they exceed this size.
 */
export interface Allowance {
  count: number;
  bytes: number;
}

export const checkpointAllowance: Allowance = { count: 20, bytes: 256e6 };
/** The allowance for the trajectories of iterations. The iterations in the result of `flagged` are not counted. */
export const trajectoryAllowance: Allowance = { count: 200, bytes: 64e6 };

/** The number of iterations between two checks whether a run has stored more than its allowance. */
export const tidyEvery = 10;

interface Stored {
  iteration: number;
  bytes: number;
}

/**
 * Returns the records that must be deleted. `stored` must be in ascending order of iterations. Repeatedly chooses the
 * record whose two neighbours are closest to each other, until the remaining records are within the allowance. As a
 * result, the largest distance between two remaining records is only about twice the smallest, even in a long run.
 */
export function surplus<T extends Stored>(stored: readonly T[], { count, bytes }: Allowance): T[] {
  let kept = [...stored];
  // The second loop takes quadratic time. As long as there are more than twice as many records as allowed, every second
  // record is therefore deleted first.
  while (kept.length > 2 * count) kept = kept.filter((_, i) => i % 2 === 0 || i === kept.length - 1);
  let total = kept.reduce((sum, one) => sum + one.bytes, 0);
  while (kept.length > 2 && (kept.length > count || total > bytes)) {
    const [gone] = kept.splice(closest(kept), 1);
    total -= gone?.bytes ?? 0;
  }
  const staying = new Set(kept);
  return stored.filter((one) => !staying.has(one));
}

/**
 * The index of the record whose two neighbours are closest to each other; in a tie, the earliest. The first and the
 * last record are never chosen.
 */
function closest(stored: readonly Stored[]): number {
  const at = (i: number) => stored[i]?.iteration ?? 0;
  let best = 1;
  for (let i = 2; i < stored.length - 1; i++) if (at(i + 1) - at(i - 1) < at(best + 1) - at(best - 1)) best = i;
  return best;
}

/**
 * The iterations whose trajectories are stored in addition to evenly spaced ones: iterations with a checkpoint, close
 * to a change of a setting, or directly after a fork.
 */
export function flagged(
  { changes, forkedFrom }: Pick<RunRecord, 'changes' | 'forkedFrom'>,
  checkpoints: readonly number[],
): Set<number> {
  const changed = changes.flatMap(({ iteration }) => [iteration, iteration + 1]);
  return new Set([...checkpoints, ...changed, ...(forkedFrom ? [forkedFrom.iteration + 1] : [])]);
}
