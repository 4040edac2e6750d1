// Warm starts trained on this machine. They are kept in the store or, if there is none, in memory while the page is
// open. They can be trained again, so nothing here throws, and the oldest ones are deleted if there are too many or if
// storage is scarce.
import type { NetworkState } from '../records/stored/checkpoint.ts';
import type { KeptWarmStart, StoredWarmStart, WarmStartStore } from '../records/stored/warmStart.ts';
import { withChecksum } from './checksum.ts';
import { openDatabase, type Database } from './database.ts';
import { owned } from './room.ts';
import { asWarmStart } from './validate.ts';

/** Limits of the store. */
export const warmStartLimits = { count: 8, bytes: 64e6 };

export class WarmStarts implements WarmStartStore {
  /** Warm starts that the store could not write, the newest last. */
  #inMemory: StoredWarmStart[] = [];

  async load(key: string): Promise<KeptWarmStart | null> {
    const remembered = this.#inMemory.find((kept) => kept.key === key);
    if (remembered) return remembered;
    try {
      const record = await (await openDatabase()).get('warmStarts', key);
      return record ? asWarmStart(record, 'warm start') : null;
    } catch {
      // A record that cannot be read is replaced when the warm start is trained again, with the same result.
      return null;
    }
  }

  async save({ key, step, networks }: KeptWarmStart): Promise<void> {
    const kept = owned(networks);
    const bytes = kept.reduce((sum, network) => sum + sizeOf(network), 0);
    if (bytes > warmStartLimits.bytes) return;
    // The time is only used to find the oldest warm start.
    const stored = { key, step, networks: kept, bytes, savedMs: Date.now() };
    this.#inMemory = this.#inMemory.filter((other) => other.key !== key);
    try {
      await keep(await openDatabase(), stored, warmStartLimits);
    } catch {
      const isStored = await forgetOthers(stored);
      if (!isStored) this.#inMemory = newest([...this.#inMemory, stored], warmStartLimits);
    }
  }
}

/** If storage is scarce, tries again after all other warm starts were deleted. */
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

/** The newest warm starts, as many as the limits allow; in `kept` the newest is last. */
function newest(kept: readonly StoredWarmStart[], { count, bytes }: typeof warmStartLimits): StoredWarmStart[] {
  let room = bytes;
  const fitting = kept.slice(-count).reverse();
  const firstTooLarge = fitting.findIndex((warmStart) => (room -= warmStart.bytes) < 0);
  return fitting.slice(0, firstTooLarge < 0 ? undefined : firstTooLarge).reverse();
}

const sizeOf = ({ weights, m, v }: NetworkState) =>
  [...weights.map(({ values }) => values), ...m, ...v].reduce((sum, { byteLength }) => sum + byteLength, 0);
