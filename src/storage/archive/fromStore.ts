// Reads the records of a run from the browser's store one after the other, for an archive. So only one record is in
// memory at a time, even if the run is long. A damaged record is left out and reported, because the other records are
// still useful. If the dialogues of an iteration are damaged, its measurements are still included.
import { StorageError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { isOwn } from '../../config/worlds/own.ts';
import type { RunId } from '../../records/ids.ts';
import type { RunLabel } from '../../records/stored/runLabel.ts';
import { runRange } from '../database.ts';
import { listBranches, listCheckpoints, loadCheckpoint, loadRun, loadWorld, reading } from '../reading.ts';
import { asEvaluation, asLabel, asMetrics, asPacked, asRow, asShown } from '../validate.ts';
import {
  branchEntry,
  checkpointEntry,
  iterationEntry,
  labelEntry,
  runEntry,
  worldEntry,
  type ArchiveEntry,
  type KeptIteration,
} from './archivedRun.ts';

/**
 * All stored records of a run; damaged ones are left out and reported. Throws StorageError if the run itself, or its
 * world, cannot be read.
 */
export async function* entriesOf(id: RunId, tell: (damaged: StorageError) => void): AsyncGenerator<ArchiveEntry> {
  const run = await loadRun(id);
  yield runEntry(run);
  const label = await labelAt(id, tell);
  if (label) yield labelEntry(label);
  const { name } = run.config.world;
  if (isOwn(name)) yield worldEntry(await loadWorld(name));
  for (const at of await listCheckpoints(id)) {
    const checkpoint = await whole(loadCheckpoint(id, at), tell);
    if (checkpoint) yield checkpointEntry(checkpoint);
  }
  for (const at of await iterationsOf(id)) {
    const kept = await whole(keptAt(id, at, tell), tell);
    if (kept) yield iterationEntry(at, kept);
  }
  const { branches, damaged } = await listBranches(id);
  damaged.forEach(tell);
  for (const branch of branches) yield branchEntry(branch);
}

/**
 * Reads a record. If it is damaged, this is reported and the result is null. Throws if the store cannot be read at all.
 */
const whole = <T>(record: Promise<T>, tell: (damaged: StorageError) => void): Promise<T | null> =>
  record.catch((thrown: unknown) => {
    if (!(thrown instanceof StorageError) || thrown.reason !== 'other') throw thrown;
    tell(thrown);
    return null;
  });

function labelAt(id: RunId, tell: (damaged: StorageError) => void): Promise<RunLabel | null> {
  const what = `label of run ${id}`;
  return reading(what, async (database) => {
    const record = await database.get('labels', id);
    const label = asLabel(record);
    if (record && !label)
      tell(new StorageError(spoken`${what}: this label is damaged; write the label again in the library.`));
    return label;
  });
}

/** The iterations of which at least one record is stored, in ascending order. */
async function iterationsOf(id: RunId): Promise<number[]> {
  const found = await reading(`iterations of run ${id}`, async (database) => {
    const stores = ['metrics', 'evaluations', 'iterations', 'shown'] as const;
    const keys = await Promise.all(stores.map((store) => database.getAllKeys(store, runRange(id))));
    return keys.flat().map(([, iteration]) => iteration);
  });
  return [...new Set(found)].sort((a, b) => a - b);
}

function keptAt(id: RunId, iteration: number, tell: (damaged: StorageError) => void): Promise<KeptIteration> {
  const what = `iteration ${iteration} of run ${id}`;
  const key: [string, number] = [id, iteration];
  return reading(what, async (database) => {
    const [metrics, evaluation, packed, row, shown] = await Promise.all([
      database.get('metrics', key),
      database.get('evaluations', key),
      database.get('iterations', key),
      database.get('iterationRows', key),
      database.get('shown', key),
    ]);
    const dialogues = async () => ({
      packed: packed ? asPacked(packed, `trajectories of ${what}`) : null,
      row: row ? asRow(row, what) : null,
    });
    return {
      metrics: metrics ? asMetrics(metrics, what) : null,
      evaluation: evaluation ? asEvaluation(evaluation, what) : null,
      ...((await whole(dialogues(), tell)) ?? { packed: null, row: null }),
      shown: shown ? asShown(shown, what) : null,
    };
  });
}
