// Stores results of claims. Only the worker that runs experiments uses this code.
import type { ClaimResult } from '../records/claims/result.ts';
import { openDatabase, storageError } from './database.ts';

/**
 * Stores results; if there is already a result for a seed, the stored result is not replaced. Returns the number of new
 * results. Throws StorageError.
 */
export async function keepResults(results: readonly ClaimResult[]): Promise<number> {
  try {
    const transaction = (await openDatabase()).transaction('claimResults', 'readwrite');
    let added = 0;
    for (const result of results) {
      if ((await transaction.store.getKey([result.digest, result.seed])) !== undefined) continue;
      await transaction.store.put(result);
      added++;
    }
    await transaction.done;
    return added;
  } catch (error) {
    throw storageError('results of claims', error);
  }
}

/** Deletes all results of one experiment. Throws StorageError. */
export async function forgetResults(digest: string): Promise<void> {
  try {
    await (await openDatabase()).delete('claimResults', IDBKeyRange.bound([digest, -Infinity], [digest, Infinity]));
  } catch (error) {
    throw storageError('results of claims', error);
  }
}
