// The trainer as the page drives it, in Node: the real engine, session and store. Two stand-ins, as Node has neither
// a server nor a browser's store: `fetch` reads files, and IndexedDB is fake-indexeddb.
import 'fake-indexeddb/auto';
import { readFile } from 'node:fs/promises';
import { IDBFactory } from 'fake-indexeddb';
import { afterEach, beforeAll, beforeEach } from 'vitest';
import type { RunRecord } from '../../src/records/checkpoint.ts';
import type { RunState, TrainerEvent } from '../../src/records/events.ts';
import { closeDatabase } from '../../src/storage/database.ts';
import { Trainer } from '../trainer.ts';

/** Puts the stand-ins in place for the tests of a file, with an empty store for each. */
export function standIn(): void {
  const realFetch = globalThis.fetch;
  beforeAll(() => {
    globalThis.fetch = async (input) => new Response(new Uint8Array(await readFile(new URL(input as string))));
    return () => (globalThis.fetch = realFetch);
  });
  beforeEach(() => {
    globalThis.indexedDB = new IDBFactory();
  });
  afterEach(closeDatabase);
}

/** A trainer with its news; `state` waits for one. */
export async function heardTrainer() {
  const trainer = new Trainer();
  const events: TrainerEvent[] = [];
  await trainer.listen((news) => events.push(...news));
  const heard = <K extends TrainerEvent['kind']>(kind: K) =>
    events.filter((event): event is Extract<TrainerEvent, { kind: K }> => event.kind === kind);
  const state = async (wanted: RunState) => {
    while (heard('state').at(-1)?.state !== wanted) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const run = (): RunRecord => heard('run').at(-1)?.run as RunRecord;
  return { trainer, events, heard, state, run };
}
