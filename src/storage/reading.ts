// Reads from the store, in the page and in workers. This module never writes. Every function throws StorageError if the
// store cannot be opened or a record is damaged.
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { unknownSettings } from '../config/parse.ts';
import { uniqueName } from '../config/runName.ts';
import type { OwnForm, OwnName, OwnWorld } from '../config/worlds/own.ts';
import type { Checkpoint, RunRecord } from '../records/stored/checkpoint.ts';
import type { RunId } from '../records/ids.ts';
import type { ClaimResult } from '../records/claims/result.ts';
import type { GroupInspection } from '../records/inspection.ts';
import type { Evaluation, IterationMetrics } from '../records/metrics.ts';
import type { KeptBranch } from '../records/stored/keptBranch.ts';
import type { RunLabel } from '../records/stored/runLabel.ts';
import type { RunSummary } from '../records/stored/runSummary.ts';
import type { Trajectory } from '../records/trajectory.ts';
import { openDatabase, runRange, storageError, type Database, type IterationRow } from './database.ts';
import { labelsIn, labelsOf, named } from './labels.ts';
import { migrateRun } from '../migrations/records.ts';
import { unpackTrajectories } from './pack.ts';
import { summarisedStores, summaryOf } from './summary.ts';
import {
  asBranch,
  asCheckpoint,
  asEvaluation,
  asLabel,
  asMetrics,
  asOwnForm,
  asOwnWorld,
  asPacked,
  asResult,
  asRow,
  asRun,
  asShown,
  asSummary,
  asTrajectories,
} from './validate.ts';

/** Opens the database and calls `read` with it. Throws StorageError if either fails. */
export async function reading<T>(what: string, read: (database: Database) => Promise<T>): Promise<T> {
  try {
    return await read(await openDatabase());
  } catch (error) {
    throw storageError(what, error);
  }
}

export interface ListedRun {
  run: RunRecord;
  summary: RunSummary;
  /** The visitor's label of a run; null if there is none or it cannot be read. */
  label: RunLabel | null;
  isLabelDamaged: boolean;
}

/** A record that cannot be read. */
export interface DamagedRun {
  id: RunId;
  error: StorageError;
}

export interface RunList {
  /**
   * All runs, the newest first. The newest run is the one that was opened last, even if the computer's clock was wrong.
   */
  runs: ListedRun[];
  damaged: DamagedRun[];
}

/** All stored runs. Only one small record of each run is read. */
export function listRuns(): Promise<RunList> {
  return reading('runs', async (database) => {
    const transaction = database.transaction(['runs', 'labels', ...summarisedStores]);
    const keys = await transaction.objectStore('runs').getAllKeys();
    const records: unknown[] = await transaction.objectStore('runs').getAll();
    const summaries = await transaction.objectStore('summaries').getAll();
    const labelled = new Set(await transaction.objectStore('labels').getAllKeys());
    const labels = labelsIn(await transaction.objectStore('labels').getAll());
    const known = new Map(summaries.map((summary): [string, unknown] => [summary.id, summary]));
    const list: RunList = { runs: [], damaged: [] };
    for (const [i, key] of keys.entries()) {
      const id = key as RunId;
      try {
        const run = named(asRun(records[i], `run ${id}`), labels);
        const summary = asSummary(known.get(id)) ?? (await summaryOf(transaction, id));
        const label = labels.get(id) ?? null;
        list.runs.push({ run, summary, label, isLabelDamaged: !label && labelled.has(id) });
      } catch (error) {
        list.damaged.push({ id, error: storageError(`run ${id}`, error) });
      }
    }
    // Runs of earlier versions have no order number, so they are sorted by the time at which they were created.
    list.runs.sort((a, b) => b.summary.order - a.summary.order || b.run.createdMs - a.run.createdMs);
    return list;
  });
}

/** `name`, with a number appended if a stored run already has this name. */
export async function uniqueStoredName(name: string): Promise<string> {
  // If the runs cannot be read, `name` is returned unchanged.
  const { runs } = await listRuns().catch(() => ({ runs: [] }));
  return uniqueName(name, new Set(runs.map(({ run }) => run.name)));
}

/**
 * The paths of settings that a stored run has, but that do not exist in this version. They are ignored when the run is
 * read.
 */
export function droppedSettings(id: RunId): Promise<string[]> {
  const what = `run ${id}`;
  return reading(what, async (database) => {
    const record = await database.get('runs', id);
    return record ? unknownSettings(migrateRun(record, what)['config']) : [];
  });
}

/** One run. */
export function loadRun(id: RunId): Promise<RunRecord> {
  return reading(`run ${id}`, async (database) => {
    const run = asRun(await database.get('runs', id), `run ${id}`);
    return named(run, await labelsOf(database, run));
  });
}

/** The visitor's label of a run; null if there is none or it cannot be read. */
export const loadLabel = (id: RunId): Promise<RunLabel | null> =>
  reading(`label of run ${id}`, async (database) => asLabel(await database.get('labels', id)));

/** How many times a run was resumed; null if there is no such run. */
export function timesResumed(id: RunId): Promise<number | null> {
  return reading(`run ${id}`, async (database) => {
    const record = await database.get('runs', id);
    return record === undefined ? null : (record.resumed ?? 0);
  });
}

/** The visitor's own worlds, sorted by label; unreadable records are listed separately. */
export function listWorlds(): Promise<{ forms: OwnForm[]; damaged: StorageError[] }> {
  return reading('worlds', async (database) => {
    const [forms, damaged]: [OwnForm[], StorageError[]] = [[], []];
    for (const record of await database.getAll('worldForms')) {
      const what = `world ${record.name}`;
      try {
        forms.push(asOwnForm(record, what));
      } catch (error) {
        damaged.push(storageError(what, error));
      }
    }
    return { forms: forms.sort((a, b) => (a.label < b.label ? -1 : 1)), damaged };
  });
}

/** One of the visitor's own worlds: its form and its content. */
export function loadWorld(name: OwnName): Promise<OwnWorld> {
  const what = `world ${name}`;
  return reading(what, async (database) => {
    const [form, content] = [await database.get('worldForms', name), await database.get('worlds', name)];
    if (form !== undefined && content !== undefined) return asOwnWorld({ form, content }, what);
    throw new StorageError(
      spoken`${what}: this world is not stored in this browser; open the run file or the world file that contains this world, then try again.`,
    );
  });
}

/** All stored results of claims. Records that cannot be read are left out and reported. */
export function loadResults(): Promise<{ results: ClaimResult[]; damaged: StorageError[] }> {
  return reading('results of claims', async (database) => {
    const [results, damaged]: [ClaimResult[], StorageError[]] = [[], []];
    for (const [i, record] of (await database.getAll('claimResults')).entries()) {
      try {
        results.push(asResult(record, `result ${i} of claims`));
      } catch (error) {
        damaged.push(storageError(`result ${i} of claims`, error));
      }
    }
    return { results, damaged };
  });
}

/** All metrics and evaluations of a run, in ascending order of iteration. */
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

/**
 * The group that the page displayed at an iteration or, if none is stored there, at the nearest iteration with a stored
 * group; null if there is none.
 */
export function loadShown(id: RunId, iteration: number): Promise<GroupInspection | null> {
  const what = `group shown at iteration ${iteration} of run ${id}`;
  return reading(what, async (database) => {
    const { store } = database.transaction('shown');
    const before = (await store.openCursor(runRange(id, 0, iteration), 'prev'))?.value;
    const distance = before ? iteration - before.iteration : Infinity;
    const after = distance > 1 ? (await store.openCursor(runRange(id, iteration, iteration + distance)))?.value : null;
    const isAfterNearer = after && after.iteration - iteration < distance;
    const record = isAfterNearer ? after : before;
    return record === undefined ? null : asShown(record, what);
  });
}

/**
 * The run that sampled an iteration: the run itself or, for iterations before the fork, its parent or an earlier
 * ancestor. Null if that run was deleted, or if the forks form a cycle, which is possible in records of earlier
 * versions. `passed` contains the runs that were already visited.
 */
export async function ownerOf(
  { id, forkedFrom }: Pick<RunRecord, 'id' | 'forkedFrom'>,
  iteration: number,
  passed: readonly RunId[] = [],
): Promise<RunId | null> {
  if (forkedFrom === undefined || iteration > forkedFrom.iteration) return id;
  if (passed.includes(id)) return null;
  const parent = await reading(`run ${forkedFrom.id}`, (database) => database.get('runs', forkedFrom.id));
  return parent ? ownerOf(parent, iteration, [...passed, id]) : null;
}

/** The displayed group at an iteration of a run, which may belong to a run from which this one was forked. */
export async function loadShownOf(
  run: Pick<RunRecord, 'id' | 'forkedFrom'>,
  iteration: number,
): Promise<GroupInspection | null> {
  const owner = await ownerOf(run, iteration);
  return owner === null ? null : loadShown(owner, iteration);
}

/** The summary of each stored iteration, in ascending order of iterations. */
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

/**
 * The changed dialogues that were stored with a run, in the order in which they were stored. Those that cannot be read
 * are listed separately.
 */
export function listBranches(id: RunId): Promise<{ branches: KeptBranch[]; damaged: StorageError[] }> {
  return reading(`branches of run ${id}`, async (database) => {
    const [branches, damaged]: [KeptBranch[], StorageError[]] = [[], []];
    for (const [i, record] of (await database.getAll('branches', runRange(id))).entries()) {
      const what = `branch ${i + 1} of run ${id}`;
      try {
        branches.push(asBranch(record, what));
      } catch (error) {
        damaged.push(storageError(what, error));
      }
    }
    return { branches, damaged };
  });
}

/** The iterations at which a checkpoint is stored, in ascending order. No weights are read. */
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

/** The checkpoint from which a run can continue. */
export interface ForkPoint {
  checkpoint: Checkpoint;
  /** The errors in newer checkpoints, which are damaged; the newest comes first. */
  damaged: StorageError[];
}

/**
 * The newest intact checkpoint up to an iteration; null if the run has no checkpoints at all. Throws StorageError if
 * there are checkpoints, but none is intact.
 */
export async function resumePoint(id: RunId, until = Infinity): Promise<ForkPoint | null> {
  const damaged: StorageError[] = [];
  for (const iteration of (await listCheckpoints(id)).filter((at) => at <= until).toReversed()) {
    try {
      return { checkpoint: await loadCheckpoint(id, iteration), damaged };
    } catch (error) {
      damaged.push(storageError(`checkpoint ${iteration}`, error));
    }
  }
  if (damaged[0]) throw damaged[0];
  return null;
}

/**
 * The requested checkpoints with the names of their runs, in the same order. A checkpoint that is requested several
 * times is read only once. Throws StorageError if one cannot be read.
 */
export async function loadNamedCheckpoints(
  wanted: readonly { run: RunId; iteration: number }[],
): Promise<{ checkpoint: Checkpoint; name: string }[]> {
  const read = new Map<string, { checkpoint: Checkpoint; name: string }>();
  const keyOf = ({ run, iteration }: (typeof wanted)[number]) => `${iteration} ${run}`;
  for (const one of wanted) {
    if (read.has(keyOf(one))) continue;
    read.set(keyOf(one), {
      checkpoint: await loadCheckpoint(one.run, one.iteration),
      name: (await loadRun(one.run)).name,
    });
  }
  return wanted.map((one) => read.get(keyOf(one)) as { checkpoint: Checkpoint; name: string });
}
