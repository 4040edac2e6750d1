// Reads the sample databases of earlier versions of the page. Each was created by the code of its version and contains
// all stores (former/README.md).
import { readdirSync, readFileSync } from 'node:fs';
import { deserialize } from 'node:v8';
import { gunzipSync } from 'node:zlib';
import { openDB } from 'idb';
import type { RunId } from '../../records/ids.ts';
import { closeDatabase, databaseName } from '../database.ts';

export type Fields = Record<string, unknown>;

/** An object store with its definition and all its records. */
interface FormerStore {
  keyPath: string | string[] | null;
  indexes: [name: string, keyPath: string | string[]][];
  keys: IDBValidKey[];
  values: Fields[];
}

export interface FormerSample {
  /** Version of the database. */
  version: number;
  /** The ids of the runs in the sample, by the kind of run. */
  ids: Record<string, RunId>;
  stores: Record<string, FormerStore>;
  /** The trajectories by run and iteration, as the code of that version unpacked them. */
  unpacked: Record<string, Fields[]>;
  /** The files that the code of that version exported for these runs. */
  files: Record<string, Uint8Array<ArrayBuffer>>;
}

const folder = new URL('former/', import.meta.url);
const ending = '.v8.gz';

/**
 * The names of the samples. A name consists of the version of the database, and the format of its runs and checkpoints.
 * The oldest sample comes first.
 */
export const sampleNames: readonly string[] = readdirSync(folder)
  .filter((file) => file.endsWith(ending))
  .map((file) => file.slice(0, -ending.length))
  .sort();

export const formerSample = (name: string) =>
  deserialize(gunzipSync(readFileSync(new URL(`${name}${ending}`, folder)))) as FormerSample;

/** Makes a database that is exactly like the sample, with the same version number and the same stores. */
export async function leaveDatabase({ version, stores }: FormerSample): Promise<void> {
  await closeDatabase();
  const database = await openDB(databaseName, version, {
    upgrade: (made) => {
      for (const [name, { keyPath, indexes, keys, values }] of Object.entries(stores)) {
        const store = made.createObjectStore(name, { keyPath });
        for (const [index, path] of indexes) store.createIndex(index, path);
        values.forEach((value, i) => void store.put(value, keyPath === null ? keys[i] : undefined));
      }
    },
  });
  database.close();
}

/** The records of a store. */
export const formerRecords = ({ stores }: FormerSample, name: string): Fields[] => stores[name]?.values ?? [];
