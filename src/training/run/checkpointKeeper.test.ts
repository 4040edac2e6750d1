// Tests when checkpoints are stored, in a run with a scheduled checkpoint every ten iterations. The test controls the
// clock of the run.
import { describe, expect, it } from 'vitest';
import { NumericsError } from '../../base/errors.ts';
import { parseConfig } from '../../config/parse.ts';
import type { Checkpoint, RunRecord } from '../../records/stored/checkpoint.ts';
import type { TrainerEvent } from '../../records/events.ts';
import { runId } from '../../records/ids.ts';
import { memoryStore } from './memoryStore.ts';
import { CheckpointKeeper } from './checkpointKeeper.ts';

const at = (iteration: number) => ({ id: runId('k'), iteration, config: parseConfig({}) }) as RunRecord;
const checkpointAt = (iteration: number, weight = 1) =>
  ({
    runId: runId('k'),
    iteration,
    networks: [
      {
        weights: [{ name: 'w', shape: [2], values: Float32Array.of(0.5, weight) }],
        critic: [],
        m: [Float32Array.of(0, 0)],
        v: [Float32Array.of(0, 0)],
        updates: 1,
      },
    ],
    klCoef: 0,
  }) as unknown as Checkpoint;

function keeperOn(clock: { ms: number }, storingMs: number, opened = at(0)) {
  const events: TrainerEvent[] = [];
  const stored = new Set<number>();
  const store = memoryStore({ keepsIterations: false });
  store.saveCheckpoint = ({ iteration }, replaced) => {
    clock.ms += storingMs;
    stored.add(iteration);
    if (replaced !== null) stored.delete(replaced);
    return Promise.resolve([...stored]);
  };
  return {
    keeper: new CheckpointKeeper({ run: opened, store, emit: (event) => events.push(event), now: () => clock.ms }),
    stored,
    events,
  };
}

describe('the keeper of checkpoints', () => {
  it('keeps every scheduled checkpoint and of the others only the newest', async () => {
    const clock = { ms: 0 };
    const { keeper, stored, events } = keeperOn(clock, 1);
    for (let iteration = 1; iteration <= 23; iteration++) {
      clock.ms += 1000;
      if (keeper.isWanted(at(iteration))) await keeper.save(checkpointAt(iteration), at(iteration));
    }
    expect([...stored]).toEqual([10, 20, 23]);
    expect(events.at(-1)).toEqual({ kind: 'checkpoint', iteration: 23, kept: [10, 20, 23] });
  });

  it('stores out of turn only when that is cheap', async () => {
    const clock = { ms: 0 };
    const { keeper } = keeperOn(clock, 100);
    await keeper.save(checkpointAt(1), at(1));
    clock.ms += 9900;
    expect(keeper.isWanted(at(2))).toBe(false);
    clock.ms += 200;
    expect(keeper.isWanted(at(3))).toBe(true);
    expect(keeper.isWanted(at(10))).toBe(true);
  });

  it('never deletes the checkpoint that it stores again', async () => {
    const clock = { ms: 0 };
    const { keeper, stored } = keeperOn(clock, 1);
    await keeper.save(checkpointAt(3), at(3));
    await keeper.save(checkpointAt(3), at(3));
    expect([...stored]).toEqual([3]);
  });

  it('replaces with its first one the one that a run was resumed at, unless that is scheduled or where a fork began', async () => {
    const goOnFrom = async (opened: RunRecord) => {
      const clock = { ms: 0 };
      const { keeper, stored } = keeperOn(clock, 1, opened);
      stored.add(opened.iteration);
      await keeper.save(checkpointAt(opened.iteration + 1), at(opened.iteration + 1));
      return [...stored];
    };
    expect(await goOnFrom(at(23))).toEqual([24]);
    expect(await goOnFrom(at(20))).toEqual([20, 21]);
    const forkedFrom = { id: runId('parent'), name: 'calm-otter', iteration: 23 };
    expect(await goOnFrom({ ...at(23), forkedFrom })).toEqual([23, 24]);
  });

  it('stores none with a number that is not finite, and leaves the one before as it is', async () => {
    const { keeper, stored, events } = keeperOn({ ms: 0 }, 1);
    await keeper.save(checkpointAt(3), at(3));
    for (const spoilt of [Number.NaN, Infinity, -Infinity]) {
      const saving = keeper.save(checkpointAt(4, spoilt), at(4));
      await expect(saving).rejects.toThrow(NumericsError);
      await expect(saving).rejects.toThrow(/^networks\.0\.w contains a number that is not finite after iteration 4/);
    }
    expect([...stored]).toEqual([3]);
    expect(events).toHaveLength(1);
  });
});
