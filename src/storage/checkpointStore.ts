// The only code that writes runs, and it runs in the worker alone. Each call is one transaction: stored whole or not
// at all. Every method throws StorageError, which tells how to free room when there is none.
import type { StoreNames } from 'idb';
import { StorageError } from '../base/errors.ts';
import { mean } from '../base/stats.ts';
import type {
  Checkpoint,
  CheckpointStore,
  MixingState,
  NamedArray,
  NetworkState,
  RunRecord,
  StoredIteration,
} from '../records/checkpoint.ts';
import { trunksOf } from '../records/branch.ts';
import type { RunId } from '../records/ids.ts';
import type { Evaluation } from '../records/metrics.ts';
import {
  iterationStores,
  openDatabase,
  runRange,
  storageError,
  type CothinkSchema,
  type Database,
} from './database.ts';
import { packTrajectories } from './pack.ts';
import { storageEstimate } from './reading.ts';

/** Checkpoints of a run beyond which older ones are thinned. */
export const checkpointLimit = 20;

type Name = StoreNames<CothinkSchema>;
type Transaction = ReturnType<typeof begin>;
const begin = (database: Database, stores: Name[]) => database.transaction(stores, 'readwrite');

async function writing(what: string, stores: Name[], write: (transaction: Transaction) => Promise<unknown>) {
  let transaction: Transaction | undefined;
  try {
    transaction = begin(await openDatabase(), stores);
    await Promise.all([write(transaction), transaction.done]);
  } catch (error) {
    // A put that throws at once would leave the puts before it standing.
    if (transaction) await undo(transaction);
    throw await withRoom(storageError(what, error), error);
  }
}

/** The error of a full store with the figures of the browser, where it tells them. */
async function withRoom(failure: StorageError, cause: unknown): Promise<StorageError> {
  const room = (cause as Error | null)?.name === 'QuotaExceededError' ? await storageEstimate() : null;
  if (!room) return failure;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  return new StorageError(
    `${failure.message} In use: ${megabytes(room.usedBytes)} of ${megabytes(room.grantedBytes)}.`,
  );
}

async function undo(transaction: Transaction): Promise<void> {
  try {
    transaction.abort();
  } catch {
    // It is over already; `done` below has the outcome, and the first error is the one that is told.
  }
  await transaction.done.catch(() => undefined);
}

/** The store of the worker. */
export class IndexedDbStore implements CheckpointStore {
  /** Adds a run, or replaces it. */
  saveRun(run: RunRecord): Promise<void> {
    return writing(`run ${run.id}`, ['runs'], (transaction) => transaction.objectStore('runs').put(run));
  }

  /** Adds a checkpoint; beyond `checkpointLimit` every second older one goes, the first and the newest never. */
  saveCheckpoint(checkpoint: Checkpoint, replaced: number | null = null): Promise<void> {
    const { runId, iteration } = checkpoint;
    return writing(`checkpoint ${iteration} of run ${runId}`, ['checkpoints'], async (transaction) => {
      const store = transaction.objectStore('checkpoints');
      await store.put(ownedCheckpoint(checkpoint));
      if (replaced !== null) await store.delete([runId, replaced]);
      const keys = await store.getAllKeys(runRange(runId));
      const surplus = thin(keys.map(([, at]) => at));
      await together(surplus.map((at) => () => store.delete([runId, at])));
    });
  }

  /** Metrics, an evaluation if there was one, the packed trajectories with their row, and the shown group. */
  saveIteration(runId: RunId, stored: StoredIteration): Promise<void> {
    const { metrics, evaluation, trajectories, shown } = stored;
    const { iteration } = metrics;
    const stores: Name[] = ['metrics', 'evaluations', 'iterations', 'iterationRows', 'shown'];
    return writing(`iteration ${iteration} of run ${runId}`, stores, (transaction) => {
      const packed = packTrajectories(trajectories);
      const dialogues = trunksOf(trajectories);
      const row = {
        count: dialogues.length,
        right: dialogues.filter((trajectory) => trajectory.isRight).length,
        meanReward: mean(dialogues.map((trajectory) => trajectory.reward)),
        bytes: packed.length,
      };
      return together([
        () => transaction.objectStore('metrics').put({ ...metrics, runId }),
        () => transaction.objectStore('iterations').put({ packed, runId, iteration }),
        () => transaction.objectStore('iterationRows').put({ ...row, runId, iteration }),
        () => evaluation && transaction.objectStore('evaluations').put({ ...evaluation, runId }),
        () => shown && transaction.objectStore('shown').put({ group: shown, runId, iteration }),
      ]);
    });
  }

  /** An evaluation that belongs to no iteration of its own: the warm start's, or one asked for by hand. */
  saveEvaluation(runId: RunId, evaluation: Evaluation): Promise<void> {
    const what = `evaluation at iteration ${evaluation.iteration} of run ${runId}`;
    return writing(what, ['evaluations'], (transaction) =>
      transaction.objectStore('evaluations').put({ ...evaluation, runId }),
    );
  }

  /** Forgets what a run stored after an iteration: it goes on from there and will write it anew. */
  forgetAfter(runId: RunId, iteration: number): Promise<void> {
    return writing(`run ${runId} after iteration ${iteration}`, [...iterationStores], (transaction) =>
      together(
        iterationStores.map((name) => () => transaction.objectStore(name).delete(runRange(runId, iteration + 1))),
      ),
    );
  }

  /** Deletes a run with everything that belongs to it. */
  deleteRun(runId: RunId): Promise<void> {
    return writing(`run ${runId}`, ['runs', ...iterationStores], (transaction) =>
      together([
        () => transaction.objectStore('runs').delete(runId),
        ...iterationStores.map((name) => () => transaction.objectStore(name).delete(runRange(runId))),
      ]),
    );
  }
}

/** Starts all requests; one that throws at once rejects like the others, so that none of them goes unheard. */
function together(requests: readonly (() => unknown)[]): Promise<unknown> {
  return Promise.all(requests.map(async (request) => request()));
}

/** Which of the rising iterations to drop: none up to `limit`, else every second between the first and the newest. */
export function thin(iterations: readonly number[], limit = checkpointLimit): number[] {
  if (iterations.length <= limit) return [];
  return iterations.slice(0, -1).filter((_, i) => i % 2 === 1);
}

// Storing a view stores the whole buffer behind it, and shared memory cannot be stored at all.
function owned(values: Float32Array): Float32Array {
  const isWhole = values.buffer instanceof ArrayBuffer && values.byteLength === values.buffer.byteLength;
  return isWhole ? values : values.slice();
}

const ownedArrays = (arrays: readonly NamedArray[]) =>
  arrays.map((array) => ({ ...array, values: owned(array.values) }));

const ownedNetwork = (network: NetworkState): NetworkState => ({
  ...network,
  weights: ownedArrays(network.weights),
  critic: ownedArrays(network.critic),
  m: network.m.map(owned),
  v: network.v.map(owned),
});

const ownedMixing = (mixing: MixingState): MixingState => ({
  ...mixing,
  critic: ownedNetwork(mixing.critic),
  target: ownedArrays(mixing.target),
});

function ownedCheckpoint(checkpoint: Checkpoint): Checkpoint {
  return {
    ...checkpoint,
    networks: checkpoint.networks.map(ownedNetwork),
    ...(checkpoint.base && { base: ownedArrays(checkpoint.base) }),
    ...(checkpoint.critics && { critics: checkpoint.critics.map(ownedNetwork) }),
    ...(checkpoint.mixing && { mixing: ownedMixing(checkpoint.mixing) }),
    ...(checkpoint.verifier && {
      verifier: { ...checkpoint.verifier, network: ownedNetwork(checkpoint.verifier.network) },
    }),
    reference: checkpoint.reference.map(ownedArrays),
  };
}
