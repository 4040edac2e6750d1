// Lets tests use IndexedDB in Node, by means of fake-indexeddb, a complete IndexedDB in memory.
import 'fake-indexeddb/auto';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeEach } from 'vitest';
import { closeDatabase } from '../database.ts';

/** Gives every test of a file its own empty IndexedDB. */
export function emptyDatabase(): void {
  beforeEach(() => {
    globalThis.indexedDB = new IDBFactory();
  });
  afterEach(closeDatabase);
}
