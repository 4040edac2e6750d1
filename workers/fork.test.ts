// Tests forks through the trainer, in Node.
import { describe, expect, it } from 'vitest';
import type { ForkMode } from '../src/config/fork.ts';
import { forkName } from '../src/config/runName.ts';
import type { Config } from '../src/config/schema.ts';
import { historyOf, type RunRecord } from '../src/records/stored/checkpoint.ts';
import type { TrainerEvent } from '../src/records/events.ts';
import { listRuns, loadCheckpoint, loadMetrics, loadRun } from '../src/storage/reading.ts';
import { newestCheckpoint } from '../src/storage/testing/newestCheckpoint.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';
import { newTrainer } from './trainer.ts';

standIn();

const config = microConfig({
  learning: { problemsPerIteration: 2, groupSize: 2 },
  evaluation: { every: 2, problems: 8 },
  run: { iterations: 4, backend: 'cpu', checkpointEvery: 2 },
});

/** A trainer whose open run has been trained for this many iterations. */
async function trained(iterations: number) {
  const { trainer, heard, state, run } = await heardTrainer();
  // Events may arrive after the command has returned, because they are sent in batches.
  const ofNewRun = async (open: () => Promise<void>) => {
    const known = heard('run').length;
    await open();
    const isTold = () => heard('run').length > known && ['paused', 'done'].includes(heard('state').at(-1)?.state ?? '');
    while (!isTold()) await new Promise((resolve) => setTimeout(resolve, 5));
    return run();
  };
  const fork = (mode: ForkMode) => ofNewRun(() => trainer.fork(mode));
  const resume = (id: RunRecord['id']) => ofNewRun(() => trainer.resumeRun(id));
  await trainer.open({ config, preset: 'micro' });
  await state('idle');
  for (let i = 0; i < iterations; i++) await trainer.step();
  return { trainer, heard, state, run, fork, resume };
}

describe.each(['separate', 'lora', 'loraByTurn'] as const)('a fork to %s', (mode) => {
  it('is a separate run that continues from the other one, and both are kept', async () => {
    const { trainer, heard, state, run, fork } = await trained(2);
    const parent = run();
    const forked = await fork(mode);
    expect(forked).toMatchObject({
      name: forkName(parent.name, { mode }),
      iteration: 2,
      forkedFrom: { id: parent.id, name: parent.name, iteration: 2, mode, parent: historyOf(parent) },
    });
    // The evaluation of the run with the shared network is also valid for its fork.
    expect((await loadMetrics(forked.id)).evaluations).toEqual(
      (await loadMetrics(parent.id)).evaluations.filter(({ iteration }) => iteration === 2),
    );
    expect(heard('evaluation').at(-1)?.evaluation.iteration).toBe(2);
    expect(await loadRun(forked.id)).toEqual(forked);
    await trainer.train();
    await state('done');
    const { runs, damaged } = await listRuns();
    expect(damaged).toEqual([]);
    expect(runs.map(({ run: { id, iteration, isDone } }) => [id, iteration, isDone]).sort()).toEqual(
      [
        [parent.id, 2, false],
        [forked.id, 4, true],
      ].sort(),
    );
    expect((await newestCheckpoint(parent.id))?.networks).toHaveLength(1);
    const end = await newestCheckpoint(forked.id);
    expect(end?.networks).toHaveLength(mode === 'loraByTurn' ? 2 * config.agents.roundLimit : 2);
    expect(end?.base?.length ?? 0).toBe(mode === 'separate' ? 0 : end?.reference[0]?.length);
  });

  it('is resumed from the store to the same end, bit for bit', async () => {
    const whole = await trained(2);
    await whole.fork(mode);
    await whole.trainer.train();
    await whole.state('done');
    const expected = await newestCheckpoint(whole.run().id);

    const half = await trained(2);
    await half.fork(mode);
    await half.trainer.step();
    const second = await trained(0);
    await second.resume(half.run().id);
    expect(second.run().forkedFrom).toEqual(half.run().forkedFrom);
    await second.trainer.train();
    await second.state('done');
    const found = await newestCheckpoint(half.run().id);
    expect(found?.networks).toEqual(expected?.networks);
    expect(found?.base).toEqual(expected?.base);
  });
});

describe('a team of adapters', () => {
  it('is described as one network and its additions', async () => {
    const heard: TrainerEvent[] = [];
    const count = async (agents: Partial<Config['agents']>) => {
      const trainer = newTrainer();
      await trainer.listen((news) => heard.push(...news));
      const known = heard.length;
      await trainer.open({ config: { ...config, agents: { ...config.agents, ...agents } }, preset: 'micro' });
      const told = () => heard.slice(known).find((event) => event.kind === 'preflight');
      while (!told()) await new Promise((resolve) => setTimeout(resolve, 5));
      return told()?.preflight.parameters ?? 0;
    };
    const shared = await count({});
    expect(await count({ parameters: 'separate' })).toBe(2 * shared);
    // An adapter has rank 8 and changes four matrices of the only layer: 16 → 32, 16 → 16, 16 → 64 and 32 → 16.
    const adapter = 8 * (16 + 32 + 16 + 16 + 16 + 64 + 32 + 16);
    expect(await count({ parameters: 'lora' })).toBe(shared + 2 * adapter);
    expect(await count({ parameters: 'lora', adapterPer: 'turn' })).toBe(shared + 2 * 3 * adapter);
  });
});

describe('a fork', () => {
  it('of a run that is paused in the middle of an iteration finishes it first', async () => {
    const { trainer, state, run, heard, fork } = await trained(1);
    const parent = run();
    await trainer.train();
    await state('training');
    await trainer.pause();
    const forked = await fork('lora');
    expect(forked.iteration).toBe(heard('iteration').at(-1)?.metrics.iteration);
    const [ours, theirs] = [await newestCheckpoint(forked.id), await newestCheckpoint(parent.id)];
    expect(theirs?.iteration).toBe(forked.iteration);
    expect(ours?.base).toEqual(theirs?.networks[0]?.weights);
  });

  it('of a finished run has no iteration left, and says so', async () => {
    const { trainer, state, run, heard, fork } = await trained(4);
    await fork('separate');
    expect(heard('state').at(-1)?.state).toBe('done');
    await trainer.changeSetting('run.iterations', 5);
    await trainer.train();
    // The state alone does not show that the iteration has ended: the state was also `done` before, and the iteration
    // may end before the test checks the state. Therefore the test waits for the event of this iteration.
    const isTold = () => heard('iteration').at(-1)?.metrics.iteration === 5;
    while (!isTold()) await new Promise((resolve) => setTimeout(resolve, 5));
    await state('done');
    expect((await loadCheckpoint(run().id, 5)).networks).toHaveLength(2);
  });

  it('protects the run from which it continues: that run can only be deleted after the fork', async () => {
    const { trainer, run, fork } = await trained(1);
    const parent = run();
    const forked = await fork('lora');
    await expect(trainer.deleteRun(parent.id)).rejects.toThrow(
      `${forked.name} is a fork of this run and shows the history`,
    );
    expect((await listRuns()).runs).toHaveLength(2);
    await trainer.deleteRun(forked.id);
    await trainer.deleteRun(parent.id);
    expect((await listRuns()).runs).toEqual([]);
  });

  it('that is refused does not change the run', async () => {
    const { trainer, run, fork } = await trained(0);
    const { id } = run();
    await expect(trainer.fork('lora')).rejects.toThrow('has not been trained yet');
    await trainer.step();
    expect(run().id).toBe(id);
    await fork('lora');
    await expect(trainer.fork('separate')).rejects.toThrow('agents.parameters = shared');
    expect((await listRuns()).runs).toHaveLength(2);
  });
});
