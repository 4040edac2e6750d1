// A database as an earlier version of the page left it: what is in it stays when this version opens it.
import { IDBFactory } from 'fake-indexeddb';
import { openDB } from 'idb';
import { expect, it } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import { closeDatabase, databaseName, databaseVersion, openDatabase } from './database.ts';
import { packTrajectories } from './pack.ts';
import * as reading from './reading.ts';
import { checkpoint, id, iteration, run } from './testing/sampleRecords.ts';
import './testing/emptyDatabase.ts';

const { metrics, evaluation, trajectories, shown } = iteration(2);
const packed = packTrajectories(trajectories);
const row = { iteration: 2, count: 5, right: 2, meanReward: 0.5, bytes: packed.length };

/** Version 1 as it was made and filled. */
async function makeVersion1(): Promise<void> {
  const database = await openDB(databaseName, 1, {
    upgrade: (made) => {
      made.createObjectStore('runs', { keyPath: 'id' });
      for (const name of ['checkpoints', 'metrics', 'evaluations', 'iterations', 'iterationRows', 'shown'])
        made.createObjectStore(name, { keyPath: ['runId', 'iteration'] });
      made.createObjectStore('preferences');
    },
  });
  await database.put('runs', run());
  await database.put('checkpoints', checkpoint(2));
  await database.put('metrics', { ...metrics, runId: id });
  await database.put('evaluations', { ...evaluation, runId: id });
  await database.put('iterations', { packed, runId: id, iteration: 2 });
  await database.put('iterationRows', { ...row, runId: id });
  await database.put('shown', { group: shown, runId: id, iteration: 2 });
  await database.put('preferences', { winner: 'cpu' }, 'probe A');
  await database.put('preferences', { preset: 'ppo', config: presetConfig('ppo') }, 'lastSettings');
  database.close();
}

it('version 1 keeps everything that is in it, and gets the stores of later versions', async () => {
  await makeVersion1();
  const database = await openDatabase();
  expect(database.version).toBe(databaseVersion);
  expect(await reading.loadRun(id)).toEqual(run());
  expect(await reading.loadCheckpoint(id, 2)).toEqual(checkpoint(2));
  expect(await reading.loadMetrics(id)).toEqual({ metrics: [metrics], evaluations: [evaluation] });
  expect(await reading.loadIteration(id, 2)).toEqual(trajectories);
  expect(await reading.listIterations(id)).toEqual([row]);
  expect(await reading.loadShown(id, 2)).toEqual(shown);
  expect(await database.getAllKeys('preferences')).toEqual(['lastSettings', 'probe A']);
  const later = ['summaries', 'warmStarts', 'worldForms', 'worlds', 'branches', 'claimResults', 'labels'] as const;
  expect(await Promise.all(later.map((name) => database.count(name)))).toEqual([0, 0, 0, 0, 0, 0, 0]);
});

it('every store of this version is there in a database that is new', async () => {
  await makeVersion1();
  const upgraded = [...(await openDatabase()).objectStoreNames];
  await closeDatabase();
  globalThis.indexedDB = new IDBFactory();
  expect([...(await openDatabase()).objectStoreNames]).toEqual(upgraded);
});
