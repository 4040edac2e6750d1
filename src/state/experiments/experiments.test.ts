// Tests of the current experiment, with a worker that the test controls, and of the form in which an arm is defined.
import { describe, expect, it } from 'vitest';
import type { ExperimentProgress, ExperimentRequest, StartExperiment } from '../../api/experimentConnection.ts';
import { ConfigError } from '../../base/errors.ts';
import { changeable } from '../../config/fork.ts';
import { presetConfig, presets } from '../../config/presets.ts';
import { withSettings } from '../../config/parse.ts';
import { runId } from '../../records/ids.ts';
import { run } from '../../storage/testing/sampleRecords.ts';
import { ArmForm, readyQuestions } from './armForm.svelte.ts';
import { Experiments } from './experiments.svelte.ts';
import { experimentsAmong } from './storedExperiments.ts';

const request: ExperimentRequest = {
  ...{ kind: 'sameLuck', run: runId('run-1'), iteration: 4 },
  ...{ settings: [], iterations: 2 },
};

/** Fake experiments, which end only when the test ends them. */
function started() {
  const calls: { tell: (progress: ExperimentProgress) => void; end: (with_: string | Error) => void }[] = [];
  const cancelled: number[] = [];
  const start: StartExperiment = (_, tell) => {
    const number = calls.length;
    const done = new Promise<string>((resolve, reject) => {
      calls.push({ tell, end: (given) => (given instanceof Error ? reject(given) : resolve(given)) });
    });
    return { done, cancel: () => cancelled.push(number) };
  };
  let stored = 0;
  const experiments = new Experiments(() => stored++, start);
  return { experiments, calls, cancelled, stored: () => stored };
}

describe('the experiment under way', () => {
  it('reports its progress, and that there is more to read whenever something was stored', async () => {
    const { experiments, calls, stored } = started();
    const running = experiments.run(request);
    expect(experiments.progress).toEqual({ words: 'Starting', share: 0, stored: 0 });
    calls[0]?.tell({ words: 'calm-otter: iteration 5 of 6', share: 0.25, stored: 0 });
    expect(stored()).toBe(0);
    calls[0]?.tell({ words: 'calm-otter: iteration 6 of 6', share: 0.5, stored: 1 });
    expect(stored()).toBe(1);
    expect(experiments.progress?.share).toBe(0.5);
    calls[0]?.end('sameLuck-1');
    await running;
    expect([experiments.progress, experiments.request, experiments.refusal]).toEqual([null, null, '']);
    expect(stored()).toBe(2);
  });

  it('says why it was refused, and ignores news of a cancelled experiment', async () => {
    const { experiments, calls, cancelled } = started();
    const first = experiments.run(request);
    const second = experiments.run(request);
    expect(cancelled).toEqual([0]);
    calls[0]?.tell({ words: 'old', share: 1, stored: 9 });
    calls[0]?.end(new Error('late'));
    await first;
    expect(experiments.progress?.words).toBe('Starting');
    calls[1]?.end(new ConfigError('run.seed: both arms share their random numbers.'));
    await second;
    expect(experiments.refusal).toContain('both arms share their random numbers');
    experiments.cancel();
    expect(cancelled).toEqual([0]);
  });
});

it('stored experiments are the runs that carry their id, newest first, each in the order in which they ran', () => {
  const of = (id: string, experiment?: string) => ({
    run: run({ id: runId(id), ...(experiment && { experiment: { id: experiment, kind: 'seeds' as const } }) }),
  });
  // The library lists the newest runs first.
  const listed = [of('d', 'later'), of('c', 'first'), of('b'), of('a', 'first')];
  expect(experimentsAmong(listed, 'seeds').map(({ id, runs }) => [id, runs.map((one) => one.id)])).toEqual([
    ['later', ['d']],
    ['first', ['a', 'c']],
  ]);
  expect(experimentsAmong(listed, 'sameLuck')).toEqual([]);
});

describe('what an arm changes', () => {
  const form = () => new ArmForm(() => presetConfig('default'));

  it('is a useful question at first, and other questions are offered', () => {
    const one = form();
    expect(one.checked).toEqual({ settings: [{ path: 'agents.shuffled', value: 'first' }], refusal: null });
    expect(one.questions.map(({ name }) => name)).toEqual(['shuffled', 'fast', 'brief']);
    for (const question of one.questions) {
      one.ask(question);
      expect(one.checked.refusal, question.name).toBeNull();
      expect(one.checked.settings, question.name).toHaveLength(1);
    }
    one.text = one.present;
    expect(one.checked).toEqual({ settings: [], refusal: null });
  });

  it.each(Object.keys(presets))('that is offered is possible for the preset %s', (name) => {
    const config = presetConfig(name);
    for (const question of readyQuestions(config)) {
      const one = new ArmForm(() => config);
      one.ask(question);
      expect(one.checked).toMatchObject({ settings: [{ path: question.path }], refusal: null });
    }
  });

  it('is nothing once another setting was chosen, then what it becomes', () => {
    const one = form();
    one.choose('learning.ratioLevel');
    expect(one.checked).toEqual({ settings: [], refusal: null });
    one.text = 'token';
    expect(one.checked).toEqual({ settings: [{ path: 'learning.ratioLevel', value: 'token' }], refusal: null });
    one.choose('learning.clipHigh');
    expect(one.checked.settings).toEqual([]);
    one.text = '0.5';
    expect(one.checked.settings).toEqual([{ path: 'learning.clipHigh', value: 0.5 }]);
    one.text = 'much';
    expect(one.checked.refusal?.message).toMatch(/^Clip: expected a number/);
  });

  it('takes a way out that leaves both arms the same networks', () => {
    const one = form();
    one.choose('learning.learner');
    one.text = 'happo';
    const { remedy = null } = one.checked.refusal ?? {};
    expect(remedy?.settings).toEqual({ 'learning.learner': 'mappo' });
    if (remedy) one.take(remedy);
    expect(one.checked).toEqual({ settings: [{ path: 'learning.learner', value: 'mappo' }], refusal: null });
    one.take({ settings: { 'learning.clipHigh': 0.5 }, words: '', changes: [] });
    expect(one.checked.settings.map(({ path }) => path)).toEqual(['learning.learner', 'learning.clipHigh']);
  });

  it('may be any setting with an effect except seed, start and length', () => {
    const paths = changeable(presetConfig('default')).map(({ path }) => path);
    expect(paths).toContain('houseRule.rewrite');
    expect(paths).toContain('learning.learner');
    expect(paths).toEqual(expect.arrayContaining(['agents.unheard', 'agents.shuffled'])); // hidden and shuffled messages
    expect(paths.filter((path) => /^(run|warmStart)\./.test(path))).toEqual([]);
    const graded = changeable(withSettings(presetConfig('default'), { 'agents.parameters': 'lora' }));
    expect(graded.length).not.toBe(paths.length);
  });
});
