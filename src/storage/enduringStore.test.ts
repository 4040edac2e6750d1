// A run that is written while the browser's store is full, gone or silent.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runId } from '../records/ids.ts';
import { IndexedDbStore } from './checkpointStore.ts';
import { openDatabase } from './database.ts';
import { EnduringStore } from './enduringStore.ts';
import * as reading from './reading.ts';
import { newestCheckpoint } from './testing/newestCheckpoint.ts';
import { checkpoint, id, iteration, run } from './testing/sampleRecords.ts';
import './testing/emptyDatabase.ts';

const told: string[] = [];
const store = () => new EnduringStore(new IndexedDbStore(), (why) => told.push(why));

/** Refuses so many times what is put into some stores. */
function fill(names: string[], times: number) {
  const real = IDBObjectStore.prototype.put;
  let left = times;
  vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...given) {
    if (names.includes(this.name) && left-- > 0) throw new DOMException('no', 'QuotaExceededError');
    return real.apply(this, given);
  });
}

beforeEach(() => {
  told.length = 0;
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('a full store', () => {
  it('makes the run spare warm starts, its own inner checkpoints and then its trajectories before it is told of', async () => {
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
    expect(await (await openDatabase()).count('warmStarts')).toBe(0);
    expect(await reading.listCheckpoints(id)).toEqual([1, 4]);
    expect((await reading.listIterations(id)).map((row) => row.iteration)).toEqual([1, 4, 5]);
    expect((await reading.loadMetrics(id)).metrics).toHaveLength(5);
  });

  it('that stays full is told of once, with the runs that could go, and what is missing is written when there is room', async () => {
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
    expect(told).toEqual([expect.stringMatching(/gives no more room.* Of the other runs tidy-seal \(1 MB\) would/)]);
    // A lost device finds the checkpoint that could not be written.
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

describe('a store that is not there', () => {
  it('lets a run go on, and says so', async () => {
    const factory = globalThis.indexedDB;
    Reflect.deleteProperty(globalThis, 'indexedDB');
    const kept = store();
    await kept.saveRun(run());
    await kept.saveIteration(id, iteration(1));
    expect(await kept.saveCheckpoint(checkpoint(1), null)).toEqual([]);
    expect((await kept.goBack(id))?.checkpoint).toEqual(checkpoint(1));
    globalThis.indexedDB = factory;
    expect(told).toEqual([expect.stringMatching(/keeps nothing here \(no IndexedDB\); runs end with the page/)]);
  });

  it('or does not answer is taken for absent after a while; one that answers late can be read', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const kept = store();
    const saving = kept.saveRun(run());
    vi.advanceTimersByTime(6000); // before the database could be opened
    await saving;
    expect(told).toEqual([expect.stringMatching(/^storage: .*does not answer/)]);
    vi.useRealTimers();
    await vi.waitFor(() => openDatabase());
    expect(await kept.saveCheckpoint(checkpoint(1), null)).toEqual([]);
    expect((await reading.listRuns()).runs).toEqual([]);
  });
});
