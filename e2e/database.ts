// Reads and writes the page's IndexedDB through the browser's own interface, without the code of the project. Another
// page of the same origin could do the same.
import type { Page } from 'playwright-core';

export type StoreName =
  | 'runs'
  | 'checkpoints'
  | 'metrics'
  | 'evaluations'
  | 'iterations'
  | 'iterationRows'
  | 'shown'
  | 'preferences'
  | 'warmStarts'
  | 'labels'
  | 'worlds';

/** Returns all records of a store, ordered by key. Typed arrays become plain arrays, and NaN becomes the text "NaN". */
export async function readStore<T>(page: Page, store: StoreName): Promise<T[]> {
  const text = await page.evaluate(async (name) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('cothink');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error as Error);
    });
    try {
      const records = await new Promise<unknown[]>((resolve, reject) => {
        const reading = database.transaction(name).objectStore(name).getAll();
        reading.onsuccess = () => resolve(reading.result);
        reading.onerror = () => reject(reading.error as Error);
      });
      return JSON.stringify(records, (_, value: unknown) => {
        if (ArrayBuffer.isView(value)) return Array.from(value as Float32Array);
        return Number.isNaN(value) ? 'NaN' : value;
      });
    } finally {
      database.close();
    }
  }, store);
  return JSON.parse(text) as T[];
}

/** Writes a record to a store without checking its content. */
export async function writeRecord(page: Page, store: StoreName, record: unknown): Promise<void> {
  await page.evaluate(
    async ([name, value]) => {
      const database = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open('cothink');
        opening.onsuccess = () => resolve(opening.result);
        opening.onerror = () => reject(opening.error as Error);
      });
      try {
        await new Promise<void>((resolve, reject) => {
          const transaction = database.transaction(name, 'readwrite');
          transaction.objectStore(name).put(value);
          transaction.oncomplete = () => resolve();
          transaction.onabort = () => reject(transaction.error as Error);
        });
      } finally {
        database.close();
      }
    },
    [store, record] as [string, unknown],
  );
}

/** Flips the lowest bit of the first weight of a stored checkpoint, which changes its value very little. */
export async function flipBit(page: Page, key: [run: string, iteration: number]): Promise<void> {
  await page.evaluate(async (at) => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open('cothink');
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error as Error);
    });
    try {
      await new Promise<void>((resolve, reject) => {
        const transaction = database.transaction('checkpoints', 'readwrite');
        const store = transaction.objectStore('checkpoints');
        const reading = store.get(at) as IDBRequest<{ networks: { weights: { values: Float32Array }[] }[] }>;
        reading.onsuccess = () => {
          const { buffer } = reading.result.networks[0]?.weights[0]?.values as Float32Array;
          const bytes = new Uint8Array(buffer);
          bytes[0] = (bytes[0] as number) ^ 1;
          store.put(reading.result);
        };
        transaction.oncomplete = () => resolve();
        transaction.onabort = () => reject(transaction.error as Error);
      });
    } finally {
      database.close();
    }
  }, key);
}
