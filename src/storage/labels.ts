// The visitor's labels of stored runs, which are applied whenever a run is read. A renamed run therefore has its new
// name everywhere, even where the run is displayed as the parent of a fork. The run's own record still contains the
// name that the trainer chose.
import type { IDBPTransaction, StoreNames } from 'idb';
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { uniqueName } from '../config/runName.ts';
import type { RunRecord } from '../records/stored/checkpoint.ts';
import { isTurned, labelLimits, labelSchema, renamingSchema, type RunLabel } from '../records/stored/runLabel.ts';
import type { CothinkSchema, Database } from './database.ts';
import { asLabel } from './validate.ts';

/** The labels, by the id of the run. Damaged labels are left out. */
export type Labels = ReadonlyMap<string, RunLabel>;

export function labelsIn(records: readonly unknown[]): Labels {
  return new Map(records.flatMap((record) => asLabel(record) ?? []).map((label) => [label.runId, label]));
}

/** The labels of a run and of its parent. */
export async function labelsOf(database: Database, { id, forkedFrom }: RunRecord): Promise<Labels> {
  const ids = [id, ...(forkedFrom ? [forkedFrom.id] : [])];
  return labelsIn(await Promise.all(ids.map((one) => database.get('labels', one))));
}

/** A copy of the run's record with the names that the visitor chose for the run and for its parent. */
export function named(run: RunRecord, labels: Labels): RunRecord {
  const { id, name, forkedFrom } = run;
  return {
    ...run,
    name: labels.get(id)?.name ?? name,
    ...(forkedFrom && { forkedFrom: { ...forkedFrom, name: labels.get(forkedFrom.id)?.name ?? forkedFrom.name } }),
  };
}

type Transaction = IDBPTransaction<CothinkSchema, StoreNames<CothinkSchema>[], 'readwrite'>;

/**
 * Stores a label and replaces the run's old label. If another run already has the new name, a number is appended.
 * Throws StorageError.
 */
export async function putLabel(transaction: Transaction, given: RunLabel): Promise<RunLabel> {
  const runs = await transaction.objectStore('runs').getAll();
  const labels = labelsIn(await transaction.objectStore('labels').getAll());
  const run = runs.find(({ id }) => id === given.runId);
  if (!run)
    throw new StorageError(
      spoken`the label: this run is not stored yet, so its name, notes and tags cannot be stored; train for one iteration first.`,
    );
  // The limit for the length applies only to a new name. The old name may be longer, because it may come from the
  // trainer or from an archive.
  const isRenamed = given.name !== named(run, labels).name;
  if (isTurned(isRenamed ? given : { ...given, name: '' }))
    throw new StorageError(
      spoken`the label: the name, the notes or the tags contain characters that change the writing direction; leave out these characters.`,
    );
  const label = asLabel(given, isRenamed ? renamingSchema : labelSchema);
  if (!label) {
    const { name, notes, tag, tags } = labelLimits;
    throw new StorageError(
      spoken`the label: expected a name of 1 to ${name} characters, notes of at most ${notes}, and at most ${tags} tags of 1 to ${tag} characters each.`,
    );
  }
  const taken = new Set(runs.flatMap((one) => (one === run ? [] : named(one, labels).name)));
  const put = isRenamed ? { ...label, name: uniqueName(label.name, taken) } : label;
  await transaction.objectStore('labels').put(put);
  return put;
}
