// What may be asked of the store, from either floor. Nothing here writes. Every function throws StorageError when the
// store cannot be opened or a record is damaged.
import { StorageError } from '../base/errors.ts';
import type { Checkpoint, RunRecord } from '../records/checkpoint.ts';
import type { RunId } from '../records/ids.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../records/metrics.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { openDatabase, runRange, storageError, type Database, type IterationRow } from './database.ts';
import { unpackTrajectories } from './pack.ts';
import { asCheckpoint, asEvaluation, asMetrics, asPacked, asRow, asRun, asShown, asTrajectories } from './validate.ts';

async function reading<T>(what: string, read: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await read(await openDatabase());
  } catch (error) {
    throw storageError(what, error);
  }
}

export interface RunList {
  /** Newest first. */
  runs: RunRecord[];
  /** One for each record that cannot be read; the others are listed all the same. */
  errors: StorageError[];
}

/** All stored runs. */
export function listRuns(): Promise<RunList> {
  return reading('runs', async (database) => {
    const list: RunList = { runs: [], errors: [] };
    for (const record of (await database.getAll('runs')) as unknown[]) {
      try {
        list.runs.push(asRun(record, nameOf(record)));
      } catch (error) {
        list.errors.push(storageError('run', error));
      }
    }
    list.runs.sort((a, b) => b.createdMs - a.createdMs);
    return list;
  });
}

const nameOf = (record: unknown) => `run ${String((record as { id?: unknown } | null)?.id)}`;

/** One run. */
export function loadRun(id: RunId): Promise<RunRecord> {
  return reading(`run ${id}`, async (database) => asRun(await database.get('runs', id), `run ${id}`));
}

/** All metrics and evaluations of a run, by rising iteration. */
export function loadMetrics(id: RunId): Promise<{ metrics: IterationMetrics[]; evaluations: Evaluation[] }> {
  return reading(`metrics of run ${id}`, async (database) => {
    const transaction = database.transaction(['metrics', 'evaluations']);
    const [metrics, evaluations] = await Promise.all([
      transaction.objectStore('metrics').getAll(runRange(id)),
      transaction.objectStore('evaluations').getAll(runRange(id)),
    ]);
    return {
      metrics: metrics.map((record, i) => asMetrics(record, `metrics ${i} of run ${id}`)),
      evaluations: evaluations.map((record, i) => asEvaluation(record, `evaluation ${i} of run ${id}`)),
    };
  });
}

/** The group that the page showed at an iteration; null when none was stored. */
export function loadShown(id: RunId, iteration: number): Promise<GroupInspection | null> {
  const what = `group shown at iteration ${iteration} of run ${id}`;
  return reading(what, async (database) => {
    const record = await database.get('shown', [id, iteration]);
    return record === undefined ? null : asShown(record, what);
  });
}

/** The same of a run that may have gone on from another: what lies before its start is the other's. */
export function loadShownOf({ id, forkedFrom }: Pick<RunRecord, 'id' | 'forkedFrom'>, iteration: number) {
  const isBefore = forkedFrom !== undefined && iteration <= forkedFrom.iteration;
  return loadShown(isBefore ? forkedFrom.id : id, iteration);
}

/** What each stored iteration holds, by rising iteration. */
export function listIterations(id: RunId): Promise<IterationRow[]> {
  return reading(`iterations of run ${id}`, async (database) => {
    const rows = await database.getAll('iterationRows', runRange(id));
    return rows.map((row, i) => asRow(row, `iteration row ${i} of run ${id}`));
  });
}

/** All trajectories of an iteration. */
export function loadIteration(id: RunId, iteration: number): Promise<Trajectory[]> {
  const what = `trajectories of iteration ${iteration} of run ${id}`;
  return reading(what, async (database) => {
    const packed = asPacked(await database.get('iterations', [id, iteration]), what);
    return asTrajectories(unpackTrajectories(packed), what);
  });
}

/** Iterations of which a checkpoint is stored, rising; no weights are read. */
export function listCheckpoints(id: RunId): Promise<number[]> {
  return reading(`checkpoints of run ${id}`, async (database) => {
    const keys = await database.getAllKeys('checkpoints', runRange(id));
    return keys.map(([, iteration]) => iteration);
  });
}

/** One checkpoint. */
export function loadCheckpoint(id: RunId, iteration: number): Promise<Checkpoint> {
  const what = `checkpoint ${iteration} of run ${id}`;
  return reading(what, async (database) => asCheckpoint(await database.get('checkpoints', [id, iteration]), what));
}

/** The checkpoint to go on from; null when the run has none. */
export async function newestCheckpoint(id: RunId): Promise<Checkpoint | null> {
  const newest = (await listCheckpoints(id)).at(-1);
  return newest === undefined ? null : loadCheckpoint(id, newest);
}

/** Room used and granted, in bytes; null where the browser does not tell. */
export async function storageEstimate(): Promise<{ usedBytes: number; grantedBytes: number } | null> {
  if (typeof navigator === 'undefined' || !navigator.storage?.estimate) return null;
  const { usage = 0, quota = 0 } = await navigator.storage.estimate();
  return { usedBytes: usage, grantedBytes: quota };
}
