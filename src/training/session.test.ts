import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, StorageError } from '../base/errors.ts';
import type { ConfigInput } from '../config/schema.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { TrainerEvent } from '../records/events.ts';
import { memoryStore } from '../records/memoryStore.ts';
import { startCpuEngine } from './testing/cpuEngine.ts';
import { microCheckpoint, microConfig, openRun, startRun, type MicroRun } from './testing/microRun.ts';

beforeAll(startCpuEngine);

const states = (events: readonly TrainerEvent[]) =>
  events.flatMap((event) => (event.kind === 'state' ? [event.state] : []));
const kinds = (events: readonly TrainerEvent[]) => events.map(({ kind }) => kind).filter((kind) => kind !== 'turn');
const evaluated = (events: readonly TrainerEvent[]) =>
  events.flatMap((event) => (event.kind === 'evaluation' ? [event.evaluation] : []));

/** Resolves once so many events of a kind have come. */
async function until({ events }: MicroRun, kind: TrainerEvent['kind'], count = 1): Promise<void> {
  while (events.filter((event) => event.kind === kind).length < count) {
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const short = { run: { iterations: 3 } } satisfies ConfigInput;

describe('a run', () => {
  it('tells its states and news in order and ends as done', async () => {
    const run = await startRun({ ...short, evaluation: { every: 2 }, run: { iterations: 3, checkpointEvery: 2 } });
    await run.session.train();
    expect(kinds(run.events)).toEqual([
      'state', // training
      'checkpoint', // 0
      'evaluation', // 0
      'iteration',
      'iteration',
      'evaluation', // 2
      'checkpoint', // 2
      'iteration',
      'evaluation', // the last iteration is always evaluated
      'checkpoint', // 3
      'state', // done
    ]);
    expect(states(run.events)).toEqual(['training', 'done']);
    expect(evaluated(run.events).map(({ iteration }) => iteration)).toEqual([0, 2, 3]);
    const left = run.events.flatMap((event) => (event.kind === 'iteration' ? [event.iterationsLeft] : []));
    expect(left).toEqual([2, 1, 0]);
    expect(run.store.run).toMatchObject({ iteration: 3, isDone: true });
    expect(run.store.checkpoint?.iteration).toBe(3);
    expect(run.store.iterations.map(({ metrics }) => metrics.iteration)).toEqual([1, 2, 3]);
    await run.session.dispose();
  });

  it('shows the dialogue under way after each of its turns, as a copy', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    const turns = run.events.flatMap((event) => (event.kind === 'turn' ? [event] : []));
    const lengths = turns.map(({ trajectory }) => trajectory.turns.length);
    expect(lengths.slice(0, 3)).toEqual([1, 2, 3]);
    expect(turns.every(({ iteration }) => iteration === 1)).toBe(true);
    await run.session.dispose();
  });

  it('steps one iteration at a time and is paused in between', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    await run.session.train(1);
    expect(run.session.run.iteration).toBe(2);
    expect(states(run.events)).toEqual(['training', 'paused', 'training', 'paused']);
    await run.session.dispose();
  });

  it('is one loop however often it is started', async () => {
    const run = await startRun(short);
    expect(run.session.train()).toBe(run.session.train());
    await run.session.train();
    expect(run.collected()).toHaveLength(3);
    await run.session.dispose();
  });

  it('goes on to the end when it is started while a single step is under way', async () => {
    const run = await startRun(short);
    const step = run.session.train(1);
    await until(run, 'turn');
    await run.session.train();
    await step;
    expect(run.session.run.iteration).toBe(3);
    await run.session.dispose();
  });
});

describe('pause', () => {
  it('stands still inside an iteration, in silence, until the run goes on', async () => {
    const run = await startRun(short);
    const loop = run.session.train();
    await until(run, 'turn');
    await run.session.pause();
    expect(kinds(run.events)).not.toContain('iteration');
    const heard = run.events.length;
    expect(run.events.at(-1)).toEqual({ kind: 'state', state: 'paused', message: '' });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(run.events).toHaveLength(heard);
    void run.session.train();
    await loop;
    expect(states(run.events)).toEqual(['training', 'paused', 'training', 'done']);
    await run.session.dispose();
  });

  it('changes no number of the run', async () => {
    const [still, halted] = [await startRun(short), await startRun(short)];
    await still.session.train();
    const loop = halted.session.train();
    for (let at = 1; at <= 4; at++) {
      await until(halted, 'turn', 3 * at);
      await halted.session.pause();
      void halted.session.train();
    }
    await loop;
    expect(halted.collected()).toEqual(still.collected());
    expect((await halted.session.checkpoint()).networks).toEqual((await still.session.checkpoint()).networks);
    await Promise.all([still.session.dispose(), halted.session.dispose()]);
  });

  it('is answered at once when it is taken back before the loop stood still', async () => {
    const run = await startRun(short);
    const loop = run.session.train();
    await until(run, 'turn');
    const paused = run.session.pause();
    void run.session.train();
    await paused;
    expect(kinds(run.events)).not.toContain('iteration');
    await loop;
    expect(states(run.events)).toEqual(['training', 'done']);
    await run.session.dispose();
  });

  it('asked for as the last iteration ends leaves a run that is done and can be evaluated', async () => {
    const run = await startRun({ run: { iterations: 1 } });
    const loop = run.session.train();
    await until(run, 'evaluation', 2);
    await run.session.pause();
    await loop;
    expect(states(run.events)).toEqual(['training', 'done']);
    expect((await run.session.evaluate()).iteration).toBe(1);
    await run.session.dispose();
  });

  it('followed by a step finishes the iteration under way and no more', async () => {
    const run = await startRun(short);
    void run.session.train();
    await until(run, 'turn');
    await run.session.pause();
    await run.session.train(1);
    expect(run.session.run.iteration).toBe(1);
    expect(states(run.events)).toEqual(['training', 'paused', 'training', 'paused']);
    await run.session.dispose();
  });
});

describe('stop', () => {
  it('ends a paused run after the iteration under way and stores it', async () => {
    const run = await startRun(short);
    void run.session.train();
    await until(run, 'turn');
    await run.session.pause();
    await run.session.stop();
    expect(run.store.run).toMatchObject({ iteration: 1, isDone: true });
    expect(run.store.checkpoint?.iteration).toBe(1);
    expect(states(run.events).at(-1)).toBe('done');
    await run.session.dispose();
  });

  it('before the first iteration stores a run that can be resumed', async () => {
    const run = await startRun(short);
    await run.session.stop();
    expect(run.store.checkpoint?.iteration).toBe(0);
    expect(run.store.run?.isDone).toBe(true);
    await run.session.dispose();
  });

  it('can be followed by more training', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    await run.session.stop();
    await run.session.train(1);
    expect(run.session.run).toMatchObject({ iteration: 2, isDone: false });
    await run.session.dispose();
  });
});

describe('a changed setting', () => {
  it('acts from the next iteration on, is told and noted', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    await run.session.change('optimiser.learningRate', 1e-5);
    await run.session.train(1);
    const rates = run.store.iterations.map(({ metrics }) => metrics.values['charts/learning_rate']);
    expect(rates).toEqual([3e-3, 1e-5]);
    expect(run.store.run?.changes).toEqual([{ iteration: 1, path: 'optimiser.learningRate', value: 1e-5 }]);
    expect(run.events).toContainEqual({ kind: 'config', config: run.session.config });
    expect(run.store.checkpoint?.config.optimiser.learningRate).toBe(1e-5);
    await run.session.dispose();
  });

  it('in the middle of an iteration leaves that iteration as it was', async () => {
    const [plain, changed] = [await startRun(short), await startRun(short)];
    await plain.session.train(1);
    const loop = changed.session.train(1);
    await until(changed, 'turn');
    await changed.session.change('optimiser.learningRate', 1e-2);
    await changed.session.change('reward.rightAnswer', 2);
    await loop;
    expect((await changed.session.checkpoint()).networks).toEqual((await plain.session.checkpoint()).networks);
    await Promise.all([plain.session.dispose(), changed.session.dispose()]);
  });

  it('of the KL weight acts', async () => {
    const run = await startRun({ ...short, kl: { place: 'loss', coef: 0.001 } });
    await run.session.train(1);
    await run.session.change('kl.coef', 0.5);
    await run.session.train(1);
    expect(run.store.iterations.map(({ metrics }) => metrics.values['losses/kl_coef'])).toEqual([0.001, 0.5]);
    await run.session.dispose();
  });

  it('of the number of iterations lengthens or shortens a run under way', async () => {
    const run = await startRun(short);
    const loop = run.session.train();
    await until(run, 'iteration');
    await run.session.change('run.iterations', 9);
    await until(run, 'iteration', 4);
    expect(states(run.events)).toEqual(['training']);
    await run.session.change('run.iterations', 2);
    await loop;
    expect(run.session.run).toMatchObject({ iteration: 5, isDone: true }); // the one under way was finished
    await run.session.dispose();
  });

  it('that is not live, not in bounds or not there is refused by name and changes nothing', async () => {
    const run = await startRun(short);
    const before = run.session.config;
    for (const [path, value, message] of [
      ['agents.size', 'small', /agents\.size: cannot change in an open run; start a new run/],
      ['learning.learner', 'ppo', /learning\.learner: cannot change/],
      ['learning.clipHigh', 7, /learning\.clipHigh: expected a number from 0 to 1, got 7/],
      ['learning.clip', 0.1, /no such setting/],
    ] as const) {
      const refused = run.session.change(path, value);
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toThrow(ConfigError);
    }
    expect(run.session.config).toBe(before);
    expect(run.events).toEqual([]);
    await run.session.dispose();
  });
});

describe('evaluate', () => {
  it('gives the same numbers for the same weights, asked for by hand or by the schedule', async () => {
    const run = await startRun({ ...short, evaluation: { every: 1 } });
    await run.session.train(1);
    const scheduled = evaluated(run.events).at(-1);
    expect(await run.session.evaluate()).toEqual(scheduled);
    expect(await run.session.evaluate()).toEqual(scheduled);
    await run.session.dispose();
  });

  it('works while the run is paused in the middle of an iteration', async () => {
    const run = await startRun(short);
    const loop = run.session.train();
    await until(run, 'turn', 3);
    await run.session.pause();
    const first = evaluated(run.events)[0];
    expect(await run.session.evaluate()).toEqual(first);
    expect(states(run.events).at(-1)).toBe('paused');
    void run.session.train();
    await loop;
    await run.session.dispose();
  });

  it('lets training stand still and changes no number of it, however often it is asked', async () => {
    const [quiet, asked] = [await startRun(short), await startRun(short)];
    await quiet.session.train();
    const loop = asked.session.train();
    await until(asked, 'turn', 2);
    await Promise.all([asked.session.evaluate(), asked.session.evaluate()]);
    await until(asked, 'turn', 9);
    await asked.session.evaluate();
    await loop;
    expect(asked.collected()).toEqual(quiet.collected());
    expect((await asked.session.checkpoint()).networks).toEqual((await quiet.session.checkpoint()).networks);
    await Promise.all([quiet.session.dispose(), asked.session.dispose()]);
  });

  it('holds back a run that is started meanwhile', async () => {
    const run = await startRun(short);
    const measured = run.session.evaluate();
    const loop = run.session.train(1);
    await measured;
    expect(kinds(run.events)).not.toContain('iteration');
    await loop;
    expect(run.session.run.iteration).toBe(1);
    await run.session.dispose();
  });
});

describe('resuming', () => {
  const variants: [string, ConfigInput][] = [
    ['GRPO', {}],
    ['PPO, critic included', { learning: { learner: 'ppo' } }],
    ['an adaptive KL weight', { kl: { place: 'reward', isAdaptive: true, horizon: 100, target: 0.001 } }],
    ['two networks that alternate', { agents: { parameters: 'separate' }, learning: { switchEvery: 2 } }],
    ['a learning rate that still rises', { optimiser: { learningRate: 3e-3, warmupUpdates: 20 } }],
  ];
  it.each(variants)('is exact with %s', async (_, settings) => {
    const whole = await startRun(settings);
    await whole.session.train(6);
    const half = await startRun(settings);
    await half.session.train(3);
    const stored = structuredClone(half.store.checkpoint as Checkpoint);
    await half.session.dispose();
    const resumed = openRun(stored, { store: half.store });
    await resumed.session.train(3);
    expect(resumed.collected()).toEqual(whole.collected());
    expect(resumed.store.checkpoint).toEqual(whole.store.checkpoint);
    expect(whole.store.checkpoint?.sampledTokens).toBeGreaterThan(500);
    await Promise.all([whole.session.dispose(), resumed.session.dispose()]);
  });
});

describe('a failure', () => {
  const failures = ({ events }: MicroRun) => events.flatMap((event) => (event.kind === 'failed' ? [event] : []));

  it('by weights that are not finite stops the run, names iteration and metric, keeps the last checkpoint', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    for (const [, weight] of run.session.learning.networks[0]?.tree ?? []) {
      tf.tidy(() => weight.assign(tf.fill(weight.shape, Number.NaN)));
    }
    await run.session.train();
    expect(failures(run)).toHaveLength(1);
    expect(failures(run)[0]).toMatchObject({ name: 'NumericsError', iteration: 1 });
    expect(failures(run)[0]?.message).toMatch(/^losses\/\w+ is NaN at iteration 2\. /);
    expect(states(run.events).at(-1)).toBe('failed');
    expect(run.store.checkpoint?.iteration).toBe(1);
    const weights = run.store.checkpoint?.networks[0]?.weights ?? [];
    expect(weights.every(({ values }) => values.every(Number.isFinite))).toBe(true);
    // Neither stopping nor starting again stores the poisoned weights.
    await run.session.train(1);
    await run.session.stop();
    expect(run.store.checkpoint?.iteration).toBe(1);
    expect(states(run.events).at(-1)).toBe('failed');
    await run.session.dispose();
  });

  it('of the store stops the run under the name of the store, and it can go on when there is room again', async () => {
    const store = memoryStore({ keepsIterations: true });
    const { saveIteration } = store;
    store.saveIteration = () => Promise.reject(new StorageError('iteration 1: the browser gives no more room.'));
    const run = openRun(await microCheckpoint(microConfig(short)), { store });
    await run.session.train();
    expect(failures(run)).toEqual([
      { kind: 'failed', name: 'StorageError', message: 'iteration 1: the browser gives no more room.', iteration: 1 },
    ]);
    expect(states(run.events)).toEqual(['training', 'failed']);
    store.saveIteration = saveIteration;
    await run.session.train();
    expect(states(run.events).at(-1)).toBe('done');
    expect(run.session.run.iteration).toBe(3);
    await run.session.dispose();
  });
});

describe('dispose', () => {
  it('in the middle of training ends the loop first and frees every tensor', async () => {
    const warm = await startRun(short);
    await warm.session.train(1);
    await warm.session.dispose();
    const before = tf.memory().numTensors;
    const run = await startRun({ ...short, learning: { learner: 'ppo' }, agents: { parameters: 'separate' } });
    void run.session.train();
    await until(run, 'turn', 2);
    const measured = run.session.evaluate();
    await run.session.dispose();
    await measured;
    expect(run.session.run.iteration).toBe(1);
    expect(tf.memory().numTensors).toBe(before);
  });
});

describe('agentWeights', () => {
  it('are those of the network that speaks for the agent; another agent is refused', async () => {
    const run = await startRun({ agents: { parameters: 'separate' } });
    const checkpoint = await run.session.checkpoint();
    expect(await run.session.agentWeights(1)).toEqual(checkpoint.networks[1]?.weights);
    expect(await run.session.agentWeights(0)).not.toEqual(checkpoint.networks[1]?.weights);
    await expect(run.session.agentWeights(2)).rejects.toThrow('agent: expected 0 to 1, got 2.');
    await run.session.dispose();
  });
});
