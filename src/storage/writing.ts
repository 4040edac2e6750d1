// Writes to the store in a transaction, which is stored completely or not at all. If there is not enough space, the
// error explains how to free space.
import type { StoreNames } from 'idb';
import { StorageError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { answeredWithin, openDatabase, storageError, type CothinkSchema, type Database } from './database.ts';
import { storageEstimate } from './room.ts';

/**
 * The maximum time that a transaction may take, in milliseconds; writing a large checkpoint to a slow disk takes
 * several seconds.
 */
const writingMs = 60_000;

export type StoreName = StoreNames<CothinkSchema>;
export type Transaction = ReturnType<typeof begin>;
const begin = (database: Database, stores: StoreName[]) => database.transaction(stores, 'readwrite');

/**
 * Writes to these stores in one transaction, either completely or not at all. Throws StorageError if this fails; the
 * message contains `what`.
 */
export async function writing(
  what: string,
  stores: StoreName[],
  write: (transaction: Transaction) => Promise<unknown>,
) {
  let transaction: Transaction | undefined;
  try {
    transaction = begin(await openDatabase(), stores);
    await answeredWithin(writingMs, what, Promise.all([write(transaction), transaction.done]));
  } catch (error) {
    // The transaction must be aborted: otherwise, if a write operation throws an error synchronously, the operations
    // before it would still be committed.
    if (transaction) await undo(transaction);
    throw await withRoom(storageError(what, error), error);
  }
}

/**
 * If storage is full and the browser reports the used and the available space, returns an error with these numbers;
 * otherwise the same error.
 */
async function withRoom(failure: StorageError, cause: unknown): Promise<StorageError> {
  const room = (cause as Error | null)?.name === 'QuotaExceededError' ? await storageEstimate() : null;
  if (!room) return failure;
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`;
  return new StorageError(
    spoken`${failure.message} Storage in use: ${megabytes(room.usedBytes)} of ${megabytes(room.grantedBytes)}.`,
    failure.reason,
  );
}

async function undo(transaction: Transaction): Promise<void> {
  try {
    transaction.abort();
  } catch {
    // The transaction has already ended. The caller reports the first error.
  }
  await transaction.done.catch(() => undefined);
}

/**
 * Starts all requests. If a request throws an error synchronously, the error is converted to a rejected promise. So the
 * promises of the other requests are still awaited, and no rejection is unhandled.
 */
export function together(requests: readonly (() => unknown)[]): Promise<unknown> {
  return Promise.all(requests.map(async (request) => request()));
}
