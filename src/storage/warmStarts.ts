// Stores the warm starts that were trained in this browser. If the store cannot be used, the warm starts stay in memory
// while the page is open. Warm starts can be trained again. Therefore no function in this file throws an error, and the
// oldest warm starts are deleted if there are too many or if storage is full.
import type { NetworkState } from '../records/stored/checkpoint.ts';
import type { KeptWarmStart, StoredWarmStart, WarmStartStore } from '../records/stored/warmStart.ts';
import { withChecksum } from './checksum.ts';
import { openDatabase, type Database } from './database.ts';
import { owned } from './room.ts';
import { asWarmStart } from './validate.ts';

/** Limits of the store. */
export const warmStartLimits = { count: 8, bytes: 64e6 };

export class WarmStarts implements WarmStartStore {
  /** The warm starts that could not be written to the store. The newest one is at the end. */
  #inMemory: StoredWarmStart[] = [];

  async load(key: string): Promise<KeptWarmStart | null> {
    const remembered = this.#inMemory.find((kept) => kept.key === key);
    if (remembered) return remembered;
    try {
      const record = await (await openDatabase()).get('warmStarts', key);
      return record ? asWarmStart(record, 'warm start') : null;
    } catch {
      // If the record cannot be read, the warm start is trained again. The result is the same, and replaces the record.
      return null;
    }
  }

  async save({ networks, ...others }: KeptWarmStart): Promise<void> {
    const { key } = others;
    const kept = owned(networks);
    const bytes = kept.reduce((sum, network) => sum + sizeOf(network), 0);
    if (bytes > warmStartLimits.bytes) return;
    // The time is used only to find the oldest warm start.
    const stored = { ...others, networks: kept, bytes, savedMs: Date.now() };
    this.#inMemory = this.#inMemory.filter((other) => other.key !== key);
    try {
      await keep(await openDatabase(), stored, warmStartLimits);
    } catch {
      const isStored = await forgetOthers(stored);
      if (!isStored) this.#inMemory = newest([...this.#inMemory, stored], warmStartLimits);
    }
  }
}

/** Deletes all other warm starts, because storage is full, and then stores this one. Returns whether it was stored. */
async function forgetOthers(kept: StoredWarmStart): Promise<boolean> {
  try {
    const database = await openDatabase();
    await database.clear('warmStarts');
    await keep(database, kept, warmStartLimits);
    return true;
  } catch {
    return false;
  }
}

async function keep(database: Database, kept: StoredWarmStart, limits: typeof warmStartLimits): Promise<void> {
  const transaction = database.transaction('warmStarts', 'readwrite');
  const store = transaction.objectStore('warmStarts');
  const others = (await store.getAll()).filter(({ key }) => key !== kept.key);
  const inOrder = [...others.sort((a, b) => a.savedMs - b.savedMs), kept];
  const staying = newest(inOrder, limits);
  const going = inOrder.filter((warmStart) => !staying.includes(warmStart));
  await Promise.all([
    store.put(withChecksum(kept), kept.key),
    ...going.map(({ key }) => store.delete(key)),
    transaction.done,
  ]);
}

/**
 * As many of the newest warm starts as the limits allow. In `kept` and in the result, the newest warm start is at the
 * end.
 */
function newest(kept: readonly StoredWarmStart[], { count, bytes }: typeof warmStartLimits): StoredWarmStart[] {
  let room = bytes;
  const fitting = kept.slice(-count).reverse();
  const firstTooLarge = fitting.findIndex((warmStart) => (room -= warmStart.bytes) < 0);
  return fitting.slice(0, firstTooLarge < 0 ? undefined : firstTooLarge).reverse();
}

const sizeOf = ({ weights, m, v }: NetworkState) =>
  [...weights.map(({ values }) => values), ...m, ...v].reduce((sum, { byteLength }) => sum + byteLength, 0);
