// The curves of a stored run from its very start: for one that continues another, the other's part as well.
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { RunId } from '../../records/ids.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import { loadMetrics, loadRun, ownerOf } from '../../storage/reading.ts';

export interface StoredCurves {
  run: RunRecord;
  /** By rising iteration. */
  metrics: readonly IterationMetrics[];
  evaluations: readonly Evaluation[];
  /** The run that it goes on from, whose evaluations come first; absent where it goes on from none that is stored. */
  before?: StoredCurves;
}

/** Throws StorageError. */
export async function loadCurves(id: RunId): Promise<StoredCurves> {
  const [run, own] = await Promise.all([loadRun(id), loadMetrics(id)]);
  const { id: parent, iteration: end } = run.forkedFrom ?? {};
  // Among runs that an earlier version let continue each other, the first has no owner before it.
  if (parent === undefined || end === undefined || (await ownerOf(run, end)) === null) return { run, ...own };
  // Parts that an earlier version deleted, or that cannot be read, are only not drawn.
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

/** Sampled tokens up to each iteration of the metrics, by iteration; null where an earlier version did not count them. */
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
