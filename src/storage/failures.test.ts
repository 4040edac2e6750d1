// Tests of the store with damaged records, with writes that fail, and with a database that cannot be opened.
import { openDB } from 'idb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { presetConfig } from '../config/presets.ts';
import { StorageError } from '../base/errors.ts';
import { checkpointFormat } from '../records/stored/checkpoint.ts';
import { IndexedDbStore } from './checkpointStore.ts';
import {
  closeDatabase,
  databaseName,
  databaseVersion,
  isSilent,
  openDatabase,
  untilAnswered,
  type CothinkSchema,
} from './database.ts';
import * as reading from './reading.ts';
import { array, checkpoint, id, iteration, run } from './testing/sampleRecords.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const store = new IndexedDbStore();

/** Writes a record directly to the database, without the checks of the store. */
async function smuggle(name: 'runs' | 'checkpoints' | 'metrics' | 'iterations' | 'shown', record: object) {
  await (await openDatabase()).put(name, record as never);
}

afterEach(() => void vi.restoreAllMocks());

describe('damaged and foreign records', () => {
  it('are named by field and left where they are, beside the good ones', async () => {
    await store.saveRun(run());
    await smuggle('runs', { ...run(), id: 'run-2', iteration: 'four' });
    await smuggle('runs', { ...run(), id: 'run-3', config: { learning: { clipHigh: 'wide' } } });
    await smuggle('runs', { ...run(), id: 'run-4', format: 99 });
    await smuggle('runs', { ...run(), id: 'run-5', createdMs: 1e300 });
    const { runs, damaged } = await reading.listRuns();
    expect(runs.map((item) => item.run.id)).toEqual([id]);
    expect(damaged.map((item) => item.id)).toEqual(['run-2', 'run-3', 'run-4', 'run-5']);
    expect(damaged.map(({ error }) => error.message)).toEqual([
      'run run-2: iteration: expected number, got "four".',
      'run run-3: config.learning.clipHigh: expected a number from 0 to 1, got "wide".',
      expect.stringContaining(`run run-4: format: expected at most ${checkpointFormat}, got 99`),
      'run run-5: createdMs: expected <=8640000000000000, got 1e+300.',
    ]);
    expect(await (await openDatabase()).count('runs')).toBe(5);
  });

  it('can be deleted like the good ones', async () => {
    await store.saveRun(run());
    await smuggle('runs', { ...run(), id: 'run-2', iteration: 'four' });
    for (const { id: damaged } of (await reading.listRuns()).damaged) await store.deleteRun(damaged);
    const list = await reading.listRuns();
    expect([list.runs.length, list.damaged.length]).toEqual([1, 0]);
  });

  it('are passed over by a run that goes on: the newest checkpoint that is whole, and what is wrong with the others', async () => {
    await store.saveRun(run());
    for (const at of [1, 2]) await store.saveCheckpoint(checkpoint(at));
    await smuggle('checkpoints', { ...checkpoint(3), networks: 'gone' });
    const [network] = checkpoint(1).networks;
    await smuggle('checkpoints', {
      ...checkpoint(4),
      networks: [{ ...network, v: [Float32Array.of(1, NaN, 3), Float32Array.of(8)] }],
    });
    const way = await reading.resumePoint(id);
    expect(way?.checkpoint).toEqual(checkpoint(2));
    expect(way?.damaged.map(({ message }) => message)).toEqual([
      'checkpoint 4 of run run-1: networks.0.v.0: expected finite numbers, but some are not finite.',
      'checkpoint 3 of run run-1: networks: expected Array, got "gone".',
    ]);
    await store.forgetAfter(id, 0);
    expect(await reading.resumePoint(id)).toBeNull();
    await smuggle('checkpoints', { ...checkpoint(3), networks: 'gone' });
    await expect(reading.resumePoint(id)).rejects.toThrow('checkpoint 3 of run run-1: networks: expected Array');
  });

  const [network] = checkpoint(1).networks;
  const broken: [string, object, RegExp][] = [
    ['a missing network', { networks: [] }, /networks: expected >=1, got 0/],
    [
      'moments of another length',
      { networks: [{ ...network, m: [Float32Array.of(1), Float32Array.of(4)] }] },
      /networks\.0\.m\.0: expected 3 numbers, as many as in a, got 1/,
    ],
    ['too few moments', { networks: [{ ...network, v: [] }] }, /networks\.0\.v: expected 2 arrays/],
    [
      'weights that do not fit their shape',
      { reference: [[{ ...array('a', 1, 2), shape: [1] }]] },
      /reference\.0: a: expected 1 numbers/,
    ],
    [
      'weights of another type',
      { reference: [[{ name: 'a', shape: [1], values: [1] }]] },
      /reference\.0\.0\.values: expected Float32Array/,
    ],
    [
      'a joint critic whose moments are of another length',
      { critics: [{ ...network, m: [Float32Array.of(1), Float32Array.of(4)] }] },
      /critics\.0\.m\.0: expected 3 numbers, as many as in a, got 1/,
    ],
    [
      'lost critics',
      { config: presetConfig('ppo') },
      /: critics: a value is required with these settings, but there is none/,
    ],
    ['a lost coefficient', { klCoef: undefined }, /klCoef: expected/],
    ['a setting of another type', { config: { kl: { coef: 'high' } } }, /config\.kl\.coef/],
  ];
  it.each(broken)('refuse %s', async (_, changes, message) => {
    await smuggle('checkpoints', { ...checkpoint(1), ...changes });
    await expect(reading.loadCheckpoint(id, 1)).rejects.toThrow(message);
    await expect(reading.loadCheckpoint(id, 1)).rejects.toThrow(StorageError);
    expect(await reading.listCheckpoints(id)).toEqual([1]);
  });

  it('say so of a field that is absent', async () => {
    const { backend: _, ...withoutBackend } = run();
    await smuggle('runs', { ...withoutBackend, id: 'run-5' });
    const { damaged } = await reading.listRuns();
    expect(damaged.map(({ error }) => error.message)).toEqual([
      'run run-5: backend: expected a value, but there is none.',
    ]);
  });

  it('refuse what is absent and what cannot be unpacked', async () => {
    await expect(reading.loadCheckpoint(id, 7)).rejects.toThrow(
      'checkpoint 7 of run run-1: expected a record, got nothing',
    );
    await expect(reading.loadRun(id)).rejects.toThrow('expected a record, got nothing');
    await expect(reading.loadIteration(id, 7)).rejects.toThrow(StorageError);
    await smuggle('iterations', { runId: id, iteration: 7, packed: Uint8Array.of(9, 9, 9, 9, 9, 9, 9, 9) });
    await expect(reading.loadIteration(id, 7)).rejects.toThrow('packed trajectories: expected a format up to 2');
    await smuggle('metrics', { runId: id, iteration: 7, values: { loss: 'low' } });
    await expect(reading.loadMetrics(id)).rejects.toThrow(/metrics 0 of run run-1: values\.loss: expected/);
    await smuggle('shown', { runId: id, iteration: 7, group: { rollouts: 3 } });
    await expect(reading.loadShown(id, 7)).rejects.toThrow(/group\./);
  });
});

describe('a store that refuses', () => {
  const failPut = (name: string, afterPuts: number) => {
    const real = IDBObjectStore.prototype.put;
    let puts = 0;
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...given) {
      if (puts++ >= afterPuts) throw new DOMException('no', name);
      return real.apply(this, given);
    });
  };

  it('tells how to free room when there is none, and stores nothing of that iteration', async () => {
    await store.saveIteration(id, iteration(1));
    failPut('QuotaExceededError', 3);
    const saving = store.saveIteration(id, iteration(2));
    await expect(saving).rejects.toThrow(StorageError);
    await expect(saving).rejects.toThrow(/iteration 2 of run run-1: .*delete older runs/);
    vi.restoreAllMocks();
    expect((await reading.loadMetrics(id)).metrics.map((item) => item.iteration)).toEqual([1]);
    await store.saveIteration(id, iteration(2));
    expect(await reading.listIterations(id)).toHaveLength(2);
  });

  it('says how much room is in use where the browser tells', async () => {
    const estimate = () => Promise.resolve({ usage: 12_300_000, quota: 20_000_000 });
    vi.stubGlobal('navigator', { storage: { estimate } });
    failPut('QuotaExceededError', 0);
    await expect(store.saveRun(run())).rejects.toThrow(/delete older runs .* Storage in use: 12 MB of 20 MB\./);
    vi.unstubAllGlobals();
  });

  it('names any other refusal', async () => {
    failPut('UnknownError', 0);
    await expect(store.saveRun(run())).rejects.toThrow('run run-1: this operation failed in the browser');
    await expect(store.saveRun(run())).rejects.toThrow(/UnknownError/);
  });

  it('refuses a record that cannot be cloned, by name', async () => {
    const foreign = { ...run(), backend: (() => 'simd') as unknown as string };
    await expect(store.saveRun(foreign)).rejects.toThrow(/DataCloneError/);
    expect((await reading.listRuns()).runs).toEqual([]);
  });
});

describe('opening', () => {
  it('says that a newer version of the page wrote here', async () => {
    (await openDB<CothinkSchema>(databaseName, databaseVersion + 1)).close();
    await expect(reading.listRuns()).rejects.toThrow(/newer version of the page; reload/);
  });

  it('lets a newer version of the page in, by closing', async () => {
    await store.saveRun(run());
    const newer = await openDB<CothinkSchema>(databaseName, databaseVersion + 1);
    expect(await newer.count('runs')).toBe(1);
    newer.close();
  });

  it('says when another tab keeps an older version', async () => {
    const older = await openDB(databaseName, databaseVersion, {
      upgrade: (database) => void database.createObjectStore('x'),
    });
    older.close();
    const request = indexedDB.open('elsewhere', 1);
    await new Promise((resolve) => (request.onsuccess = resolve));
    const real = indexedDB.open.bind(indexedDB);
    vi.spyOn(indexedDB, 'open').mockImplementation(() => real('elsewhere', 2));
    await expect(openDatabase()).rejects.toThrow(/an older version of this page is open in another tab/);
    expect(isSilent()).toBe(true);
    request.result.close();
    await untilAnswered();
    expect((await openDatabase()).version).toBe(2);
  });

  it('opens again after the connection was closed', async () => {
    await store.saveRun(run());
    await closeDatabase();
    expect((await reading.listRuns()).runs).toHaveLength(1);
  });

  it('says so where the browser keeps nothing', async () => {
    const kept = globalThis.indexedDB;
    Reflect.deleteProperty(globalThis, 'indexedDB');
    await expect(reading.listRuns()).rejects.toThrow(/no IndexedDB/);
    globalThis.indexedDB = kept;
    expect((await reading.listRuns()).runs).toEqual([]);
  });
});
