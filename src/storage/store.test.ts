// Tests of writing and reading together, with fake-indexeddb, which is a complete IndexedDB in memory.
import { describe, expect, it } from 'vitest';
import { trunksOf } from '../records/branch.ts';
import { runId } from '../records/ids.ts';
import { IndexedDbStore } from './checkpointStore.ts';
import * as reading from './reading.ts';
import { newestCheckpoint } from './testing/newestCheckpoint.ts';
import { checkpointAllowance } from './retention.ts';
import { checkpoint, id, iteration, run } from './testing/sampleRecords.ts';
import { emptyDatabase } from './testing/emptyDatabase.ts';

emptyDatabase();

const store = new IndexedDbStore();

describe('the store', () => {
  it('gives back runs, the one written last first, whatever the clock said, and forgets nothing of them', async () => {
    const other = run({ id: runId('run-2'), createdMs: 2000 });
    const list = async () => {
      const { runs, damaged } = await reading.listRuns();
      expect(damaged).toEqual([]);
      return runs.map((item) => item.run);
    };
    await store.saveRun(run());
    await store.saveRun(other);
    await store.saveRun(run({ iteration: 5 }));
    expect(await list()).toEqual([run({ iteration: 5 }), other]);
    expect(await reading.loadRun(id)).toEqual(run({ iteration: 5 }));
    // A run of another tab, which is stored while the computer's clock is set back. The other tab has its own
    // `CheckpointStore`, so it must read the order numbers from the database.
    const late = run({ id: runId('run-3'), createdMs: 1 });
    await new IndexedDbStore().saveRun(late);
    expect(await list()).toEqual([late, run({ iteration: 5 }), other]);
    await store.forgetAfter(other.id, 4); // it continues
    await store.saveRun(other);
    expect(await list()).toEqual([other, late, run({ iteration: 5 })]);
  });

  it('gives back checkpoints bit for bit and finds the newest', async () => {
    expect(await newestCheckpoint(id)).toBeNull();
    for (const at of [10, 2, 20]) await store.saveCheckpoint(checkpoint(at));
    expect(await reading.listCheckpoints(id)).toEqual([2, 10, 20]);
    expect(await newestCheckpoint(id)).toEqual(checkpoint(20));
    expect(await reading.loadCheckpoint(id, 10)).toEqual(checkpoint(10));
    expect(Object.is((await reading.loadCheckpoint(id, 2)).networks[0]?.weights[0]?.values[1], -0)).toBe(true);
  });

  it('keeps the joint critic of a checkpoint, and reads an older one without it as it was', async () => {
    const [network] = checkpoint(1).networks;
    const critics = [{ ...network!, updates: 5 }];
    await store.saveCheckpoint(checkpoint(3, { critics }));
    expect((await reading.loadCheckpoint(id, 3)).critics).toEqual(critics);
    await store.saveCheckpoint(checkpoint(4));
    expect(await reading.loadCheckpoint(id, 4)).not.toHaveProperty('critics');
  });

  it('stores a small view of a large buffer as the small array that it is', async () => {
    const memory = new Float32Array(1 << 20).fill(3);
    const shared = new Float32Array(new SharedArrayBuffer(64)).fill(4) as unknown as Float32Array;
    const { networks } = checkpoint(1);
    const view = memory.subarray(100, 103);
    const weights = [{ name: 'a', shape: [3], values: view }];
    const m = [shared.subarray(0, 3), memory.subarray(7, 8)];
    const small = { ...networks[0]!, weights, m };
    const mixing = {
      critic: small,
      target: weights,
      replay: { stored: 0, facts: new Uint16Array(), rewards: new Float64Array() },
    };
    await store.saveCheckpoint(checkpoint(1, { networks: [small], mixing, reference: [weights] }));
    const read = await reading.loadCheckpoint(id, 1);
    expect(read.mixing).toEqual(mixing);
    const ofMixing = [...read.mixing!.critic.m, read.mixing!.target[0]!.values];
    expect(ofMixing.map((values) => values.buffer.byteLength)).toEqual([12, 4, 12]);
    const [network] = read.networks;
    const arrays = [network!.weights[0]!.values, ...network!.m, read.reference[0]![0]!.values];
    expect(arrays.map((values) => values.buffer.byteLength)).toEqual([12, 12, 4, 12]);
    expect(arrays.map((values) => values[0])).toEqual([3, 4, 3, 3]);
    expect(view.buffer).toBe(memory.buffer);
  });

  it('keeps iterations apart: metrics, evaluations, trajectories, rows, shown groups', async () => {
    const stored = [1, 2, 10].map((at) => iteration(at));
    for (const item of stored) await store.saveIteration(id, item);
    await store.saveIteration(runId('run-10'), iteration(1, 77));
    const { metrics, evaluations } = await reading.loadMetrics(id);
    expect(metrics).toEqual(stored.map((item) => item.metrics));
    expect(evaluations).toEqual([stored[1]!.evaluation, stored[2]!.evaluation]);
    expect(await reading.loadIteration(id, 10)).toEqual(stored[2]!.trajectories);
    expect(await reading.loadShown(id, 2)).toEqual(stored[1]!.shown);
    expect(await reading.loadShown(runId('run-11'), 2)).toBeNull();
    const rows = await reading.listIterations(id);
    // Branches are not counted as dialogues.
    const dialogues = stored.map(({ trajectories }) => trunksOf(trajectories));
    expect(rows.map((row) => [row.iteration, row.count])).toEqual(
      [1, 2, 10].map((at, i) => [at, dialogues[i]!.length]),
    );
    expect(rows[0]!.right).toBe(dialogues[0]!.filter((trajectory) => trajectory.isRight).length);
    expect(rows[0]!.bytes).toBeGreaterThan(50);
  });

  it('finds what was shown before a fork in the run it goes on from', async () => {
    const forkedFrom = { id, name: 'calm-otter', iteration: 1 };
    const fork = run({ id: runId('run-2'), forkedFrom });
    await store.saveRun(run());
    await store.saveRun(fork);
    await store.saveIteration(id, iteration(1));
    await store.saveIteration(id, iteration(2));
    expect(await reading.loadShownOf(fork, 1)).toEqual(iteration(1).shown);
    expect(await reading.loadShownOf(fork, 2)).toBeNull();
    expect(await reading.loadShownOf(run(), 2)).toEqual(iteration(2).shown);
    // The same is true for the parent of the run's parent.
    const later = { id: fork.id, name: 'calm-otter-lora', iteration: 3 };
    expect(await reading.loadShownOf({ id: runId('run-3'), forkedFrom: later }, 1)).toEqual(iteration(1).shown);
    const orphan = { id: runId('gone'), name: 'tidy-seal', iteration: 3 };
    expect(await reading.loadShownOf({ id: runId('run-3'), forkedFrom: orphan }, 1)).toBeNull();
  });

  it("keeps the warm start's evaluation beside those of the iterations", async () => {
    const first = { ...iteration(2).evaluation!, iteration: 0, maskedMessage: 0.25 };
    await store.saveIteration(id, iteration(2));
    await store.saveEvaluation(id, first);
    expect((await reading.loadMetrics(id)).evaluations).toEqual([first, iteration(2).evaluation]);
  });

  it('replaces a checkpoint by another', async () => {
    await store.saveRun(run());
    await store.saveCheckpoint(checkpoint(10));
    await store.saveCheckpoint(checkpoint(11));
    await store.saveCheckpoint(checkpoint(12), 11);
    expect(await reading.listCheckpoints(id)).toEqual([10, 12]);
  });

  it('thins checkpoints beyond the allowance, but never the first and the newest', async () => {
    for (let at = 0; at <= 50; at++) {
      const told = await store.saveCheckpoint(checkpoint(at));
      const kept = await reading.listCheckpoints(id);
      expect(told).toEqual(kept);
      expect(kept.length).toBe(Math.min(at + 1, checkpointAllowance.count));
      expect([kept[0], kept.at(-1)]).toEqual([0, at]);
    }
  });

  it('deletes a run with all that belongs to it, and nothing of another', async () => {
    const other = runId('run-10');
    for (const of of [id, other]) {
      await store.saveRun(run({ id: of }));
      await store.saveCheckpoint(checkpoint(1, { runId: of }));
      await store.saveIteration(of, iteration(2));
    }
    await store.deleteRun(id);
    expect((await reading.listRuns()).runs.map((item) => item.run.id)).toEqual([other]);
    expect(await reading.listCheckpoints(id)).toEqual([]);
    expect(await reading.loadMetrics(id)).toEqual({ metrics: [], evaluations: [] });
    expect(await reading.loadShown(id, 2)).toBeNull();
    expect(await reading.listIterations(id)).toEqual([]);
    expect(await reading.listCheckpoints(other)).toEqual([1]);
    expect(await reading.loadIteration(other, 2)).toHaveLength(5);
  });

  it('forgets what came after an iteration and keeps that iteration', async () => {
    for (const at of [1, 2, 3]) {
      await store.saveIteration(id, iteration(at));
      await store.saveCheckpoint(checkpoint(at));
    }
    await store.forgetAfter(id, 2);
    expect((await reading.listIterations(id)).map((row) => row.iteration)).toEqual([1, 2]);
    expect(await reading.listCheckpoints(id)).toEqual([1, 2]);
    expect((await reading.loadMetrics(id)).metrics).toHaveLength(2);
  });
});
