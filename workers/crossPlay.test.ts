// Stored agents measured together through the trainer, in Node.
import { expect, it } from 'vitest';
import { loadMetrics } from '../src/storage/reading.ts';
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
  expect(await loadMetrics(first)).toEqual(before); // nothing of it is stored
  // Training goes on as if nobody had asked.
  await trainer.step();
  expect(run().id).toBe(second);

  const next = await heardTrainer();
  expect(await next.trainer.evaluateStored([at(first), at(second)])).toEqual(together);
  await expect(next.trainer.evaluateStored([at(first), at(second, 99)])).rejects.toMatchObject({
    name: 'StorageError',
  });
});
