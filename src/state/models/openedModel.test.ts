// Tests of the page's state for an imported model: it is read, refused, chatted with, and used by a run.
import { beforeEach, expect, it, vi } from 'vitest';
import type { ModelApi, SayWish } from '../../api/modelConnection.ts';
import { ConfigError, FormatError, TrainerLostError } from '../../base/errors.ts';
import { parseConfig } from '../../config/parse.ts';
import type { RunRecord } from '../../records/stored/checkpoint.ts';
import type { RunId } from '../../records/ids.ts';
import type { TellKept } from '../../records/stored/keptModel.ts';
import type { ModelCard } from '../../records/stored/modelCard.ts';
import { emptySummary } from '../../storage/summary.ts';
import { emptyDatabase } from '../../storage/testing/emptyDatabase.ts';
import { Notices } from '../visitor/notices.svelte.ts';
import { Setup } from '../settings/setup.svelte.ts';
import { FakeTrainer } from '../testing/fakeTrainer.ts';
import { TrainerClient } from '../trainer/trainerClient.svelte.ts';
import { Models } from './models.svelte.ts';
import { OpenedModel } from './openedModel.svelte.ts';

emptyDatabase();

const card = { name: 'model-0123456789abcdef', label: 'tiny' } as ModelCard;
const files = [new File(['{}'], 'config.json')];

const timed = { isEnded: true, read: 3, firstMs: 10, restMs: 20 };

let asked: SayWish[];
let ended: number;
let answers: Partial<ModelApi>;
let models: OpenedModel;
let held: Models;
let worker: FakeTrainer;
let setup: Setup;

beforeEach(() => {
  [asked, ended] = [[], 0];
  answers = {
    read: () => Promise.resolve(card),
    say: (wish) => {
      asked.push(wish);
      return Promise.resolve({ ...timed, tokens: [' a', 'b'].map((text) => ({ text, logprob: -1 })) });
    },
    prompt: (messages) => Promise.resolve({ text: messages.map(({ content }) => content).join('|'), tokens: 3 }),
  };
  worker = new FakeTrainer();
  const notices = new Notices();
  const trainer = new TrainerClient(notices, worker.connect);
  setup = new Setup(trainer, notices);
  held = new Models({ setup, trainer });
  models = new OpenedModel({ setup, trainer, models: held }, () => ({
    ask: (question) => question(answers as ModelApi),
    end: () => void ended++,
  }));
});

it('a model is read, and an unreadable one is reported until the next one is opened', async () => {
  answers.read = () => Promise.reject(new FormatError('config.json: expected a Llama.'));
  await models.open(files);
  expect(models.stage).toEqual({ kind: 'refused', message: expect.stringContaining('expected a Llama') as string });
  answers.read = () => Promise.resolve(card);
  await models.open(files);
  expect([models.stage, ended]).toEqual([{ kind: 'read', card }, 1]);
});

it('if two models are opened at once, the newest counts', async () => {
  let first: (read: ModelCard) => void = () => undefined;
  answers.read = () => new Promise((resolve) => (first = resolve));
  const slow = models.open(files);
  answers.read = () => Promise.resolve({ ...card, label: 'newest' });
  await models.open(files);
  first(card);
  await slow;
  expect(models.stage).toMatchObject({ kind: 'read', card: { label: 'newest' } });
});

it('tells how much is read, and is given up with its worker: nothing of it stays, and what it tells after is not heard', async () => {
  let tell: (bytes: number) => void = () => undefined;
  let read: (card: ModelCard) => void = () => undefined;
  answers.read = (_, hear) => {
    tell = hear;
    return new Promise((resolve) => (read = resolve));
  };
  const given = models.open(files);
  await Promise.resolve();
  expect([models.stage.kind, models.read, models.bytes]).toEqual(['reading', 0, 2]);
  tell(1);
  expect(models.read).toBe(1);
  models.cancel();
  expect([models.stage.kind, ended, held.held]).toEqual(['none', 1, []]);
  tell(2);
  read(card);
  await given;
  expect([models.stage.kind, models.read]).toEqual(['none', 1]);
  // After the cancellation, another model can be read as usual.
  answers.read = () => Promise.resolve(card);
  await models.open(files);
  models.cancel();
  expect(models.stage).toEqual({ kind: 'read', card });
});

it('tells how much is kept, until the copy is given up: no run begins with it then, and the model stays open', async () => {
  let tell: TellKept = () => true;
  let over: (kept: null) => void = () => undefined;
  answers.keep = (hear) => {
    tell = hear;
    return new Promise((resolve) => (over = resolve));
  };
  await models.open(files);
  const kept = models.keep();
  await vi.waitFor(() => expect(tell(1)).toBe(true));
  expect(models.keeping).toBe(1);
  models.cancelKeeping();
  expect([await tell(2), models.keeping, ended]).toEqual([false, null, 0]);
  over(null);
  expect([await kept, models.stage.kind, models.refusal]).toEqual([false, 'read', '']);
  // The next copy is represented by another object.
  const next = models.keep();
  await vi.waitFor(() => expect(tell(2)).toBe(true));
  over(null);
  expect([await next, models.keeping]).toEqual([true, null]);
});

it('a model can be closed while it is being stored, and no failure is reported', async () => {
  answers.keep = () => Promise.reject(new TrainerLostError('the worker that runs the model has stopped.'));
  await models.open(files);
  const kept = models.keep();
  models.close();
  expect([await kept, models.stage.kind, models.refusal, ended]).toEqual([false, 'none', '', 1]);
});

it('a stored run lacks its model where this browser does not keep it, and says which', () => {
  const summary = { ...emptySummary('run-1' as RunId), base: { name: card.name, label: 'tiny' } };
  expect(held.lackOf(summary)).toMatch(/needs the model tiny \(model-0123456789abcdef\)/);
  held.hold(card);
  expect([held.lackOf(summary), held.lackOf(emptySummary('run-2' as RunId))]).toEqual(['', '']);
  held.letGo(card.name);
  expect(held.lackOf(summary)).not.toBe('');
});

it('answers with all that was said before it, each time with draws of its own, and forgets when asked to', async () => {
  await models.say('one');
  await models.say('two');
  expect(asked.map(({ messages, seed }) => [messages.map(({ content }) => content), seed])).toEqual([
    [['one'], 1],
    [['one', ' ab', 'two'], 3],
  ]);
  answers.say = () => Promise.reject(new ConfigError('messages: too long.'));
  await models.say('three');
  expect([models.refusal, models.messages.length, models.isSpeaking]).toEqual([
    expect.stringContaining('too long'),
    4,
    false,
  ]);
  models.forget();
  expect([models.messages, models.refusal]).toEqual([[], '']);
});

it('an answer is shown while it is generated, until it is stopped or another chat begins', async () => {
  const goesOn: boolean[] = [];
  answers.say = async (_, hear) => {
    const token = { text: ' a', logprob: -1 };
    goesOn.push(await hear([token]));
    expect([models.heard, models.isSpeaking]).toEqual([[token], true]);
    models.stop();
    goesOn.push(await hear([token]));
    return { ...timed, tokens: [token, token], isEnded: false };
  };
  expect(await models.say('one')).toBe(true);
  expect([goesOn, models.heard, models.messages[1]?.content]).toEqual([[true, false], [], ' a a']);
  answers.say = async (_, hear) => {
    models.forget();
    goesOn.push(await hear([{ text: ' a', logprob: -1 }]));
    return { ...timed, tokens: [] };
  };
  await models.say('two');
  expect([goesOn.at(-1), models.messages]).toEqual([false, []]);
});

it('the model samples with the visitor’s settings, within bounds, and with one thread during training', async () => {
  Object.assign(models.drawing, { temperature: 9, topK: 5, topP: 0.9, minP: null, tokens: 0 });
  await models.say('one');
  expect(asked[0]).toMatchObject({ temperature: 2, limits: { topK: 5, topP: 0.9 }, tokens: 1, isAlone: true });
  expect(asked[0]?.limits).not.toHaveProperty('minP');
});

it('shows the prompt as the model reads it, with what is about to be said', async () => {
  await models.say('one');
  models.instruction = 'be brief';
  await models.look('two');
  expect(models.prompt).toEqual({ text: 'be brief|one| ab|two', tokens: 3 });
  await models.say('two');
  expect(models.prompt).toBeNull();
});

it('reads an instruction as `system` before all that was said, which keeps its draws, until it is put away', async () => {
  await models.say('one');
  models.instruction = ' <rightToLeft> ';
  await models.say('two');
  models.forget();
  await models.say('one');
  expect(asked.map(({ messages, seed }) => [messages.map(({ role, content }) => `${role}: ${content}`), seed])).toEqual(
    [
      [['user: one'], 1],
      [['system: <rightToLeft>', 'user: one', 'assistant:  ab', 'user: two'], 3],
      [['system: <rightToLeft>', 'user: one'], 1],
    ],
  );
  models.close();
  expect(models.instruction).toBe('');
});

it('is closed when the worker that holds it ends in the midst of an answer, and says why', async () => {
  await models.open(files);
  answers.say = () => Promise.reject(new TrainerLostError('the worker that runs the model has stopped.'));
  await models.say('one');
  expect(models.stage).toEqual({ kind: 'refused', message: expect.stringContaining('has stopped') as string });
  await models.open(files);
  expect([models.stage.kind, models.refusal]).toEqual(['read', '']);
});

it('is held by the trainer and named by the settings once a run is to begin with it', async () => {
  await models.beginWith(card);
  expect(worker.models).toEqual([card.name]);
  expect(held.held).toEqual([{ name: card.name, label: card.label }]);
  expect(setup.config.agents.start).toBe(card.name);
});

it('an external model is set up for the next run with all settings that it needs', async () => {
  await models.trainOn(card);
  expect(worker.models).toEqual([card.name]);
  expect(setup.config.agents).toMatchObject({
    parameters: 'lora',
    start: card.name,
    stopWhenTruncated: false,
    maskUnfinished: false,
  });
  expect([setup.config.optimiser.learningRate, models.refusal]).toEqual([1e-3, '']);
  await vi.waitFor(() => expect(worker.opened?.config).toEqual(setup.config));
  worker.modelRefusal = 'tiny names no token that ends a text.';
  await models.trainOn({ ...card, name: 'model-fedcba9876543210' });
  expect([models.refusal, setup.config.agents.start]).toEqual([expect.stringContaining('no token'), card.name]);
});

it('settings that were made for adapters keep their learning rate', async () => {
  setup.usePreset('passItOn');
  await models.trainOn(card);
  expect([setup.config.agents.start, setup.config.optimiser.learningRate]).toEqual([card.name, 3e-4]);
});

it('a preset that is already set up keeps what was changed in it, and another one replaces it', async () => {
  setup.usePreset('passItOn', { 'run.iterations': 12 });
  await models.trainOn(card, 'passItOn');
  expect([setup.config.agents.start, setup.config.run.iterations]).toEqual([card.name, 12]);
  await models.trainOn(card, 'countLegs');
  expect([setup.preset, setup.config.agents.start, setup.config.run.iterations]).toEqual(['countLegs', card.name, 20]);
});

it('agents of stored runs are what the next begins with, by the settings of theirs, the second where it has weights of its own', async () => {
  const seats = [3, 5].map((iteration) => ({ run: 'run-1' as RunId, iteration }));
  const stored = (parameters: string) =>
    ({ config: parseConfig({ agents: { parameters } }), preset: 'micro' }) as RunRecord;
  const [first, second] = ['model-0000000000000000', 'model-1111111111111111'];
  await held.beginWithAgents(stored('shared'), seats);
  expect(setup.preset).toBe('micro');
  expect(setup.config.agents).toMatchObject({ start: first, otherStart: 'same' });
  await held.beginWithAgents(stored('separate'), seats);
  expect(setup.config.agents).toMatchObject({ parameters: 'separate', start: first, otherStart: second });
  expect(held.held.map(({ name, label }) => [name, label])).toEqual([
    [first, 'run-1 after 3'],
    [second, 'run-1 after 5'],
  ]);
  const three = [...seats, { run: 'run-1' as RunId, iteration: 7 }];
  await held.beginWithAgents(stored('separate'), three);
  expect(setup.config.agents.otherStart).toBe(`${second},model-2222222222222222`);
  expect(parseConfig(setup.config)).toEqual(setup.config);
  await vi.waitFor(() => expect(worker.opened?.config).toEqual(setup.config));
});
