// To import it gives every test of a file an empty IndexedDB of its own: fake-indexeddb, a whole one in memory.
import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach } from 'vitest';
import { closeDatabase } from '../database.ts';

beforeEach(() => {
  globalThis.indexedDB = new IDBFactory();
});

afterEach(closeDatabase);
