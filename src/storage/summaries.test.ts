// Tests that the summary of a run matches its stored records, whichever record was stored last, and that a run has no
// more stored trajectories than its allowance.
import { describe, expect, it, vi } from 'vitest';
import { runId } from '../records/ids.ts';
import type { ForeignModel } from '../records/stored/foreignModel.ts';
import { IndexedDbStore } from './checkpointStore.ts';
import { openDatabase } from './database.ts';
import * as reading from './reading.ts';
import { tidyEvery, trajectoryAllowance } from './retention.ts';
import { checkpoint, id, iteration, run } from './testing/sampleRecords.ts';
import { withChecksum } from './checksum.ts';
import { bytesOf } from './room.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const store = new IndexedDbStore();
const summary = async () => (await reading.listRuns()).runs.find((item) => item.run.id === id)?.summary;
const sizeOf = (at: number) => bytesOf(withChecksum(checkpoint(at)));

it('a size is that of the arrays and texts in a record', () => {
  expect(bytesOf({ ab: Float32Array.of(1, 2), c: ['xyz', 4, null, undefined] })).toBe(2 + 8 + 1 + 3 + 3 * 8);
});

describe('the summary of a run', () => {
  it('has its checkpoints with their sizes, its newest evaluation and its bytes', async () => {
    await store.saveRun(run());
    for (const at of [1, 2, 10]) {
      await store.saveIteration(id, iteration(at));
      await store.saveCheckpoint(checkpoint(at), at === 2 ? 1 : null);
    }
    const first = { ...iteration(2).evaluation!, iteration: 0 };
    await store.saveEvaluation(id, first);
    const told = await summary();
    expect(told?.evaluation).toEqual(iteration(10).evaluation);
    expect(told?.checkpoints).toEqual([2, 10].map((at) => ({ iteration: at, bytes: sizeOf(at) })));
    const rows = await reading.listIterations(id);
    expect(told?.bytes).toBeGreaterThan(rows.reduce((sum, { bytes }) => sum + bytes, 0));
    await store.forgetAfter(id, 2);
    const cut = await summary();
    expect(cut?.evaluation).toEqual(iteration(2).evaluation);
    expect(cut?.checkpoints).toEqual([{ iteration: 2, bytes: sizeOf(2) }]);
    expect(cut?.bytes).toBeLessThan(told!.bytes);
  });

  it('has the model that its checkpoints only name', async () => {
    await store.saveRun(run());
    await store.saveCheckpoint(checkpoint(1));
    expect(await summary()).not.toHaveProperty('base');
    const foreign = { label: 'theirs' } as ForeignModel;
    const named = { ...checkpoint(2), foreign };
    await store.saveCheckpoint(named);
    const base = { name: named.config.agents.start, label: 'theirs' };
    expect((await summary())?.base).toEqual(base);
    await (await openDatabase()).delete('summaries', id);
    expect((await summary())?.base).toEqual(base);
  });

  it('is all that a list of runs reads, and goes with the run', async () => {
    await store.saveRun(run());
    await store.saveIteration(id, iteration(10));
    await store.saveCheckpoint(checkpoint(10));
    const read: string[] = [];
    const { openCursor, getAll } = IDBObjectStore.prototype;
    vi.spyOn(IDBObjectStore.prototype, 'openCursor').mockImplementation(function (this: IDBObjectStore, ...given) {
      read.push(this.name);
      return openCursor.apply(this, given);
    });
    vi.spyOn(IDBObjectStore.prototype, 'getAll').mockImplementation(function (this: IDBObjectStore, ...given) {
      read.push(this.name);
      return getAll.apply(this, given);
    });
    expect((await reading.listRuns()).runs).toHaveLength(1);
    vi.restoreAllMocks();
    expect(read).toEqual(['runs', 'summaries', 'labels']);
    await store.deleteRun(id);
    expect(await (await openDatabase()).count('summaries')).toBe(0);
  });

  it('of an earlier version or a damaged one is made again from what is stored', async () => {
    await store.saveRun(run());
    await store.saveIteration(id, iteration(10));
    await store.saveCheckpoint(checkpoint(10));
    const told = await summary();
    const database = await openDatabase();
    await database.delete('summaries', id);
    expect(await summary()).toEqual({ ...told, order: 0 });
    await store.summarise();
    expect(await database.get('summaries', id)).toEqual({ ...told, order: 0 });
    await database.put('summaries', { id, order: 'first' } as never);
    expect(await summary()).toEqual({ ...told, order: 0 });
  });
});

describe('trajectories', () => {
  it('stay of evenly spaced iterations, of those with a checkpoint or a change, and of the newest; metrics of all', async () => {
    const count = 40;
    trajectoryAllowance.count = 8;
    await store.saveRun(run({ changes: [{ iteration: 21, path: 'learning.clipHigh', value: 0.3 }] }));
    await store.saveCheckpoint(checkpoint(13));
    for (let at = 1; at <= count; at++) await store.saveIteration(id, iteration(at));
    trajectoryAllowance.count = 200;
    const kept = (await reading.listIterations(id)).map((row) => row.iteration);
    expect(kept.length).toBeLessThanOrEqual(8 + 3);
    for (const at of [1, 13, 21, 22, count]) expect(kept).toContain(at);
    const { metrics, evaluations } = await reading.loadMetrics(id);
    expect(metrics).toHaveLength(count);
    expect(evaluations).toHaveLength(count / 2);
    const database = await openDatabase();
    const keys = async (name: 'iterations' | 'shown') => (await database.getAllKeys(name)).map(([, at]) => at);
    expect([await keys('iterations'), await keys('shown')]).toEqual([kept, kept]);
    expect(tidyEvery).toBe(10);
    // If no group is stored at an iteration, the nearest stored group is displayed.
    for (let at = 1; at <= count; at++) {
      const near = Math.min(...kept.map((one) => Math.abs(one - at)));
      expect(Math.abs((await reading.loadShown(id, at))!.iteration - at)).toBe(near);
    }
    expect(await reading.loadShown(runId('run-2'), 1)).toBeNull();
  });
});
