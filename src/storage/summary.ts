// Writes the summary of a run. The summary is written in the same transaction as the records that it describes, so it
// never lists records that are not stored. For runs of earlier versions, which had no summaries, a summary is created
// here.
import type { IDBPTransaction, StoreNames } from 'idb';
import type { RunId } from '../records/ids.ts';
import type { Evaluation } from '../records/metrics.ts';
import type { Checkpoint } from '../records/stored/checkpoint.ts';
import type { RunSummary } from '../records/stored/runSummary.ts';
import { runRange, type CothinkSchema } from './database.ts';
import { presentEvaluation } from '../migrations/records.ts';
import { bytesOf } from './room.ts';

/** The stores whose records a summary describes. */
export const summarisedStores = ['summaries', 'checkpoints', 'metrics', 'evaluations', 'iterationRows'] as const;

type Name = StoreNames<CothinkSchema>;
type Transaction<M extends IDBTransactionMode> = IDBPTransaction<CothinkSchema, Name[], M>;
type Mode = 'readonly' | 'readwrite';

export const emptySummary = (id: RunId): RunSummary => ({ id, order: 0, evaluation: null, bytes: 0, checkpoints: [] });

/**
 * Makes a summary from the stored records of a run. If the former summary is passed as `known`, its facts about
 * checkpoints are used, so that the checkpoints need not be read.
 */
export async function summaryOf(
  transaction: Transaction<Mode>,
  id: RunId,
  known: RunSummary = emptySummary(id),
): Promise<RunSummary> {
  const evaluation = await newest(transaction, 'evaluations', id);
  return {
    ...known,
    evaluation: evaluation && withoutRun(evaluation),
    bytes: await iterationBytes(transaction, id),
    ...(await checkpointFacts(transaction, id, known)),
  };
}

/** The entry of the summary about the model of a checkpoint, if the checkpoint contains only the model's name. */
export const namedBase = ({ base, foreign, config }: Pick<Checkpoint, 'base' | 'foreign' | 'config'>) =>
  !base && foreign ? { base: { name: config.agents.start, label: foreign.label } } : {};

/**
 * The bytes of all records that a run has stored for its iterations. The total size of the metrics is estimated from
 * the metrics of the newest iteration, because measuring all metrics would take longer after every iteration.
 */
export async function iterationBytes(transaction: Transaction<Mode>, id: RunId): Promise<number> {
  const rows = await transaction.objectStore('iterationRows').getAll(runRange(id));
  const first = await transaction.objectStore('metrics').openKeyCursor(runRange(id));
  const last = await newest(transaction, 'metrics', id);
  const metrics = first && last ? (last.iteration - first.key[1] + 1) * bytesOf(last) : 0;
  return rows.reduce((sum, row) => sum + row.bytes, metrics);
}

/**
 * The facts about a run's checkpoints. A checkpoint of unknown size is assumed to be as large as the newest checkpoint,
 * which is read to get its size and its base model.
 */
async function checkpointFacts(transaction: Transaction<Mode>, id: RunId, known: RunSummary) {
  const keys = await transaction.objectStore('checkpoints').getAllKeys(runRange(id));
  const sizes = new Map(known.checkpoints.map(({ iteration, bytes }) => [iteration, bytes]));
  const isKnown = keys.every(([, iteration]) => sizes.has(iteration));
  const read = isKnown ? null : await newest(transaction, 'checkpoints', id);
  const each = bytesOf(read ?? '');
  return {
    checkpoints: keys.map(([, iteration]) => ({ iteration, bytes: sizes.get(iteration) ?? each })),
    ...(read && namedBase(read)),
  };
}

async function newest<N extends 'checkpoints' | 'metrics' | 'evaluations'>(
  transaction: Transaction<Mode>,
  name: N,
  id: RunId,
): Promise<CothinkSchema[N]['value'] | null> {
  const cursor = await transaction.objectStore(name).openCursor(runRange(id), 'prev');
  return (cursor?.value as CothinkSchema[N]['value'] | undefined) ?? null;
}

const withoutRun = ({ runId: _, ...evaluation }: Evaluation & { runId: string }) =>
  presentEvaluation(evaluation) as Evaluation;

/** The highest order number of all runs. The next number is one higher. */
export async function highestOrder(transaction: Transaction<Mode>): Promise<number> {
  const cursor = await transaction.objectStore('summaries').index('order').openKeyCursor(null, 'prev');
  return cursor?.key ?? 0;
}
