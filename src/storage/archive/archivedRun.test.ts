import { emptyDatabase } from '../testing/emptyDatabase.ts';
import { IDBFactory } from 'fake-indexeddb';
import { describe, expect, it, vi } from 'vitest';
import { StorageError } from '../../base/errors.ts';
import { runId } from '../../records/ids.ts';
import { IndexedDbStore } from '../checkpointStore.ts';
import { closeDatabase, openDatabase } from '../database.ts';
import * as reading from '../reading.ts';
import { checkpoint, id, iteration, run } from '../testing/sampleRecords.ts';
import { addRun } from './addRun.ts';
import { ArchivedRun, checkpointEntry, labelEntry, runEntry } from './archivedRun.ts';
import { entriesOf } from './fromStore.ts';
import { storedSource } from './runSource.ts';

emptyDatabase();

/** Stores a run with checkpoints, iterations and an evaluation of its warm start. */
async function storeRun(): Promise<void> {
  const store = new IndexedDbStore();
  await store.saveRun(run());
  await store.saveCheckpoint(checkpoint(0));
  const { evaluation } = iteration(2);
  if (evaluation) await store.saveEvaluation(id, { ...evaluation, iteration: 0 });
  for (const at of [1, 2, 3, 4]) await store.saveIteration(id, iteration(at));
  await store.saveCheckpoint(checkpoint(4));
}

/** The files of the run. Errors about damaged records are added to `leftOut`. */
async function archived(leftOut: string[] = []): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  for await (const { name, bytes } of entriesOf(id, ({ message }) => leftOut.push(message))) files.set(name, bytes);
  return files;
}

const opened = (files: ReadonlyMap<string, Uint8Array>) =>
  new ArchivedRun({ names: [...files.keys()], read: (name) => Promise.resolve(files.get(name) as Uint8Array) });

async function anotherBrowser(): Promise<void> {
  await closeDatabase();
  globalThis.indexedDB = new IDBFactory();
}

describe('an archived run', () => {
  it('opens in another browser as the same bytes, and is archived there as the same files', async () => {
    await storeRun();
    const files = await archived();
    const before = await Promise.all([reading.loadMetrics(id), reading.loadIteration(id, 3), reading.listRuns()]);
    await anotherBrowser();
    expect(await addRun(opened(files))).toBe(id);
    const after = await Promise.all([reading.loadMetrics(id), reading.loadIteration(id, 3), reading.listRuns()]);
    expect(after).toEqual(before);
    expect(await reading.loadCheckpoint(id, 4)).toEqual(checkpoint(4));
    expect(await archived()).toEqual(files);
  });

  it('includes its label, has this name everywhere, and is archived as the same files', async () => {
    await storeRun();
    const plain = await archived();
    expect([...plain.keys()]).not.toContain('label.record');
    const label = {
      runId: id,
      name: 'the one that talks',
      notes: 'After 3 they\nagree.',
      tags: ['talk'],
      isPinned: true,
    };
    await new IndexedDbStore().saveLabel(label);
    const files = await archived();
    expect((await opened(files).run()).name).toBe('the one that talks');
    await anotherBrowser();
    await addRun(opened(files));
    const [listed] = (await reading.listRuns()).runs;
    expect([listed?.run.name, listed?.label]).toEqual(['the one that talks', label]);
    expect(await archived()).toEqual(files);
    // An archive from a version in which runs had no labels.
    await anotherBrowser();
    await addRun(opened(plain));
    expect((await reading.listRuns()).runs[0]?.label).toBeNull();
    expect(await archived()).toEqual(plain);
  });

  it('with a label in another form opens without it', async () => {
    await storeRun();
    const files = await archived();
    const { name, bytes } = labelEntry({ runId: id, name: '', notes: 7 } as never);
    files.set(name, bytes);
    await anotherBrowser();
    await addRun(opened(files));
    expect((await reading.listRuns()).runs.map(({ run: { name: called }, label }) => [called, label])).toEqual([
      ['calm-otter', null],
    ]);
  });

  it('leaves out damaged records, reports them, and opens', async () => {
    await storeRun();
    const all = [...(await archived()).keys()];
    const database = await openDatabase();
    const stored = await database.get('checkpoints', [id, 4]);
    await database.put('checkpoints', { ...stored, klCoef: 7 } as never);
    await database.put('metrics', { runId: id, iteration: 3 } as never);
    await database.put('labels', { runId: id, name: '' } as never);
    const dialogues = await database.get('iterations', [id, 2]);
    dialogues!.packed[dialogues!.packed.length - 1]! ^= 1; // in a log-probability, which stays a number
    await database.put('iterations', dialogues!);
    const leftOut: string[] = [];
    const files = await archived(leftOut);
    expect(leftOut).toEqual([
      `label of run ${id}: this label is damaged; write the label again in the library.`,
      expect.stringContaining(`checkpoint 4 of run ${id}: the checksum`),
      expect.stringContaining(`trajectories of iteration 2 of run ${id}: the checksum`),
      expect.stringContaining(`iteration 3 of run ${id}`),
    ]);
    const gone = ['checkpoints/000004.record', 'iterations/000003.record'];
    expect([...files.keys()]).toEqual(all.filter((name) => !gone.includes(name)));
    await anotherBrowser();
    await addRun(opened(files));
    expect(await reading.listCheckpoints(id)).toEqual([0]);
    expect((await reading.loadMetrics(id)).metrics.map(({ iteration: at }) => at)).toEqual([1, 2, 4]);
    expect((await reading.listIterations(id)).map(({ iteration: at }) => at)).toEqual([1, 4]);
    expect((await reading.loadShown(id, 2))?.iteration).toBe(2);
  });

  it('is not made if the store stops answering meanwhile', async () => {
    await storeRun();
    const database = await openDatabase();
    const get = database.get.bind(database) as (...args: unknown[]) => Promise<unknown>;
    const denied = vi.spyOn(database, 'get').mockImplementation(((name: string, key: unknown) => {
      return name === 'evaluations' ? Promise.reject(new DOMException('denied', 'UnknownError')) : get(name, key);
    }) as never);
    await expect(archived()).rejects.toMatchObject({ name: 'StorageError', reason: 'refused' });
    denied.mockRestore();
    expect((await archived()).size).toBeGreaterThan(3);
  });

  it('is refused if the run is already stored, and nothing of it is written', async () => {
    await storeRun();
    const files = await archived();
    await expect(addRun(opened(files))).rejects.toThrow('this run is already stored here');
    expect(await archived()).toEqual(files);
  });

  it.each([
    ['a damaged record', (files: Map<string, Uint8Array>) => files.get('iterations/000003.record')?.fill(0, 60, 64)],
    ['no run', (files: Map<string, Uint8Array>) => files.delete('run.record')],
    [
      'a checkpoint of another run',
      (files: Map<string, Uint8Array>) => {
        const { name, bytes } = checkpointEntry(checkpoint(4, { runId: runId('another') }));
        files.set(name, bytes);
      },
    ],
    [
      'a damaged label',
      (files: Map<string, Uint8Array>) => {
        const { name, bytes } = labelEntry({ runId: id, name: 'a', notes: '', tags: [], isPinned: false });
        files.set(name, bytes.fill(0, 60, 64));
      },
    ],
    [
      'settings that nobody could have',
      (files: Map<string, Uint8Array>) => {
        const { config } = run();
        const { name, bytes } = runEntry(run({ config: { ...config, run: { ...config.run, iterations: -1 } } }));
        files.set(name, bytes);
      },
    ],
  ])('with %s is refused by name, and leaves the store empty', async (_, spoil) => {
    await storeRun();
    const files = await archived();
    spoil(files);
    await anotherBrowser();
    const add = async () => addRun(opened(files));
    await expect(add()).rejects.toThrow(StorageError);
    expect((await reading.listRuns()).runs).toEqual([]);
  });
});

describe('runs that are their own ancestors', () => {
  const origin = (parent: string) => ({ forkedFrom: { id: runId(parent), name: parent, iteration: 3 } });
  const renamed = (own: string, changes = {}) => {
    const { name, bytes } = runEntry(run({ id: runId(own), name: own, ...changes }));
    return opened(new Map([[name, bytes]]));
  };

  it('are refused by name, directly or through another run, and nothing of them is written', async () => {
    await expect(addRun(renamed('a', origin('a')))).rejects.toThrow('expected another run, got the run itself');
    await addRun(renamed('b', origin('c')));
    await addRun(renamed('a', origin('b')));
    await expect(addRun(renamed('c', origin('a')))).rejects.toThrow(
      'c: this run is recorded as the continuation of another run',
    );
    expect((await reading.listRuns()).runs.map(({ run: { name } }) => name)).toEqual(['a', 'b']);
  });

  it('can be read and deleted if an earlier version stored them', async () => {
    const store = new IndexedDbStore();
    const [a, b] = [run({ id: runId('a'), ...origin('b') }), run({ id: runId('b'), ...origin('a') })];
    for (const one of [a, b, run({ id: runId('itself'), ...origin('itself') })]) await store.saveRun(one);
    await store.saveIteration(a.id, iteration(4));
    expect([await reading.ownerOf(a, 4), await reading.ownerOf(a, 3), await reading.ownerOf(b, 4)]).toEqual([
      'a',
      null,
      'b',
    ]);
    expect((await storedSource(a.id)).iterations).toEqual([4]);
    expect(await reading.loadShownOf(a, 2)).toBeNull();
    expect((await reading.listRuns()).damaged.map(({ id: damaged }) => damaged)).toEqual(['itself']);
    for (const one of ['a', 'b', 'itself']) await store.deleteRun(runId(one));
    expect(await reading.listRuns()).toEqual({ runs: [], damaged: [] });
  });
});

it('a run with the id of a run that is only viewed is refused', async () => {
  const { name, bytes } = runEntry(run({ id: runId('opened-run-1') }));
  await expect(addRun(opened(new Map([[name, bytes]])))).rejects.toThrow(
    'the id of this run, opened-run-1, is reserved for runs that are open only for viewing; open the original archive',
  );
  expect((await reading.listRuns()).runs).toEqual([]);
});
