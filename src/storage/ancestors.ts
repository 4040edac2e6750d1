// The runs that a run was forked from.
import type { RunId } from '../records/ids.ts';
import type { RunRecord } from '../records/stored/checkpoint.ts';

/** The ancestors of a run, by the records of these runs; with a cycle of forks it is among them. */
export function ancestorsOf(run: RunId, runs: readonly RunRecord[]): Set<RunId> {
  const parents = new Map(runs.map(({ id, forkedFrom }) => [id, forkedFrom?.id]));
  const past = new Set<RunId>();
  for (let at = parents.get(run); at !== undefined && !past.has(at); at = parents.get(at)) past.add(at);
  return past;
}
