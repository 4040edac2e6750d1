// Tests of a run that is stored while the browser's store is full, was deleted, or does not respond.
import { deleteDB } from 'idb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runId, type RunId } from '../records/ids.ts';
import { IndexedDbStore } from './checkpointStore.ts';
import { databaseName, openDatabase } from './database.ts';
import { EnduringStore } from './enduringStore.ts';
import * as reading from './reading.ts';
import { newestCheckpoint } from './testing/newestCheckpoint.ts';
import { checkpoint, id, iteration, run } from './testing/sampleRecords.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

/** All reported reasons why nothing is stored. */
const told: string[] = [];
/** All reported notes, including those about records that were deleted for lack of space. */
const notes: string[] = [];
const store = () =>
  new EnduringStore(new IndexedDbStore(), (event) =>
    event.kind === 'unstored' ? told.push(event.why) : notes.push(event.text),
  );

/** Makes the next `times` write operations in some stores fail. */
function fill(names: string[], times: number) {
  const real = IDBObjectStore.prototype.put;
  let left = times;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...given) {
    if (names.includes(this.name) && left-- > 0) throw new DOMException('no', 'QuotaExceededError');
    return real.apply(this, given);
  });
}

/**
 * Allows `count` checkpoints to be stored. Attempts to store further checkpoints fail with the quota error of a
 * browser. Counts the checkpoints that are stored from now on.
 */
function grant(count: number) {
  const held = new Set<string>();
  const { put, delete: remove } = IDBObjectStore.prototype;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...given) {
    const { runId: of, iteration: at } = given[0] as { runId: string; iteration: number };
    if (this.name === 'checkpoints' && held.add(`${of},${at}`).size > count) {
      held.delete(`${of},${at}`);
      throw new DOMException('no', 'QuotaExceededError');
    }
    return put.apply(this, given);
  });
  vi.spyOn(IDBObjectStore.prototype, 'delete').mockImplementation(function (this: IDBObjectStore, key) {
    if (this.name === 'checkpoints') held.delete(String(key));
    return remove.call(this, key);
  });
}

/** Stores another run, with a checkpoint and dialogues after each of four iterations. */
async function other(name: string, changes: Parameters<typeof run>[0] = {}): Promise<RunId> {
  const [made, inner] = [runId(`run-${name}`), new IndexedDbStore()];
  await inner.saveRun(run({ id: made, name, isDone: true, ...changes }));
  for (const at of [1, 2, 3, 4]) {
    await inner.saveIteration(made, iteration(at));
    await inner.saveCheckpoint(checkpoint(at, { runId: made }));
  }
  return made;
}

beforeEach(() => {
  told.length = 0;
  notes.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a full store', () => {
  it('makes the run drop warm starts, inner checkpoints and trajectories before it is reported', async () => {
    const kept = store();
    await kept.saveRun(run());
    for (const at of [1, 2, 3, 4]) {
      await kept.saveIteration(id, iteration(at));
      await kept.saveCheckpoint(checkpoint(at), null);
    }
    await (await openDatabase()).put('warmStarts', {} as never, 'k');
    fill(['metrics'], 3); // at once, without the warm starts, and without checkpoints
    await kept.saveIteration(id, iteration(5));
    vi.restoreAllMocks();
    expect(told).toEqual([]);
    expect(notes).toEqual([
      'Storage was full, so this was deleted: the warm starts that were trained in this browser, checkpoints of calm-otter, dialogues of calm-otter. The first and the newest checkpoint of each run are kept, and so are all metrics and evaluations; pinned runs are kept in full. Training continues.',
    ]);
    expect(await (await openDatabase()).count('warmStarts')).toBe(0);
    expect(await reading.listCheckpoints(id)).toEqual([1, 4]);
    expect((await reading.listIterations(id)).map((row) => row.iteration)).toEqual([1, 4, 5]);
    expect((await reading.loadMetrics(id)).metrics).toHaveLength(5);
  });

  it('that stays full is reported once with the deletable runs, and missing records are written later', async () => {
    await new IndexedDbStore().saveRun(run({ id: runId('run-2'), name: 'tidy-seal' }));
    await new IndexedDbStore().saveCheckpoint(checkpoint(1, { runId: runId('run-2') }));
    const kept = store();
    await kept.saveRun(run());
    await kept.saveIteration(id, iteration(1));
    fill(['runs', 'metrics', 'checkpoints'], Infinity);
    await kept.saveIteration(id, iteration(2));
    await kept.saveEvaluation(id, { ...iteration(2).evaluation!, accuracy: 0.25 });
    await kept.saveIteration(id, iteration(3));
    await kept.saveCheckpoint(checkpoint(3), null);
    await kept.saveRun(run({ iteration: 3 }));
    expect(told).toEqual([expect.stringMatching(/storage is full.* The largest other runs are tidy-seal \(1 MB\)\./)]);
    // After the device was lost, the run can continue from the checkpoint that could not be stored and is still in
    // memory.
    expect((await kept.goBack(id))?.checkpoint).toEqual(checkpoint(3));
    vi.restoreAllMocks();
    await kept.saveIteration(id, iteration(4));
    expect(await kept.saveCheckpoint(checkpoint(4), null)).toEqual([4]);
    expect(told.at(-1)).toBe('');
    const { metrics, evaluations } = await reading.loadMetrics(id);
    expect(metrics.map((row) => row.iteration)).toEqual([1, 2, 3, 4]);
    expect(evaluations.map((one) => [one.iteration, one.accuracy])).toEqual([
      [2, 0.25],
      [4, 0.5],
    ]);
    expect((await reading.loadRun(id)).iteration).toBe(3);
    expect((await newestCheckpoint(id))?.iteration).toBe(4);
  });
});

describe('other runs, if there is no room', () => {
  it('are thinned from the oldest on, except pinned runs and the origins of forks', async () => {
    const [old, pinned, parent, child, late] = [
      await other('old'),
      await other('pinned'),
      await other('parent'),
      await other('child', { forkedFrom: { id: runId('run-parent'), name: 'parent', iteration: 3 } }),
      await other('late'),
    ];
    await new IndexedDbStore().saveLabel({ runId: pinned, name: 'kept', notes: '', tags: [], isPinned: true });
    await new IndexedDbStore().saveLabel({ runId: old, name: 'my old one', notes: '', tags: [], isPinned: false });
    const kept = store();
    await kept.saveRun(run());
    fill(['metrics'], Infinity);
    await kept.saveIteration(id, iteration(1));
    vi.restoreAllMocks();
    expect(notes).toEqual([
      expect.stringContaining(
        'deleted: checkpoints of my old one, dialogues of my old one, checkpoints of child, dialogues of child, checkpoints of late, dialogues of late. The first',
      ),
    ]);
    expect(told).toEqual([expect.stringContaining('storage is full')]);
    for (const thinned of [old, child, late]) {
      expect(await reading.listCheckpoints(thinned)).toEqual([1, 4]);
      expect((await reading.listIterations(thinned)).map((row) => row.iteration)).toEqual([1, 4]);
      expect((await reading.loadMetrics(thinned)).metrics).toHaveLength(4);
      expect((await newestCheckpoint(thinned))?.iteration).toBe(4);
    }
    for (const whole of [pinned, parent]) {
      expect(await reading.listCheckpoints(whole)).toEqual([1, 2, 3, 4]);
      expect(await reading.listIterations(whole)).toHaveLength(4);
    }
    const { runs } = await reading.listRuns();
    expect(runs.find((listed) => listed.run.id === late)?.summary.checkpoints.map((one) => one.iteration)).toEqual([
      1, 4,
    ]);
  });

  it('lose no more than necessary, and a run is stored to its end under a quota', async () => {
    grant(10);
    const [old, late] = [await other('old'), await other('late')];
    const kept = store();
    await kept.saveRun(run());
    for (let at = 1; at <= 12; at++) {
      await kept.saveIteration(id, iteration(at));
      // If there is only one checkpoint, it is both the first and the newest one. Checkpoints of the old run are
      // deleted to make space for the third checkpoint.
      expect(await kept.saveCheckpoint(checkpoint(at), null)).toContain(at);
    }
    expect(told).toEqual([]);
    expect(await reading.listCheckpoints(old)).toEqual([1, 4]);
    expect(await reading.listCheckpoints(late)).toEqual([1, 4]);
    expect((await reading.listCheckpoints(id)).at(-1)).toBe(12);
    // Records of the open run are deleted last. There is one report, which covers all deletions so far, even if records
    // of the open run were deleted several times.
    expect(notes.map((text) => /deleted: (.*?)\. The first/.exec(text)?.[1])).toEqual([
      'checkpoints of old',
      'checkpoints of old, dialogues of old, checkpoints of late',
      'checkpoints of old, dialogues of old, checkpoints of late, dialogues of late, checkpoints of calm-otter',
    ]);
  });

  it('are thinned before the run that is written, also runs that were stored after it', async () => {
    const kept = store();
    await kept.saveRun(run());
    for (const at of [1, 2, 3]) await kept.saveCheckpoint(checkpoint(at), null);
    await other('imported');
    fill(['metrics'], Infinity);
    await kept.saveIteration(id, iteration(4));
    expect(notes).toEqual([
      expect.stringContaining(
        'deleted: checkpoints of imported, dialogues of imported, checkpoints of calm-otter. The first',
      ),
    ]);
  });

  it.each([
    ['pinned', { isPinned: true }],
    ['one that another goes on from', { isPinned: false }],
  ])('are all that goes where the run that is written is %s, and that it is not stored is told', async (_, label) => {
    const old = await other('old');
    const kept = store();
    await kept.saveRun(run());
    for (const at of [1, 2, 3]) {
      await kept.saveIteration(id, iteration(at));
      await kept.saveCheckpoint(checkpoint(at), null);
    }
    await new IndexedDbStore().saveLabel({ runId: id, name: 'calm-otter', notes: '', tags: [], ...label });
    const forkedFrom = { id, name: 'calm-otter', iteration: 3 };
    if (!label.isPinned) await new IndexedDbStore().saveRun(run({ id: runId('run-fork'), name: 'fork', forkedFrom }));
    fill(['metrics', 'checkpoints'], Infinity);
    await kept.saveIteration(id, iteration(4));
    await kept.saveCheckpoint(checkpoint(4), null);
    vi.restoreAllMocks();
    expect(notes).toEqual([expect.stringContaining('deleted: checkpoints of old, dialogues of old. The first')]);
    expect(told).toEqual([expect.stringContaining('storage is full')]);
    expect(await reading.listCheckpoints(old)).toEqual([1, 4]);
    expect(await reading.listCheckpoints(id)).toEqual([1, 2, 3]);
    expect(await reading.listIterations(id)).toHaveLength(3);
    // No data is lost, because the records that could not be stored are written as soon as there is space.
    expect(await kept.saveCheckpoint(checkpoint(5), null)).toEqual([1, 2, 3, 5]);
    expect((await reading.loadMetrics(id)).metrics).toHaveLength(4);
    expect(told.at(-1)).toBe('');
  });

  it('are not changed if the store refuses for another reason', async () => {
    const old = await other('old');
    const kept = store();
    await kept.saveRun(run());
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('broken', 'UnknownError');
    });
    await kept.saveIteration(id, iteration(1));
    vi.restoreAllMocks();
    expect([notes, told]).toEqual([[], [expect.stringContaining('UnknownError')]]);
    expect(await reading.listCheckpoints(old)).toEqual([1, 2, 3, 4]);
  });
});

describe('a store that is emptied in mid-run', () => {
  const gone =
    'The stored records of calm-otter are gone from this browser. The run is stored again from here on; it can be resumed once its next checkpoint is stored.';
  const writes = {
    iteration: (kept: EnduringStore) => kept.saveIteration(id, iteration(3)),
    evaluation: (kept: EnduringStore) => kept.saveEvaluation(id, iteration(2).evaluation!),
    checkpoint: (kept: EnduringStore) => kept.saveCheckpoint(checkpoint(3), 2),
    change: (kept: EnduringStore) => kept.saveRun(run({ iteration: 2 })),
  };

  it.each(Object.entries(writes))(
    'gets the record of the run again before its next %s, which is reported once',
    async (_, write) => {
      const kept = store();
      await kept.saveRun(run({ iteration: 2 }));
      await kept.saveCheckpoint(checkpoint(2), null);
      await deleteDB(databaseName);
      const later = run({ id: runId('run-2'), name: 'tidy-seal', createdMs: 2000 });
      await new IndexedDbStore().saveRun(later);
      await write(kept);
      expect([notes, told]).toEqual([[gone], []]);
      const { runs } = await reading.listRuns();
      expect(runs.map((listed) => listed.run)).toEqual([run({ iteration: 2 }), later]);
      await kept.saveIteration(id, iteration(4));
      expect(await kept.saveCheckpoint(checkpoint(4), null)).toContain(4);
      expect(notes).toEqual([gone]);
      expect((await newestCheckpoint(id))?.iteration).toBe(4);
    },
  );

  it('again is told again; a run that was never stored, and one that is stored, are not said to be gone', async () => {
    const kept = store();
    await kept.saveRun(run());
    await kept.saveIteration(id, iteration(1));
    for (const at of [2, 3]) {
      await deleteDB(databaseName);
      await kept.saveIteration(id, iteration(at));
    }
    expect(notes).toEqual([gone, gone]);
    await kept.saveRun(run({ id: runId('run-2'), name: 'tidy-seal' }));
    expect(notes).toHaveLength(2);
    expect((await reading.loadMetrics(id)).metrics.map((row) => row.iteration)).toEqual([3]);
  });

  it('while it is full gets the record with all that is missing, when there is room', async () => {
    const kept = store();
    await kept.saveRun(run());
    fill(['metrics'], Infinity);
    await kept.saveIteration(id, iteration(1));
    vi.restoreAllMocks();
    await deleteDB(databaseName);
    expect(await kept.saveCheckpoint(checkpoint(1), null)).toEqual([1]);
    expect([notes, told.at(-1)]).toEqual([[gone], '']);
    expect(await reading.loadRun(id)).toEqual(run());
    expect((await reading.loadMetrics(id)).metrics).toHaveLength(1);
  });
});

it('a run that is taken up where nothing can be stored goes on, and what it left behind goes when there is room', async () => {
  const former = store();
  await former.saveRun(run());
  for (const at of [1, 2, 3]) await former.saveIteration(id, iteration(at));
  await former.saveCheckpoint(checkpoint(1), null);
  const kept = store();
  fill(['runs', 'summaries'], Infinity);
  await kept.takeUp(run({ iteration: 1, resumed: 1 }));
  expect(told).toEqual([expect.stringContaining('the browser’s storage is full')]);
  await kept.saveIteration(id, iteration(2));
  vi.restoreAllMocks();
  await kept.saveCheckpoint(checkpoint(2), null);
  expect(told.at(-1)).toBe('');
  expect((await reading.loadRun(id)).resumed).toBe(1);
  expect((await reading.loadMetrics(id)).metrics.map((row) => row.iteration)).toEqual([1, 2]);
});

describe('a store that is not there', () => {
  it('lets a run continue, and says so', async () => {
    const factory = globalThis.indexedDB;
    Reflect.deleteProperty(globalThis, 'indexedDB');
    const kept = store();
    await kept.saveRun(run());
    await kept.saveIteration(id, iteration(1));
    expect(await kept.saveCheckpoint(checkpoint(1), null)).toEqual([]);
    expect((await kept.goBack(id))?.checkpoint).toEqual(checkpoint(1));
    globalThis.indexedDB = factory;
    expect(told).toEqual([
      expect.stringMatching(/cannot store anything \(no IndexedDB\); runs are lost when the page closes/),
    ]);
  });

  it('or does not answer is taken for absent after a while; one that answers late gets all, and what was told is taken back', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const kept = store();
    const saving = kept.saveRun(run());
    vi.advanceTimersByTime(6000); // before the database could be opened
    await saving;
    expect(told).toEqual([expect.stringMatching(/^storage: .*does not respond/)]);
    vi.useRealTimers();
    await vi.waitFor(() => openDatabase());
    expect(await kept.saveCheckpoint(checkpoint(1), null)).toEqual([1]);
    expect((await reading.listRuns()).runs.map(({ run }) => run.id)).toEqual([id]);
    expect(told.at(-1)).toBe('');
  });
});
