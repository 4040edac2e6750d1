import * as tf from '@tensorflow/tfjs-core';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { profileMs, type IterationProfile } from '../../records/profile.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import { memoryStore } from './memoryStore.ts';
import { onCpu } from '../testing/onCpu.ts';
import { evaluated, kinds, states, until } from '../testing/heard.ts';
import { microCheckpoint, microConfig, openRun, startRun, type MicroRun } from '../testing/microRun.ts';
import { speakingVariables } from '../team/network.ts';

onCpu();

const short = { run: { iterations: 3 } } satisfies ConfigInput;

describe('a run', () => {
  it('reports its states and news in order and ends as done', async () => {
    const run = await startRun({ ...short, evaluation: { every: 2 }, run: { iterations: 3, checkpointEvery: 2 } });
    await run.session.train();
    expect(kinds(run.events)).toEqual([
      'state', // training
      'checkpoint', // 0
      'evaluation', // 0
      'iteration',
      'profile',
      'iteration',
      'evaluation', // 2
      'profile',
      'checkpoint', // 2
      'iteration',
      'evaluation', // the last iteration is always evaluated
      'profile',
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
  });

  it('shows its first dialogue before the team is measured as it was at the start', async () => {
    const run = openRun(await microCheckpoint(microConfig({ ...short, evaluation: { every: 100, problems: 8 } })));
    await run.session.train(1);
    const kinds = run.events
      .map(({ kind }) => kind)
      .filter((kind) => ['turn', 'evaluation', 'iteration'].includes(kind));
    expect([kinds[0], ...kinds.slice(-2)]).toEqual(['turn', 'evaluation', 'iteration']);
    expect(run.store.evaluations.map(({ iteration }) => iteration)).toEqual([0]);
    await run.session.dispose();
  });

  it('says where the time of each iteration went, and counts the tokens that were said', async () => {
    const settings = { ...short, evaluation: { every: 3, problems: 8 } };
    const run = openRun(await microCheckpoint(microConfig(settings)), { now: () => performance.now() });
    await run.session.train(1);
    const started = performance.now();
    await run.session.train();
    const tookMs = performance.now() - started;
    const told = run.events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
    expect(run.store.iterations.map(({ metrics }) => metrics.profile)).toEqual(told);
    const [first, second, third] = told as [IterationProfile, IterationProfile, IterationProfile];
    for (const profile of told) {
      for (const part of ['rollout', 'scoring', 'update'] as const) expect(profile.parts[part]).toBeGreaterThan(0);
      expect(profile.peakBytes).toBeGreaterThanOrEqual(profile.usedBytes);
    }
    expect(first.parts.evaluation).toBe(0); // the evaluation at the start belongs to no iteration
    expect(third.parts.evaluation).toBeGreaterThan(0);
    expect(third.parts.storage).toBeGreaterThan(0);
    // On any machine, the sum of the times of all parts is less than the time of the whole session. ledger.test.ts
    // tests that the parts of an iteration add up exactly.
    expect(profileMs(third)).toBeLessThan(tookMs);
    const said = (run.collected()[1] ?? []).flatMap(({ turns }) => turns.flatMap(({ tokens }) => tokens)).length;
    expect(second.sampledTokens).toBe(said);
    expect(second.trainedTokens).toBe(said * run.session.config.learning.updateEpochs);
    expect(second.sampledPerSecond).toBeGreaterThan(0);
  });

  it('shows the dialogue under way after each of its turns, as a copy', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    const turns = run.events.flatMap((event) => (event.kind === 'turn' ? [event] : []));
    // The page receives the dialogues of the iteration, and also the dialogues of the measurement before the first
    // update.
    for (const at of [0, 1]) {
      const lengths = turns.flatMap(({ iteration, trajectory }) => (iteration === at ? [trajectory.turns.length] : []));
      expect(lengths.slice(0, 3)).toEqual([1, 2, 3]);
    }
    expect(turns.every(({ iteration }) => iteration <= 1)).toBe(true);
  });

  it('steps one iteration at a time and is paused in between', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    await run.session.train(1);
    expect(run.session.run.iteration).toBe(2);
    expect(states(run.events)).toEqual(['training', 'paused', 'training', 'paused']);
  });

  it('is one loop, also if it is started several times', async () => {
    const run = await startRun(short);
    expect(run.session.train()).toBe(run.session.train());
    await run.session.train();
    expect(run.collected()).toHaveLength(3);
  });

  it('goes on to the end when it is started while a single step is under way', async () => {
    const run = await startRun(short);
    const step = run.session.train(1);
    await until(run, 'turn');
    await run.session.train();
    await step;
    expect(run.session.run.iteration).toBe(3);
  });
});

describe('pause', () => {
  it('stops inside an iteration, without any news, until the run continues', async () => {
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
  });

  it('is answered immediately if it is withdrawn before the loop has stopped', async () => {
    const run = await startRun(short);
    const loop = run.session.train();
    await until(run, 'turn');
    const paused = run.session.pause();
    void run.session.train();
    await paused;
    expect(kinds(run.events)).not.toContain('iteration');
    await loop;
    expect(states(run.events)).toEqual(['training', 'done']);
  });

  it('requested at the end of the last iteration leaves a finished run that can be evaluated', async () => {
    const run = await startRun({ run: { iterations: 1 } });
    const loop = run.session.train();
    await until(run, 'evaluation', 2);
    await run.session.pause();
    await loop;
    expect(states(run.events)).toEqual(['training', 'done']);
    expect((await run.session.evaluate()).iteration).toBe(1);
  });

  it('followed by a step finishes only the current iteration', async () => {
    const run = await startRun(short);
    void run.session.train();
    await until(run, 'turn');
    await run.session.pause();
    await run.session.train(1);
    expect(run.session.run.iteration).toBe(1);
    expect(states(run.events)).toEqual(['training', 'paused', 'training', 'paused']);
  });
});

describe('stop', () => {
  it('ends a paused run after the current iteration and stores it', async () => {
    const run = await startRun(short);
    void run.session.train();
    await until(run, 'turn');
    await run.session.pause();
    await run.session.stop();
    expect(run.store.run).toMatchObject({ iteration: 1, isDone: true });
    expect(run.store.checkpoint?.iteration).toBe(1);
    expect(states(run.events).at(-1)).toBe('done');
  });

  it('before the first iteration stores a run that can be resumed', async () => {
    const run = await startRun(short);
    await run.session.stop();
    expect(run.store.checkpoint?.iteration).toBe(0);
    expect(run.store.run?.isDone).toBe(true);
  });

  it('can be followed by more training', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    await run.session.stop();
    await run.session.train(1);
    expect(run.session.run).toMatchObject({ iteration: 2, isDone: false });
  });
});

describe('a failure', () => {
  const failures = ({ events }: MicroRun) => events.flatMap((event) => (event.kind === 'failed' ? [event] : []));
  /** The last checkpoint of the run, without the settings. */
  const learned = ({ store }: MicroRun) => {
    const { config: _, ...rest } = store.checkpoint as Checkpoint;
    return rest;
  };
  const undisturbed = async () => {
    const run = await startRun(short);
    await run.session.train();
    return run;
  };

  it('by weights that are not finite stops the run, names iteration and metric, keeps the last checkpoint', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    for (const weight of run.session.trainState.networks.slice(0, 1).flatMap(speakingVariables)) {
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
    // The invalid weights cannot be trained, measured or exported, and they are not stored when the run is stopped.
    expect(() => run.session.train(1)).toThrow(/^train: the run has failed .*go back to its last checkpoint/);
    await expect(run.session.evaluate()).rejects.toThrow(/^evaluate: the run has failed/);
    await expect(run.session.agentWeights(0)).rejects.toThrow(/^weights: the run has failed/);
    await run.session.stop();
    expect(run.store.checkpoint?.iteration).toBe(1);
    expect(states(run.events).at(-1)).toBe('failed');
    // If the run continues from the stored checkpoint, the result is the same as without the fault.
    const again = openRun(run.store.checkpoint as Checkpoint);
    await again.session.train();
    expect(states(again.events).at(-1)).toBe('done');
    expect(learned(again)).toEqual(learned(await undisturbed()));
  });

  it('caused by a setting is corrected by another setting, from the last checkpoint on', async () => {
    const start = await microCheckpoint(microConfig(short));
    const { learningRate } = start.config.optimiser;
    const optimiser = { ...start.config.optimiser, learningRate: 1e30 }; // far above the maximum
    const run = openRun({ ...start, config: { ...start.config, optimiser } });
    await run.session.train();
    expect(failures(run)).toMatchObject([{ name: 'NumericsError' }]);
    const kept = run.store.checkpoint as Checkpoint;
    expect([kept.iteration, kept.config.optimiser.learningRate]).toEqual([0, 1e30]);
    const again = openRun(kept);
    await again.session.change('optimiser.learningRate', learningRate);
    await again.session.train();
    expect(states(again.events).at(-1)).toBe('done');
    expect(learned(again)).toEqual(learned(await undisturbed()));
  });

  it('of the store to take a change or pairs leaves the run as it was', async () => {
    const pairs = [{ prompt: '<bos>7+4*2<eot>', chosen: '<meta>4*2<eot>', rejected: '<meta>7+4<eot>' }];
    const learning = { learner: 'dpo', pairsFrom: 'imported', problemsPerIteration: 2, groupSize: 2 } as const;
    const store = memoryStore({ keepsIterations: true });
    const { saveRun, saveCheckpoint } = store;
    const full = () => Promise.reject(new StorageError('the browser’s storage is full.', 'full'));
    const run = openRun(await microCheckpoint(microConfig({ ...short, learning })), { store });
    await run.session.importPairs(pairs);
    await run.session.train(1);
    const before = [run.session.run, run.session.config, run.session.trainState.pairs];
    const refuse = async () => {
      await expect(run.session.change('optimiser.learningRate', 1e-5)).rejects.toThrow('storage is full');
      expect([run.session.run, run.session.config, run.session.trainState.pairs]).toEqual(before);
      expect(kinds(run.events)).not.toContain('config');
    };
    store.saveRun = full;
    await refuse();
    store.saveRun = saveRun;
    store.saveCheckpoint = full;
    await refuse();
    await expect(run.session.importPairs([...pairs, ...pairs])).rejects.toThrow('storage is full');
    expect(run.session.trainState.pairs).toEqual(pairs);
    store.saveCheckpoint = saveCheckpoint;
    await run.session.change('optimiser.learningRate', 1e-5);
    expect(run.session.config.optimiser.learningRate).toBe(1e-5);
    expect(run.store.checkpoint?.config.optimiser.learningRate).toBe(1e-5);
  });

  it('of the store stops the run under the name of the store, and it can go on when there is room again', async () => {
    const store = memoryStore({ keepsIterations: true });
    const { saveIteration } = store;
    store.saveIteration = () => Promise.reject(new StorageError('iteration 1: the browser’s storage is full.'));
    const run = openRun(await microCheckpoint(microConfig(short)), { store });
    await run.session.train();
    expect(failures(run)).toEqual([
      {
        ...{ kind: 'failed', name: 'StorageError', message: 'iteration 1: the browser’s storage is full.' },
        ...{ iteration: 1, remedies: [] },
      },
    ]);
    expect(states(run.events)).toEqual(['training', 'failed']);
    store.saveIteration = saveIteration;
    await run.session.train();
    expect(states(run.events).at(-1)).toBe('done');
    expect(run.session.run.iteration).toBe(3);
  });
});

it('dispose in the middle of training ends the loop first and frees every tensor', async () => {
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

it('agentWeights are those of the network that speaks for the agent; another agent is refused', async () => {
  const run = await startRun({ agents: { parameters: 'separate' } });
  const checkpoint = await run.session.checkpoint();
  expect(await run.session.agentWeights(1)).toEqual([checkpoint.networks[1]?.weights]);
  expect(await run.session.agentWeights(0)).not.toEqual([checkpoint.networks[1]?.weights]);
  await expect(run.session.agentWeights(2)).rejects.toThrow('agent: expected 0 to 1, got 2.');
});
