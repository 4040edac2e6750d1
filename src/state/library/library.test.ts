// Tests of the library, which reads only the small records of all runs. If a record of one run is damaged, the other
// runs are still listed.
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RunArchiving } from '../../api/archiveConnection.ts';
import { Locks } from '../../api/testing/locks.ts';
import { WriterLock } from '../../api/writerLock.ts';
import { StorageError } from '../../base/errors.ts';
import { runId } from '../../records/ids.ts';
import { IndexedDbStore } from '../../storage/checkpointStore.ts';
import { openDatabase } from '../../storage/database.ts';
import { listRuns } from '../../storage/reading.ts';
import { checkpoint, id, iteration, run } from '../../storage/testing/sampleRecords.ts';
import { Library, labelOf } from './library.svelte.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { FakeTrainer } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';

emptyDatabase();

const store = new IndexedDbStore();
const open = async (archive?: RunArchiving) => {
  const notices = new Notices();
  const worker = new FakeTrainer();
  const library = new Library(new TrainerClient(notices, worker.connect), notices, archive);
  await library.refresh();
  const names = () => library.runs.map((listed) => listed.run.name);
  return { library, notices, worker, names };
};
const storedNames = async () => (await listRuns()).runs.map((listed) => listed.run.name);

afterEach(() => vi.unstubAllGlobals());

it('offers an older run if the newest ended before its first checkpoint', async () => {
  await store.saveRun(run({ iteration: 4 }));
  await store.saveIteration(id, iteration(4));
  await store.saveCheckpoint(checkpoint(4), null);
  const later = runId('run-2');
  await store.saveRun(run({ id: later, iteration: 3 }));
  await store.saveIteration(later, iteration(3));
  const { library } = await open();
  expect(library.runs.map((listed) => listed.run.id)).toContain(later);
  expect(library.unfinished).toMatchObject({ id, iteration: 4 });
});

it('offers nothing if every run is finished', async () => {
  await store.saveRun(run({ iteration: 4, isDone: true }));
  await store.saveCheckpoint(checkpoint(4), null);
  expect((await open()).library.unfinished).toBeNull();
});

it('knows a finished run by the settings that it has or began with, and no other', async () => {
  const { config } = run();
  const others = { ...config, run: { ...config.run, iterations: 77 } };
  const whole = { ...config, run: { ...config.run, iterations: 4 } };
  await store.saveRun(run({ iteration: 4, isDone: true, config: whole, begun: config }));
  await store.saveIteration(id, iteration(4));
  await store.saveCheckpoint(checkpoint(4), null);
  const { library } = await open();
  expect([whole, config, others].map((asked) => library.finishedWith(asked)?.id)).toEqual([id, id, undefined]);
  // The run was stopped before its last iteration.
  await store.saveRun(run({ iteration: 4, isDone: true, config }));
  await library.refresh();
  expect(library.finishedWith(config)).toBeNull();
});

it('lists a damaged run among the others, and can delete it', async () => {
  await store.saveRun(run());
  const damaged = { ...run({ id: runId('run-9') }), createdMs: 'yesterday' };
  await (await openDatabase()).put('runs', damaged as never);
  const { library, notices } = await open();
  expect(library.runs.map((listed) => listed.run.id)).toEqual([id]);
  expect(library.damaged.map((record) => record.id)).toEqual(['run-9']);
  expect(notices.list).toEqual([]);
  library.forget(runId('run-9'));
  expect(library.damaged).toEqual([]);
});

it('measures stored agents, says why they were refused, and keeps the newest of two requests', async () => {
  const fake = new FakeTrainer();
  const notices = new Notices();
  const library = new Library(new TrainerClient(notices, fake.connect), notices);
  const seats = [4, 8].map((at) => ({ run: id, iteration: at }));
  const asked = library.measure(seats);
  expect(library.measured).toEqual({ seats, evaluation: null, refusal: '' });
  await asked;
  expect(library.measured).toEqual({ seats, evaluation: fake.measured, refusal: '' });
  fake.refusal = 'agent 2 cannot talk here.';
  await library.measure(seats.toReversed());
  expect(library.measured).toMatchObject({ evaluation: null, refusal: 'agent 2 cannot talk here.' });
  fake.refusal = '';
  const older = library.measure(seats);
  await library.measure([]);
  await older;
  expect(library.measured?.seats).toEqual([]);
  expect(notices.list).toEqual([]);
});

it('saves a run without its damaged records, and says so until it is dismissed', async () => {
  const file = new Blob(['zip']);
  const leftOut = ['checkpoint 4: its checksum does not fit.', 'iteration 3: expected metrics.'];
  const packed = vi.fn().mockResolvedValueOnce({ file, leftOut }).mockResolvedValue({ file, leftOut: [] });
  const { library, notices } = await open({ pack: packed } as unknown as RunArchiving);
  expect(await library.archived(id)).toBe(file);
  const told = ['2 damaged records were left out of the file: checkpoint 4: its checksum does not fit.'];
  expect(notices.list.map(({ text }) => text)).toEqual(told);
  expect(await library.archived(id)).toBe(file);
  expect(notices.list.map(({ text }) => text)).toEqual(told);
});

describe('an unfinished run that another worker still trains', () => {
  const trainedElsewhere = async () => {
    vi.stubGlobal('navigator', { locks: new Locks() });
    await store.saveRun(run({ iteration: 4 }));
    await store.saveCheckpoint(checkpoint(4), null);
    const former = new WriterLock();
    await former.takeRun(id);
    const { library } = await open();
    return { library, former, offering: library.offerUnfinished() };
  };

  it('is offered when that training ends, at its newest checkpoint', async () => {
    const { library, former, offering } = await trainedElsewhere();
    await store.saveCheckpoint(checkpoint(5), null);
    expect(library.offered).toBeNull();
    await former.release();
    await offering;
    expect(library.offered).toMatchObject({ id, iteration: 5 });
  });

  it('is not offered if the visitor has begun another run by then', async () => {
    const { library, former, offering } = await trainedElsewhere();
    library.withdrawOffer();
    await former.release();
    await offering;
    expect(library.offered).toBeNull();
  });
});

describe('a deletion', () => {
  const two = async () => {
    await store.saveRun(run());
    await store.saveRun(
      run({ id: runId('run-2'), name: 'tidy-seal', forkedFrom: { id, name: 'calm-otter', iteration: 2 } }),
    );
    return open();
  };

  it('removes the run from the list immediately, and deletes nothing while it can be undone', async () => {
    const { library, names, worker } = await two();
    const fork = runId('run-2');
    await library.delete(fork, 'tidy-seal');
    expect([names(), library.removed]).toEqual([['calm-otter'], { id: fork, name: 'tidy-seal' }]);
    // After the fork was deleted, its parent may be deleted too.
    expect(library.forkOf(id)).toBeNull();
    await library.refresh();
    expect(names()).toEqual(['calm-otter']);
    library.undoDeletion();
    expect([names(), library.removed]).toEqual([['tidy-seal', 'calm-otter'], null]);
    await library.finishDeletion();
    expect(worker.called).toEqual([]);
    expect(await storedNames()).toEqual(['tidy-seal', 'calm-otter']);
  });

  it('is carried out when the next begins, and the last when it is finished, in their order', async () => {
    const { library, names, worker, notices } = await two();
    void library.delete(runId('run-2'), 'tidy-seal');
    void library.delete(id, 'calm-otter');
    await library.finishDeletion();
    expect([names(), worker.called, notices.list]).toEqual([[], ['deleteRun', 'deleteRun'], []]);
    expect(await storedNames()).toEqual([]);
    library.undoDeletion(); // nothing is left to undo
    await library.refresh();
    expect(names()).toEqual([]);
  });

  it('that is refused is reported, and the run is listed again', async () => {
    const { library, names, worker, notices } = await two();
    worker.refusal = 'this run is being trained in another tab.';
    await library.delete(runId('run-2'), 'tidy-seal');
    await library.finishDeletion();
    expect(notices.list.map(({ text }) => text)).toEqual(['this run is being trained in another tab.']);
    expect(names()).toEqual(['tidy-seal', 'calm-otter']);
  });

  it('of a run that another tab deleted meanwhile has nothing to undo', async () => {
    const { library, names } = await two();
    await library.delete(runId('run-2'), 'tidy-seal');
    library.forget(runId('run-2'));
    expect([names(), library.removed]).toEqual([['calm-otter'], null]);
  });

  it.each(['can still be undone', 'is running'])(
    'that %s is over before an archive of the run is opened',
    async (when) => {
      await store.saveRun(run());
      const unpack = async () => {
        if ((await storedNames()).length > 0) throw new StorageError('this run is already stored here.');
        await store.saveRun(run());
        return { name: 'calm-otter', trouble: '' };
      };
      const { library, names, notices } = await open({ unpack } as unknown as RunArchiving);
      await library.delete(id, 'calm-otter');
      if (when === 'is running') void library.finishDeletion();
      expect(await library.openArchive(new Blob())).toBe('');
      expect(notices.list.map(({ text }) => text)).toEqual(['calm-otter was added to the library.']);
      expect(names()).toEqual(['calm-otter']);
    },
  );

  it('withdraws the offer to go on with it', async () => {
    await store.saveRun(run({ iteration: 4 }));
    await store.saveCheckpoint(checkpoint(4), null);
    const { library } = await open();
    await library.offerUnfinished();
    expect(library.offered?.id).toBe(id);
    await library.delete(id, 'calm-otter');
    expect(library.offered).toBeNull();
  });
});

describe('a label', () => {
  it('is stored by the trainer, and the run is listed and offered by its new name', async () => {
    await store.saveRun(run({ iteration: 4 }));
    await store.saveCheckpoint(checkpoint(4), null);
    const { library, names } = await open();
    await library.offerUnfinished();
    const [listed] = library.runs;
    expect(labelOf(listed!)).toEqual({ runId: id, name: 'calm-otter', notes: '', tags: [], isPinned: false });
    const label = { ...labelOf(listed!), name: 'mine', tags: ['good'] };
    const stored = library.label(label);
    // The list changes before the worker answers.
    expect([names(), library.offered?.name]).toEqual([['mine'], 'mine']);
    expect(await stored).toBe(true);
    expect([names(), library.offered?.name]).toEqual([['mine'], 'mine']);
    expect(labelOf(library.runs[0]!)).toEqual(label);
  });

  it('that is refused is told, and the one before stays', async () => {
    await store.saveRun(run());
    const { library, names, notices } = await open();
    expect(await library.label({ runId: id, name: '', notes: '', tags: [], isPinned: false })).toBe(false);
    expect(notices.list.map(({ text }) => text)).toEqual([expect.stringContaining('expected a name of 1 to 80')]);
    expect(names()).toEqual(['calm-otter']);
  });
});

describe('whether what is stored stays on a full disk', () => {
  const told = async (storage: unknown) => {
    vi.stubGlobal('navigator', { storage });
    return (await open()).library.isPersisted;
  };

  it('is what the browser tells', async () => {
    const estimate = () => Promise.resolve({ usage: 1, quota: 2 });
    expect(await told({ estimate, persisted: () => Promise.resolve(true) })).toBe(true);
    expect(await told({ estimate, persisted: () => Promise.resolve(false) })).toBe(false);
  });

  it('is not shown if the browser does not tell or refuses', async () => {
    expect(await told(undefined)).toBeNull();
    expect(await told({})).toBeNull();
    expect(await told({ persisted: () => Promise.reject(new TypeError('no')) })).toBeNull();
  });

  it('is asked for once training begins, and a refusal hinders nothing', async () => {
    const persist = vi.fn(() => Promise.reject(new TypeError('no')));
    vi.stubGlobal('navigator', { storage: { persist } });
    const { library, notices } = await open();
    await library.askToPersist();
    expect([persist.mock.calls.length, notices.list]).toEqual([1, []]);
  });
});
