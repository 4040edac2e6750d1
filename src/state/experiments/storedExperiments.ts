// Finds the experiments among the runs of the library. Runs with the same experiment id belong together.
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { RunId } from '../../records/ids.ts';
import type { ListedRun } from '../../storage/reading.ts';

export type ExperimentKind = NonNullable<RunRecord['experiment']>['kind'];

/** The stored runs of one experiment. */
export interface StoredExperiment {
  id: string;
  kind: ExperimentKind;
  /** The runs in the order in which they were trained. */
  runs: readonly RunRecord[];
}

/** The experiments among stored runs, newest first. */
export function experimentsAmong(listed: readonly Pick<ListedRun, 'run'>[], kind: ExperimentKind): StoredExperiment[] {
  const found = new Map<string, RunRecord[]>();
  for (const { run } of listed)
    if (run.experiment?.kind === kind) found.set(run.experiment.id, [run, ...(found.get(run.experiment.id) ?? [])]);
  return [...found].map(([id, runs]) => ({ id, kind, runs }));
}

/** The runs with these ids, in the order of the ids. */
export const idsOf = ({ runs }: StoredExperiment): RunId[] => runs.map(({ id }) => id);
