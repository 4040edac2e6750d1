// The runs from which a run was forked, directly or indirectly.
import type { RunId } from '../records/ids.ts';
import type { RunRecord } from '../records/stored/checkpoint.ts';

/**
 * The ancestors of a run, found in the records of all runs. If the forks form a cycle, the result contains the run
 * itself.
 */
export function ancestorsOf(run: RunId, runs: readonly RunRecord[]): Set<RunId> {
  const parents = new Map(runs.map(({ id, forkedFrom }) => [id, forkedFrom?.id]));
  const past = new Set<RunId>();
  for (let at = parents.get(run); at !== undefined && !past.has(at); at = parents.get(at)) past.add(at);
  return past;
}
