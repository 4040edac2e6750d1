import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from '../../base/sha256.ts';
import { learnerNames } from '../../config/learners/registry.ts';
import { withSetting } from '../../config/parse.ts';
import { presetConfig } from '../../config/presets.ts';
import { variations } from '../../config/recipe.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Setup } from './setup.svelte.ts';
import { FakeTrainer } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';

let worker: FakeTrainer;
let trainer: TrainerClient;
let notices: Notices;
let setup: Setup;

const opens = () => worker.called.filter((verb) => verb === 'open').length;
const texts = () => notices.list.map(({ text }) => text);
const untilState = (state: string) => vi.waitFor(() => expect(trainer.view.state).toBe(state));

/** A run that has started with the settings in the form. */
async function underWay(): Promise<void> {
  await setup.open();
  await untilState('idle');
  await trainer.train();
  await untilState('training');
}

beforeEach(() => {
  vi.stubGlobal('requestAnimationFrame', (draw: () => void) => setTimeout(draw, 0));
  worker = new FakeTrainer();
  notices = new Notices();
  trainer = new TrainerClient(notices, worker.connect);
  setup = new Setup(trainer, notices);
  setup.usePreset('micro');
});
afterEach(() => vi.unstubAllGlobals());

describe('an edit on the form', () => {
  it('opens a run once the visitor rests, and of several edits only one run', async () => {
    await untilState('idle');
    expect(setup.isStale).toBe(false);
    await setup.edit('run.seed', 8);
    await setup.edit('run.seed', 9);
    expect([setup.isStale, setup.changedCount, opens()]).toEqual([true, 1, 1]);
    await vi.waitFor(() => expect(opens()).toBe(2));
    expect(worker.opened).toMatchObject({ preset: 'micro', asksFirst: true, config: { run: { seed: 9 } } });
    await untilState('idle');
    expect(setup.isStale).toBe(false);
  });

  it('that is impossible opens nothing until it is mended, and one click takes both back', async () => {
    await untilState('idle');
    const { config } = setup;
    await setup.edit('learning.groupSize', 400);
    expect([setup.values.learning.groupSize, setup.config]).toEqual([400, config]);
    expect(await setup.isReady()).toBe(false);
    await setup.mend();
    expect([setup.error, setup.config.learning.groupSize]).toEqual([null, 64]);
    expect(setup.mended).toMatchObject({ at: 'learning.groupSize', changes: ['Rollouts of each problem: 64'] });
    setup.undoMend();
    expect([setup.config, setup.mended]).toEqual([config, null]);
    expect(opens()).toBe(1);
  });
});

describe('a learner', () => {
  it('comes in its published form, says what was set, and one click takes it back', async () => {
    await untilState('idle');
    const { config } = setup;
    await setup.edit('learning.learner', 'happo');
    expect(setup.error).toBeNull();
    expect(setup.config.agents.parameters).toBe('separate');
    expect(setup.config.learning).toMatchObject({ learner: 'happo', ratioLevel: 'token', normAdv: true, groupSize: 1 });
    expect(setup.config.learning.problemsPerIteration).toBe(16);
    expect(setup.mended?.changes).toContain('Ratio: Token');
    expect(setup.difference).toContain('HAPPO');
    setup.undoMend();
    expect(setup.config).toEqual(config);
  });

  it('is chosen and taken back whatever the preset, and its published form is one click away', async () => {
    for (const preset of ['quick', 'longSum', 'recall', 'tree', 'cory', 'vote'] as const) {
      const config = presetConfig(preset);
      for (const learner of learnerNames) {
        const told = `${learner} from ${preset}`;
        setup.accept(config, preset);
        await setup.edit('learning.learner', learner);
        expect([setup.error, setup.config.learning.learner], told).toEqual([null, learner]);
        const chosen = setup.config;
        if (learner === config.learning.learner) expect(chosen, told).toEqual(config);
        else if (setup.mended) {
          setup.undoMend();
          expect(setup.config, told).toEqual(config);
        } else expect({ ...chosen, learning: { ...chosen.learning, learner: 'grpo' } }, told).toEqual(config);
        setup.accept(chosen, preset);
        setup.usePublished();
        expect([setup.error, variations(setup.config)], told).toEqual([null, []]);
        if (setup.mended) setup.undoMend();
        expect(setup.config, told).toEqual(chosen);
      }
    }
    setup.settle();
  });

  it('of the preset keeps the preset’s form until the published one is asked for', async () => {
    await untilState('idle');
    const { config } = setup;
    await setup.edit('learning.learner', 'ppo');
    await setup.edit('learning.learner', 'grpo');
    expect(setup.config).toEqual(config);
    setup.usePublished();
    expect(setup.config.learning).toMatchObject({ ratioLevel: 'token', aggregation: 'trajectory' });
    expect(setup.config.kl.place).toBe('loss');
  });
});

describe('in a run under way', () => {
  const rate = 'optimiser.learningRate';

  it('a live setting goes to the worker, and one that needs a new run is left as it was', async () => {
    await underWay();
    const sent = setup.edit(rate, 2e-3);
    // The form shows the new value before the worker answers.
    expect(setup.values.optimiser.learningRate).toBe(2e-3);
    await sent;
    await vi.waitFor(() => expect([setup.config.optimiser.learningRate, setup.error]).toEqual([2e-3, null]));
    const { config } = setup;
    await setup.edit('agents.size', 'small');
    expect(setup.config).toBe(config);
    expect(worker.called.filter((verb) => verb === 'changeSetting')).toHaveLength(1);
    await setup.edit(rate, 5);
    expect(setup.error).toMatchObject({ at: rate, remedy: { settings: { [rate]: 0.01 } } });
    await setup.mend();
    await vi.waitFor(() => expect([setup.error, setup.config.optimiser.learningRate]).toEqual([null, 0.01]));
  });

  it('the answer to an earlier change does not undo a later one', async () => {
    await underWay();
    let answer = () => {};
    worker.untilChanged = new Promise((resolve) => (answer = resolve));
    const sent = [setup.edit(rate, 2e-3), setup.edit(rate, 3e-3)];
    worker.tell({ kind: 'config', config: withSetting(setup.config, rate, 2e-3), changes: [], dropped: 0 });
    await vi.waitFor(() => expect(setup.config.optimiser.learningRate).toBe(2e-3));
    expect(setup.values.optimiser.learningRate).toBe(3e-3);
    answer();
    await Promise.all(sent);
    await vi.waitFor(() => expect(setup.config.optimiser.learningRate).toBe(3e-3));
    expect(setup.values).toEqual(setup.config);
  });

  it('a change that the worker refuses is told, and the form shows what holds', async () => {
    await underWay();
    const { config } = setup;
    worker.refusal = 'run: it goes on in another tab.';
    await setup.edit(rate, 2e-3);
    expect([setup.config, setup.values]).toEqual([config, config]);
    expect(texts()).toEqual(['run: it goes on in another tab.']);
  });

  it('settings that a history changes are shown', async () => {
    await underWay();
    const config = presetConfig('ppo');
    worker.tell({ kind: 'config', config, changes: [], dropped: 2 });
    await vi.waitFor(() => expect(setup.config).toBe(config));
    expect(texts()[0]).toContain('2 later changes in the file');
  });

  it('another one takes its place, and it is said that this one is kept', async () => {
    await underWay();
    let begun = 0;
    setup.onBegin = () => begun++;
    setup.usePreset('ppo');
    expect([setup.preset, begun]).toEqual(['ppo', 1]);
    await vi.waitFor(() => expect(opens()).toBe(3));
    expect(worker.called).toContain('pause');
    expect(texts()).toEqual(['calm-otter is kept in the library.']);
  });
});

describe('a run that is made again', () => {
  const config = presetConfig('micro');
  const wanted = { iteration: 0, name: 'pairs.jsonl', digest: sha256('the pairs') };
  const history = { preset: 'micro', config, changes: [], imports: [wanted] };

  it('waits for its files, and is opened with its history', async () => {
    await untilState('idle');
    setup.makeAgain(history);
    expect(await setup.isReady()).toBe(false);
    await setup.replay.give('the pairs', 'renamed.jsonl');
    await vi.waitFor(() => expect(opens()).toBe(2));
    expect(worker.opened).toMatchObject({ imports: [wanted], changes: [] });
  });

  it('is another run once its settings were edited', async () => {
    await untilState('idle');
    setup.makeAgain({ ...history, imports: [] });
    await vi.waitFor(() => expect(opens()).toBe(2));
    await untilState('idle');
    await setup.edit('run.seed', 9);
    expect(await setup.isReady()).toBe(true);
    expect(worker.opened).not.toHaveProperty('imports');
  });
});
