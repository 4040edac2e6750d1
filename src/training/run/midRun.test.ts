// Tests requests to a session that arrive between its first and its last iteration.
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import type { ConfigInput } from '../../config/schema.ts';
import { onCpu } from '../testing/onCpu.ts';
import { evaluated, states, until } from '../testing/heard.ts';
import { startRun } from '../testing/microRun.ts';

onCpu();

const short = { run: { iterations: 3 } } satisfies ConfigInput;

describe('a changed setting', () => {
  it('acts from the next iteration on, is told, and noted once however often it is set before that', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    for (const rate of [1e-4, 3e-5, 1e-5]) await run.session.change('optimiser.learningRate', rate);
    await run.session.train(1);
    const rates = run.store.iterations.map(({ metrics }) => metrics.values['charts/learning_rate']);
    expect(rates).toEqual([3e-3, 1e-5]);
    const changes = [{ iteration: 1, path: 'optimiser.learningRate', value: 1e-5 }];
    expect(run.store.run?.changes).toEqual(changes);
    expect(run.events).toContainEqual({ kind: 'config', config: run.session.config, changes, dropped: 0 });
    expect(run.store.checkpoint?.config.optimiser.learningRate).toBe(1e-5);
  });

  it('in the middle of an iteration leaves that iteration as it was', async () => {
    const [plain, changed] = [await startRun(short), await startRun(short)];
    await plain.session.train(1);
    const loop = changed.session.train(1);
    await until(changed, 'turn');
    await changed.session.change('optimiser.learningRate', 1e-2);
    await changed.session.change('reward.rightAnswer', 2);
    await loop;
    expect(changed.session.run.changes.map(({ iteration }) => iteration)).toEqual([1, 1]); // they act after iteration 1
    expect((await changed.session.checkpoint()).networks).toEqual((await plain.session.checkpoint()).networks);
  });

  it('while the last checkpoint is being stored is in the one after it', async () => {
    const run = await startRun(short);
    const { saveCheckpoint } = run.store;
    let changed: Promise<unknown> | null = null;
    run.store.saveCheckpoint = async (checkpoint, replaced) => {
      if (checkpoint.iteration === 1) changed ??= run.session.change('optimiser.learningRate', 1e-5);
      await changed;
      return saveCheckpoint(checkpoint, replaced);
    };
    await run.session.train(1);
    expect(changed).not.toBeNull();
    expect(run.store.checkpoint).toMatchObject({ iteration: 1, config: { optimiser: { learningRate: 1e-5 } } });
    expect(states(run.events)).toEqual(['training', 'paused']);
  });

  it('of the KL weight acts', async () => {
    const run = await startRun({ ...short, kl: { place: 'loss', coef: 0.001 } });
    await run.session.train(1);
    await run.session.change('kl.coef', 0.5);
    await run.session.train(1);
    expect(run.store.iterations.map(({ metrics }) => metrics.values['losses/kl_coef'])).toEqual([0.001, 0.5]);
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
    expect(run.session.run).toMatchObject({ iteration: 5, isDone: true }); // the iteration in progress was finished
  });

  it('that is not live, not in bounds or not there is refused by name and changes nothing', async () => {
    const run = await startRun(short);
    const before = run.session.config;
    for (const [path, value, message] of [
      ['agents.size', 'small', /agents\.size: this setting cannot be changed in an open run; start a new run/],
      ['learning.learner', 'ppo', /learning\.learner: this setting cannot be changed/],
      ['learning.clipHigh', 7, /learning\.clipHigh: expected a number from 0 to 1, got 7/],
      ['learning.clip', 0.1, /no such setting/],
    ] as const) {
      const refused = run.session.change(path, value);
      await expect(refused).rejects.toThrow(message);
      await expect(refused).rejects.toThrow(ConfigError);
    }
    expect(run.session.config).toBe(before);
    expect(run.events).toEqual([]);
  });
});

describe('evaluate', () => {
  it('gives the same numbers for the same weights, asked for by hand or by the schedule', async () => {
    const run = await startRun({ ...short, evaluation: { every: 1 } });
    await run.session.train(1);
    const scheduled = evaluated(run.events).at(-1);
    expect(await run.session.evaluate()).toEqual(scheduled);
    expect(await run.session.evaluate()).toEqual(scheduled);
  });

  it('works while the run is paused in the middle of an iteration', async () => {
    const run = await startRun(short);
    const loop = run.session.train();
    await until(run, 'turn', 3);
    await run.session.pause();
    const asked = await run.session.evaluate();
    expect(states(run.events).at(-1)).toBe('paused');
    void run.session.train();
    await loop;
    expect(asked).toEqual(evaluated(run.events)[0]); // the initial evaluation, whichever request came first
  });

  it('lets training stand still and changes no number of it, however often it is asked', async () => {
    const [quiet, asked] = [await startRun(short), await startRun(short)];
    await quiet.session.train();
    const loop = asked.session.train();
    await until(asked, 'turn', 2);
    const before = asked.events.length;
    await Promise.all([asked.session.evaluate(), asked.session.evaluate()]);
    // After the request, only the current turn was completed, and no further turn began.
    expect(asked.events.slice(before).filter(({ kind }) => kind !== 'evaluation').length).toBeLessThanOrEqual(1);
    await until(asked, 'turn', 9);
    await asked.session.evaluate();
    await loop;
    expect(asked.collected()).toEqual(quiet.collected());
    expect((await asked.session.checkpoint()).networks).toEqual((await quiet.session.checkpoint()).networks);
  });

  it('measures one set of weights, wherever in an iteration it is asked for', async () => {
    const run = await startRun({
      learning: { updateEpochs: 10, numMinibatches: 4 },
      optimiser: { learningRate: 1e-2 },
      evaluation: { problems: 64, every: 1000 },
      reward: { finished: 2 },
      run: { iterations: 1000 },
    });
    const loop = run.session.train();
    await until(run, 'turn');
    for (let at = 0; at < 6; at++) {
      const first = run.session.evaluate();
      await run.session.pause();
      const again = await run.session.evaluate(); // the weights have not changed since the first measurement began
      expect(await first).toEqual(again);
      void run.session.train();
      await new Promise((resolve) => setTimeout(resolve, 14 * at));
    }
    await run.session.stop();
    await loop;
  });

  it('holds back a run that is started meanwhile', async () => {
    const run = await startRun(short);
    await run.session.train(1);
    const before = run.events.length;
    const measured = run.session.evaluate();
    const loop = run.session.train(1);
    await measured;
    const news = run.events.slice(before).map(({ kind }) => kind);
    expect(news.filter((kind) => kind === 'turn').length).toBeLessThanOrEqual(1);
    expect(news).not.toContain('iteration');
    await loop;
    expect(run.session.run.iteration).toBe(2);
  });
});
