// Reads the dialogues of a run, either from the browser's store or from an archive that is only viewed. For a stored
// fork, this includes the dialogues of the parent run before the fork. An archive contains only the dialogues of one
// run.
import type { OwnWorld } from '../../config/worlds/own.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import { openedId, type RunId } from '../../records/ids.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../../records/metrics.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { listIterations, loadIteration, loadRun, loadShownOf, ownerOf } from '../reading.ts';
import { ArchivedRun, type EntrySource } from './archivedRun.ts';

export interface RunSource {
  run: RunRecord;
  /** The iterations whose dialogues are stored, newest first. */
  iterations: readonly number[];
  /** All dialogues of an iteration; empty if no dialogues are stored. Throws StorageError. */
  trajectories(iteration: number): Promise<Trajectory[]>;
  /**
   * The group that the page displayed at an iteration or, if none is stored there, at the nearest iteration with a
   * stored group; null if there is none.
   */
  shown(iteration: number): Promise<GroupInspection | null>;
}

/** The dialogues of a run in the browser's store. Throws StorageError. */
export async function storedSource(id: RunId): Promise<RunSource> {
  const run = await loadRun(id);
  const owners = new Map(await ownersOf(run));
  return {
    run,
    iterations: [...owners.keys()],
    trajectories: async (iteration) => {
      const owner = owners.get(iteration);
      return owner === undefined ? [] : loadIteration(owner, iteration);
    },
    shown: (iteration) => loadShownOf(run, iteration),
  };
}

/**
 * For each stored iteration of a run, newest first, the run to which the iteration belongs: the run itself, or one of
 * its ancestors. If the forks form a cycle, the iterations before the earliest fork of the cycle are left out.
 */
async function ownersOf({ id, forkedFrom }: RunRecord): Promise<[iteration: number, owner: RunId][]> {
  const own = (await listIterations(id)).map(({ iteration }): [number, RunId] => [iteration, id]).reverse();
  const isThere = forkedFrom && (await ownerOf({ id, forkedFrom }, forkedFrom.iteration)) !== null;
  if (!isThere) return own;
  const before = await ownersOf(await loadRun(forkedFrom.id));
  return [...own, ...before.filter(([iteration]) => iteration <= forkedFrom.iteration)];
}

/** The run of an archive that is only viewed. The dialogues are read from the file when they are needed. */
export interface OpenedSource extends RunSource {
  metrics: readonly IterationMetrics[];
  evaluations: readonly Evaluation[];
  /** The visitor's own world of the run; null if the run uses a built-in world. */
  world: OwnWorld | null;
}

/**
 * Reads a run from its files, in order to view it. The run gets a special id, so that it is not confused with a stored
 * run. The run's weights are not read. Throws StorageError.
 */
export async function openedSource(files: EntrySource): Promise<OpenedSource> {
  const archived = new ArchivedRun(files);
  const record = await archived.run();
  const [metrics, evaluations]: [IterationMetrics[], Evaluation[]] = [[], []];
  const [kept, looked]: [number[], number[]] = [[], []];
  for (const iteration of archived.iterations) {
    const read = await archived.iteration(iteration);
    if (read.metrics) metrics.push(read.metrics);
    if (read.evaluation) evaluations.push(read.evaluation);
    if (read.packed) kept.push(iteration);
    if (read.shown) looked.push(iteration);
  }
  return {
    run: { ...record, id: openedId(record.id) },
    ...{ metrics, evaluations, iterations: kept.toReversed() },
    world: await archived.world(),
    trajectories: async (iteration) => (kept.includes(iteration) ? archived.trajectories(iteration) : []),
    shown: async (iteration) => {
      const away = (at: number) => Math.abs(at - iteration);
      const nearest = looked.reduce((best, at) => (away(at) < away(best) ? at : best), looked[0] ?? -1);
      return nearest < 0 ? null : (await archived.iteration(nearest)).shown;
    },
  };
}
