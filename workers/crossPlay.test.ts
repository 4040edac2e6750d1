// Tests evaluations of teams of stored agents through the trainer, in Node.
import { expect, it } from 'vitest';
import { loadCheckpoint, loadMetrics } from '../src/storage/reading.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const config = (seed: number) =>
  microConfig({
    learning: { problemsPerIteration: 2, groupSize: 2 },
    evaluation: { every: 2, problems: 8 },
    run: { iterations: 4, backend: 'cpu', checkpointEvery: 2, seed },
  });

it('a checkpoint, and the agents of two runs together, are measured beside an open run and without one', async () => {
  const { trainer, state, run } = await heardTrainer();
  const trained = async (seed: number) => {
    await trainer.open({ config: config(seed), preset: 'micro' });
    await state('idle');
    for (let i = 0; i < 2; i++) await trainer.step();
    return run().id;
  };
  const first = await trained(1);
  const measured = await trainer.evaluate('answers');
  const before = await loadMetrics(first);
  expect(before.evaluations.at(-1)).toEqual(measured);
  const at = (id: typeof first, iteration = 2) => ({ run: id, iteration });
  expect(await trainer.evaluateStored([at(first), at(first)])).toEqual(measured);
  const second = await trained(2);
  const together = await trainer.evaluateStored([at(first), at(second)]);
  expect(together).toMatchObject({ problems: 8, iteration: 2 });
  expect(await loadMetrics(first)).toEqual(before); // the evaluation is not stored
  // After the evaluation, training continues as if there had been no evaluation.
  await trainer.step();
  expect(run().id).toBe(second);

  const next = await heardTrainer();
  expect(await next.trainer.evaluateStored([at(first), at(second)])).toEqual(together);
  await expect(next.trainer.evaluateStored([at(first), at(second, 99)])).rejects.toMatchObject({
    name: 'StorageError',
  });
});

it('a run starts from the weights of an agent of a stored run, and unsuitable weights are refused', async () => {
  const { trainer, state, run } = await heardTrainer();
  await trainer.open({ config: config(1), preset: 'micro' });
  await state('idle');
  await trainer.step();
  await trainer.step();
  const seat = { run: run().id, iteration: 2 };
  const learned = await loadCheckpoint(seat.run, 2);
  const held = await trainer.holdAgent(seat, 0);
  expect(held).toEqual({
    name: expect.stringMatching(/^model-[0-9a-f]{16}$/) as string,
    label: `${run().name} after 2`,
  });
  expect((await trainer.holdAgent({ ...seat, iteration: 0 }, 0)).name).not.toBe(held.name);
  const { agents, ...rest } = config(7);
  await trainer.open({ config: { ...rest, agents: { ...agents, start: held.name } }, preset: 'micro' });
  await state('idle');
  expect(run().id).not.toBe(seat.run);
  await trainer.step();
  const begun = await loadCheckpoint(run().id, 0);
  expect(begun.networks[0]?.weights).toEqual(learned.networks[0]?.weights);
  await expect(trainer.holdAgent(seat, 7)).rejects.toMatchObject({ name: 'ConfigError' });
  await expect(trainer.holdAgent({ ...seat, iteration: 99 }, 0)).rejects.toMatchObject({ name: 'StorageError' });
});
