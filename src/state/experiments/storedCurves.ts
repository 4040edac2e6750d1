// Reads the measurements of a stored run. If the run is a fork, the result includes the measurements of the parent run
// up to the fork.
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { RunId } from '../../records/ids.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import { loadMetrics, loadRun, ownerOf } from '../../storage/reading.ts';

export interface StoredCurves {
  run: RunRecord;
  /** By ascending iteration. */
  metrics: readonly IterationMetrics[];
  evaluations: readonly Evaluation[];
  /** The curves of the parent run; absent if the run is not a fork, or if the parent is not stored. */
  before?: StoredCurves;
}

/** Throws StorageError. */
export async function loadCurves(id: RunId): Promise<StoredCurves> {
  const [run, own] = await Promise.all([loadRun(id), loadMetrics(id)]);
  const { id: parent, iteration: end } = run.forkedFrom ?? {};
  // In an earlier version, the forks of stored runs could form a circle. In this case, the parent is ignored.
  if (parent === undefined || end === undefined || (await ownerOf(run, end)) === null) return { run, ...own };
  // If the parent was deleted or cannot be read, the curve begins after the fork.
  const before = await loadCurves(parent).catch(() => null);
  if (!before) return { run, ...own };
  const isBefore = ({ iteration }: { iteration: number }) => iteration <= end;
  const isOwn = new Set(own.evaluations.map(({ iteration }) => iteration));
  return {
    ...{ run, before },
    metrics: [...before.metrics.filter(isBefore), ...own.metrics],
    evaluations: [
      ...before.evaluations.filter((one) => isBefore(one) && !isOwn.has(one.iteration)),
      ...own.evaluations,
    ],
  };
}

/**
 * The number of tokens sampled up to each iteration; null if the run is from an earlier version, in which tokens were
 * not counted.
 */
export function tokensByIteration({ metrics }: Pick<StoredCurves, 'metrics'>): Map<number, number> | null {
  const tokens = new Map([[0, 0]]);
  let sum = 0;
  for (const { iteration, profile } of metrics) {
    if (!profile) return null;
    sum += profile.sampledTokens;
    tokens.set(iteration, sum);
  }
  return tokens;
}
