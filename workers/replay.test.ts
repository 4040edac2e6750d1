// Tests that a run file contains everything that is needed to repeat the run on the CPU with exactly the same results.
import { describe, expect, it } from 'vitest';
import { withSetting } from '../src/config/parse.ts';
import { readRunFile, writeRunFile } from '../src/formats/runFile.ts';
import { type RunRecord, historyOf } from '../src/records/stored/checkpoint.ts';
import type { RunHistory } from '../src/records/stored/history.ts';
import { loadIteration, loadMetrics, loadRun } from '../src/storage/reading.ts';
import { newestCheckpoint } from '../src/storage/testing/newestCheckpoint.ts';
import { microConfig } from '../src/training/testing/microRun.ts';
import { heardTrainer, standIn } from './testing/heardTrainer.ts';

standIn();

const config = microConfig({
  learning: { problemsPerIteration: 2, groupSize: 2 },
  evaluation: { every: 2, problems: 8 },
  run: { iterations: 6, backend: 'cpu', checkpointEvery: 2 },
});

type Heard = Awaited<ReturnType<typeof heardTrainer>>;

/** All results of a run, without times. */
async function outcome({ id }: Pick<RunRecord, 'id'>) {
  const { metrics, evaluations } = await loadMetrics(id);
  const end = await newestCheckpoint(id);
  return {
    values: metrics.map(({ iteration, values }) => [
      iteration,
      Object.entries(values).filter(([name]) => !name.startsWith('time/') && !name.includes('SPS')),
    ]),
    said: await Promise.all(metrics.map(({ iteration }) => loadIteration(id, iteration))),
    evaluations,
    end: end && { ...end, runId: '', config: end.config },
  };
}

/** The history of a stored run, written to a run file and read back. */
const throughFile = async ({ id }: Pick<RunRecord, 'id'>): Promise<RunHistory> =>
  readRunFile(writeRunFile(historyOf(await loadRun(id))));

async function trainToEnd({ trainer, state }: Heard) {
  await trainer.train();
  await state('done');
}

/** Repeats a run from its file and trains it to its end. */
async function again(history: RunHistory) {
  const heard = await heardTrainer();
  await heard.trainer.open(history);
  await heard.state(history.fork ? 'paused' : 'idle');
  await trainToEnd(heard);
  return heard;
}

/** A run that is changed twice: once between two iterations, and once within an iteration. */
async function changedTwice() {
  const heard = await heardTrainer();
  const { trainer, state } = heard;
  await trainer.open({ config, preset: 'micro' });
  await trainer.step();
  await trainer.changeSetting('optimiser.learningRate', 1e-4);
  await trainer.train();
  await state('training');
  await trainer.pause();
  await trainer.changeSetting('learning.clipHigh', 0.4);
  await trainToEnd(heard);
  return heard;
}

describe('a run file repeats', () => {
  it('a run that was changed twice, and the history is the same', async () => {
    const first = await changedTwice();
    const { changes } = await loadRun(first.run().id);
    expect(changes).toHaveLength(2);
    expect(changes[0]).toMatchObject({ iteration: 1, path: 'optimiser.learningRate' });
    const history = await throughFile(first.run());
    expect(history.config).toEqual(config);
    const second = await again(history);
    expect(second.run().id).not.toBe(first.run().id);
    expect(await outcome(second.run())).toEqual(await outcome(first.run()));
    const replayed = await loadRun(second.run().id);
    expect(replayed.changes).toEqual(changes);
    expect(replayed.plan?.changes ?? []).toEqual([]);
    expect(await throughFile(second.run())).toEqual(history);
    expect(second.run().name).toBe(`${first.run().name} 2`);
  });

  it('a forked run including its parent, although the parent is missing', async () => {
    const first = await heardTrainer();
    await first.trainer.open({ config, preset: 'micro' });
    await first.trainer.step();
    await first.trainer.changeSetting('learning.clipHigh', 0.4);
    await first.trainer.step();
    await first.trainer.fork('separate');
    await first.state('paused');
    await first.trainer.changeSetting('optimiser.learningRate', 1e-4);
    await trainToEnd(first);
    const history = await throughFile(first.run());
    expect(history.fork).toMatchObject({ iteration: 2, mode: 'separate', parent: { changes: [{ iteration: 1 }] } });
    const second = await again(history);
    expect(second.run()).toMatchObject({ iteration: 2, config: { agents: { parameters: 'separate' } } });
    expect(await outcome(second.run())).toEqual(await outcome(first.run()));
    expect(await throughFile(second.run())).toEqual(history);
    // If iterations are quick, the event of one iteration replaces the event of the previous one, so the event of only
    // one of the iterations may arrive.
    expect([[0.5, 1], [1]]).toContainEqual(second.heard('progress').map(({ share }) => share));
    expect(second.heard('note')).toEqual([]);
    // The iterations of the parent run are not reported to the page.
    expect(second.heard('iteration').map(({ metrics }) => metrics.iteration)).toEqual([3, 4, 5, 6]);
  });

  it('a run that learned from imported pairs and later from others, if the files are given', async () => {
    const learning = { ...config.learning, learner: 'dpo', pairsFrom: 'imported' } as const;
    const paired = microConfig({ learning, run: { ...config.run, iterations: 4 } });
    const pairs = (chosen: string) =>
      JSON.stringify({ prompt: '<bos>7+4*2<eot>', chosen: `<meta>${chosen}<eot>`, rejected: '<meta>7+4<eot>' });
    const first = await heardTrainer();
    await first.trainer.importFile('pairs', pairs('4*2'), 'first.jsonl');
    await first.trainer.open({ config: paired, preset: 'micro' });
    await first.trainer.step();
    await first.trainer.step();
    await first.trainer.importFile('pairs', pairs('7*2'), 'then.jsonl');
    await trainToEnd(first);
    const history = await throughFile(first.run());
    expect(history.imports.map(({ iteration, name }) => [iteration, name])).toEqual([
      [0, 'first.jsonl'],
      [2, 'then.jsonl'],
    ]);
    const second = await heardTrainer();
    await second.trainer.open(history); // the files have not been imported yet
    await expect(second.trainer.train()).rejects.toThrow('no pairs have been imported');
    await second.trainer.keepFile('pairs', pairs('7*2'), 'renamed.jsonl');
    await second.trainer.keepFile('pairs', pairs('4*2'), 'first.jsonl');
    await second.trainer.open(history);
    await second.state('idle');
    await trainToEnd(second);
    expect(await outcome(second.run())).toEqual(await outcome(first.run()));
    expect(await throughFile(second.run())).toEqual(history);
  });
});

describe('a repeated run', () => {
  const history: RunHistory = {
    ...{ preset: 'micro', config, imports: [] },
    changes: [
      { iteration: 1, path: 'learning.clipHigh', value: 0.4 },
      { iteration: 3, path: 'optimiser.learningRate', value: 1e-4 },
    ],
  };

  it('that is interrupted continues with the remaining changes', async () => {
    const whole = await again(history);
    const first = await heardTrainer();
    await first.trainer.open(history);
    await first.trainer.step();
    await first.trainer.step();
    const second = await heardTrainer();
    await second.trainer.resumeRun(first.run().id);
    await second.state('paused');
    expect(second.run().plan).toEqual({ changes: history.changes.slice(1), imports: [] });
    await trainToEnd(second);
    expect(await outcome(second.run())).toEqual(await outcome(whole.run()));
    expect((await loadRun(second.run().id)).changes).toEqual(history.changes);
  });

  it('follows its history only until it is changed, and says what is dropped', async () => {
    const { trainer, heard, run, state } = await heardTrainer();
    await trainer.open(history);
    await trainer.step();
    const mine = { path: 'learning.entCoef', value: 0.05 };
    await trainer.changeSetting(mine.path, mine.value);
    await trainer.train();
    await state('done');
    expect(heard('config').map(({ dropped }) => dropped)).toEqual([0, 1]);
    const stored = await loadRun(run().id);
    expect(stored.changes).toEqual([history.changes[0], { ...mine, iteration: 1 }]);
    expect(stored.config).toEqual(
      withSetting(withSetting(config, 'learning.clipHigh', 0.4), 'learning.entCoef', mine.value),
    );
  });

  it('from a fork whose parent gives another result says so', async () => {
    const parent = { ...history, changes: [] };
    const fork = { iteration: 1, mode: 'lora', digest: '0'.repeat(64), parent } as const;
    const forked = { ...config, agents: { ...config.agents, parameters: 'lora' } } as const;
    const { trainer, heard, state } = await heardTrainer();
    await trainer.open({ ...history, config: forked, changes: [], fork });
    await state('paused');
    expect(heard('note').map(({ text }) => text)).toEqual([
      expect.stringMatching(/after iteration 1 are not the ones/),
    ]);
  });

  it('from a fork that its parent never reaches is refused by name', async () => {
    const parent = { ...history, changes: [] };
    const fork = { iteration: 9, mode: 'lora', parent } as const;
    const { trainer } = await heardTrainer();
    await expect(trainer.open({ ...parent, fork })).rejects.toThrow('fork.iteration: expected at most 6');
  });
});
