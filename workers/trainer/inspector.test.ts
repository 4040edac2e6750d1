// Tests the inspection of iterations through the trainer, in Node: the newest iteration from the current state of the
// run, and other iterations from stored records.
import { expect, it, vi } from 'vitest';
import { listCheckpoints, loadCheckpoint, loadIteration } from '../../src/storage/reading.ts';
import { microConfig } from '../../src/training/testing/microRun.ts';
import { heldOutTrajectory, plainProblems } from '../../src/training/review/heldOut.ts';
import { heardTrainer, standIn } from '../testing/heardTrainer.ts';

standIn();

const config = microConfig({
  learning: { problemsPerIteration: 3, groupSize: 4 },
  evaluation: { every: 50, problems: 8 },
  run: { iterations: 50, backend: 'cpu', checkpointEvery: 3 },
});

it('every group has its numbers: from the update in the newest iteration, from a checkpoint in others', async () => {
  const { trainer, state, run, heard } = await heardTrainer();
  await trainer.open({ config, preset: 'micro' });
  await state('idle');
  for (let i = 0; i < 3; i++) await trainer.step();
  const { id } = run();
  await vi.waitFor(() => expect(heard('iteration')).toHaveLength(3)); // events arrive in batches
  const shown = heard('iteration').map((event) => event.shown);
  const at = (iteration: number, group: number) => ({ run: id, iteration, group });
  const newest = await trainer.look('group', at(3, shown[2]?.group ?? 0));
  expect(newest).toEqual(shown[2]); // there is no note about other weights
  const stored = await loadIteration(id, 3);
  for (const group of [0, 1, 2]) {
    const { rollouts } = await trainer.look('group', at(3, group));
    expect(rollouts.map(({ trajectory }) => trajectory.index).sort()).toEqual(
      stored
        .filter((one) => one.group === group)
        .map(({ index }) => index)
        .sort(),
    );
    expect(rollouts.every(({ turns }) => turns.every(({ p, tokens }) => p.length === tokens.length))).toBe(true);
  }
  // A changed setting does not change the weights. The new value takes effect in the next iteration.
  await trainer.changeSetting('learning.clipHigh', 0.5);
  expect(await trainer.look('group', at(3, shown[2]?.group ?? 0))).toEqual(shown[2]);

  // A checkpoint is stored after each iteration, but only the newest of the unscheduled checkpoints is kept.
  expect(await listCheckpoints(id)).toEqual([0, 3]);
  const older = await trainer.look('group', at(2, shown[1]?.group ?? 0));
  expect(older.weightsAfter).toBe(3);
  const columns = (group: typeof older) =>
    group.rollouts.map(({ turns }) => turns.map(({ advantage, pBefore }) => [advantage, pBefore]));
  expect(columns(older)).toEqual(columns(shown[1] as typeof older));
  expect(older.formula).toEqual(shown[1]?.formula); // with the clip range of that iteration

  const beside = await trainer.look('otherLearners', at(2, older.group));
  expect(beside.find(({ learner }) => learner === 'grpo')?.advantages?.[0]?.[0]).toEqual(
    older.rollouts[0]?.turns[0]?.advantage,
  );
  const { index, turns } = older.rollouts[0]?.trajectory as (typeof stored)[number];
  const token = { run: id, iteration: 2, trajectory: index, turn: turns.length - 1, token: 0 };
  const look = await trainer.look('attention', token);
  expect([look.weightsAfter, look.weights.length]).toEqual([3, look.layers * look.heads * look.tokens.length]);
  expect(await trainer.look('heldOut', { run: id, iteration: 3, problem: 2 })).toEqual(
    await heldOutTrajectory(await loadCheckpoint(id, 3), 2),
  );
  const plain = await trainer.look('plainProblems', { run: id, iteration: 3, count: 40 });
  expect(plain).toEqual(plainProblems(await loadCheckpoint(id, 3), 40));

  // If no run is open, the result is computed from the store. This result must be the same as that of the open run.
  const next = await heardTrainer();
  const again = await next.trainer.look('group', at(3, shown[2]?.group ?? 0));
  expect(again).toEqual(shown[2]);
  await expect(next.trainer.look('group', at(9, 0))).rejects.toMatchObject({ name: 'StorageError' });
});
