// Tests the functions with which other tests wait for events of a trainer. Events that arrive very quickly must not be
// missed, and events from before the newest command must not count.
import { expect, it } from 'vitest';
import { microConfig } from '../../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './heardTrainer.ts';

standIn();

const config = microConfig({
  learning: { problemsPerIteration: 2, groupSize: 2 },
  run: { iterations: 2, backend: 'cpu' },
});

it('a state is waited for since the newest command: one that is over already counts, one from before does not', async () => {
  const { trainer, heard, state } = await heardTrainer();
  await trainer.open({ config, preset: 'micro' });
  await state('idle');
  await trainer.train();
  await state('done');
  await state('training'); // this state was reported long ago
  await state('done');
  const told = heard('iteration').length;
  expect(told).toBe(2);
  await trainer.changeSetting('run.iterations', 4);
  await trainer.train();
  await state('done'); // a new event, not the earlier one
  expect(heard('iteration')).toHaveLength(4);
});

it('a run that fails ends the waiting for anything else', async () => {
  const { trainer, state } = await heardTrainer();
  const gpu = { ...config, run: { ...config.run, backend: 'webgpu' as const } };
  await expect(trainer.open({ config: gpu, preset: 'micro' })).rejects.toThrow();
  await expect(state('done')).rejects.toThrow(/done was waited for, and the run failed: .*WebGPU/);
  await state('failed');
});
