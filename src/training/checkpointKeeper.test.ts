// A run of ten-iteration schedule on a clock in the test's hand.
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import type { Checkpoint, RunRecord } from '../records/checkpoint.ts';
import type { TrainerEvent } from '../records/events.ts';
import { runId } from '../records/ids.ts';
import { memoryStore } from './memoryStore.ts';
import { CheckpointKeeper } from './checkpointKeeper.ts';

const at = (iteration: number) => ({ id: runId('k'), iteration, config: parseConfig({}) }) as RunRecord;
const checkpointAt = (iteration: number) => ({ runId: runId('k'), iteration }) as Checkpoint;

function keeperOn(clock: { ms: number }, storingMs: number) {
  const events: TrainerEvent[] = [];
  const stored = new Set<number>();
  const store = memoryStore({ keepsIterations: false });
  store.saveCheckpoint = ({ iteration }, replaced) => {
    clock.ms += storingMs;
    stored.add(iteration);
    if (replaced !== null) stored.delete(replaced);
    return Promise.resolve();
  };
  return {
    keeper: new CheckpointKeeper({ store, emit: (event) => events.push(event), now: () => clock.ms }),
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
    expect(events.at(-1)).toEqual({ kind: 'checkpoint', iteration: 23, replaced: 22 });
  });

  it('stores out of turn only when that is cheap', async () => {
    const clock = { ms: 0 };
    const { keeper } = keeperOn(clock, 100);
    await keeper.save(checkpointAt(1), at(1));
    clock.ms += 1900;
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
});
