// Tests training in two worlds that are not in the registry. The first world has its own vocabulary, hidden text and
// reward part. The second world is a program text of a visitor that runs in the sandbox.
import { expect, it } from 'vitest';
import { presetConfig } from '../../config/presets.ts';
import { parseConfig } from '../../config/parse.ts';
import { worldNames } from '../../config/worlds/registry.ts';
import { endOfTurn, promptText } from '../../text/chatTemplate.ts';
import { customWorld } from '../../tasks/custom/customWorld.ts';
import { templates } from '../../tasks/custom/templates.ts';
import type { TurnAssessment, World } from '../../tasks/world.ts';
import { buildRows } from '../rows/rows.ts';
import { assembleTeam } from '../team/team.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, microConfig, openRun } from '../testing/microRun.ts';

onCpu();

const special = ['<pad>', '<bos>', '<eot>', '<finish>', '<meta>', '<reason>', '<pioneer>', '<observer>', '<debater>'];
const words = [...special, '<summariser>', '<wrong>', '<right>', 'left', 'right', 'which', 'way'];
const tokenizer = {
  added_tokens: words.flatMap((content, id) =>
    content.startsWith('<')
      ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }]
      : [],
  ),
  normalizer: null,
  pre_tokenizer: { type: 'Whitespace' },
  post_processor: null,
  decoder: { type: 'Fuse' },
  model: { type: 'WordLevel', vocab: Object.fromEntries(words.map((word, id) => [word, id])), unk_token: '<pad>' },
};

const hint = { ...{ source: 'a test', weight: 0.5, min: 0, max: 1 }, paidOn: 'a plan' };

/** The planner sees a path that the reasoner must take. */
const signpost: World = {
  ...{ name: 'signpost', label: 'Signpost', sentence: 'One knows the way.', levels: [{ level: 1, label: 'a fork' }] },
  hidden: [{ name: 'way', label: 'the way', sentence: 'Where it goes on.' }],
  parts: [{ ...hint, name: 'hint', label: 'Hint', sentence: 'The plan is a way.' }],
  ...{ vocabularies: { words: 'whole words' }, tokenizers: { words: tokenizer }, splits: ['training', 'heldOut'] },
  draw: (level, draws) => problemOf(level, draws.pick(['left', 'right'])),
  heldOut: (level, count) => Array.from({ length: count }, (_, i) => problemOf(level, i % 2 ? 'left' : 'right')),
  ceiling: (_, sees) => (sees.includes('way') ? 1 : 0.5),
  view: ({ shown, hidden }, sees) => promptText(sees.map((name) => `${hidden[name]} `).join(''), shown),
  limits: (_, { roles }) => ({ roundLimit: 2, windows: roles.map(() => 2), promptWindow: 5 }),
  demonstrate: ({ answer }) => [
    ...[0, 1].map((agent) => ({ agent, round: 0, message: `${answer}${endOfTurn}` })),
    { agent: 0, round: 1, message: '<finish>' },
  ],
  judge: ({ answer }, { text }) => {
    const isRight = text === answer;
    return Promise.resolve({ answer: text, isRight, score: isRight ? 1 : 0 });
  },
  assess: ({ answer: right }, messages) => {
    const answer = messages.findLast(({ role }) => role === 'reasoning')?.text ?? null;
    const isRight = answer === right;
    const perTurn = messages.map(({ text, role }, i): TurnAssessment => ({
      parts: {
        hint: role === 'metaThinking' && ['left', 'right'].includes(text) ? 1 : 0,
        rightAnswer: isRight && i === messages.length - 1 ? 1 : 0,
      },
      reason: [],
    }));
    return Promise.resolve({ perTurn, answer, isRight, potentials: [...messages, null].map(() => 0) });
  },
};

const problemOf = (level: number, way: 'left' | 'right') => ({
  ...{ id: way, world: 'signpost', level, shown: 'which way', hidden: { way }, answer: way, slice: way, given: null },
});

it('trains in a world of which no registry knows, from a warm start of its own', async () => {
  expect(worldNames).not.toContain('signpost');
  const config = microConfig({
    warmStart: { source: 'train', steps: 150, batchSize: 16 },
    reward: { over: 'dense', finished: 0 },
  });
  const run = openRun(await microCheckpoint(config, signpost), { worldOf: () => signpost });
  await run.session.train(3);
  const evaluation = run.events.findLast(({ kind }) => kind === 'evaluation');
  expect(evaluation).toMatchObject({ evaluation: { ceiling: 0.5, bySlice: { left: expect.any(Number) as number } } });
  const turns = run.collected().flatMap((trajectories) => trajectories.flatMap((trajectory) => trajectory.turns));
  const plans = turns.filter(({ parts }) => parts['hint'] === 1);
  expect(plans.length).toBeGreaterThan(turns.length / 10);
  expect(new Set(plans.map(({ text }) => text))).toEqual(new Set(['left', 'right']));
  for (const { reward } of plans) expect(reward).toBeGreaterThanOrEqual(0.5); // the weight of the world's part
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
});

it('trains in a world that was written as text, and stops with its words where that fails', async () => {
  const { source } = templates.planAndExecute;
  const world = await customWorld(source);
  const config = microConfig({ warmStart: { source: 'train', steps: 100, batchSize: 16 } });
  const run = openRun(await microCheckpoint(config, world), { worldOf: () => world });
  await run.session.train(2);
  const [evaluation] = run.events.filter(({ kind }) => kind === 'evaluation');
  expect(evaluation).toMatchObject({ evaluation: { bySlice: { left: expect.any(Number) as number } } });
  const turns = run.collected().flatMap((trajectories) => trajectories.flatMap((trajectory) => trajectory.turns));
  expect(turns.some(({ reaction }) => reaction?.observation?.text === ' there')).toBe(true);
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);

  const faulty = await customWorld(source.replace('score: isRight ? 1 : 0', 'score: 0 / 0 || message.nothing.at'));
  const stopped = openRun(await microCheckpoint(config, world), {
    worldOf: () => ({ ...world, assess: faulty.assess }),
  });
  await stopped.session.train(1);
  const [failure] = stopped.events.filter(({ kind }) => kind === 'failed');
  expect(failure).toMatchObject({
    name: 'SandboxError',
    message: expect.stringMatching(/^crossroads: judge: TypeError: .* \(line \d+\)/) as string,
  });
});

it('trains a reader who sees a text piece by piece, a row for each of its turns', async () => {
  const preset = presetConfig('memory');
  const config = parseConfig({
    ...{
      ...preset,
      agents: { ...preset.agents, size: 'micro' },
      warmStart: { source: 'train', steps: 2, batchSize: 4 },
    },
    learning: { ...preset.learning, problemsPerIteration: 2, groupSize: 2, numMinibatches: 1 },
    ...{ evaluation: { problems: 8 }, run: { iterations: 3 } },
  });
  const run = openRun(await microCheckpoint(config));
  await run.session.train(1);
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  const [trajectory] = run.collected()[0] ?? [];
  const { pieces } = trajectory?.problem.given as { pieces: string[] };
  expect(trajectory?.opening?.observation?.text).toBe(`<text>${pieces[0]}`);
  const said = trajectory?.turns.filter(({ agent }) => agent === 0) ?? [];
  said
    .slice(0, -1)
    .forEach(({ reaction }, i) => expect(reaction?.observation?.text).toContain(pieces[i + 1] ?? '<end>'));
});

it('trains one agent that calls tools, whose row holds what they give back and learns nothing from it', async () => {
  const preset = presetConfig('toolLoop');
  const config = parseConfig({
    ...preset,
    agents: { ...preset.agents, size: 'micro' },
    warmStart: { source: 'train', steps: 60, batchSize: 16 },
    learning: { ...preset.learning, problemsPerIteration: 2, groupSize: 4, numMinibatches: 1 },
    ...{ evaluation: { problems: 8 }, run: { iterations: 3 } },
  });
  const run = openRun(await microCheckpoint(config));
  await run.session.train(1);
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  const trajectories = run.collected()[0] ?? [];
  const called = trajectories.filter(({ turns }) => turns.length > 1);
  expect(called.length).toBeGreaterThan(0);
  const { tokens, tokenizers } = assembleTeam(config);
  for (const trajectory of called) {
    const { targets, actionMask } = buildRows([trajectory], [0], tokens);
    const notLearned = Array.from(targets).filter((_, i) => !actionMask[i]);
    expect(tokenizers[0]?.decode(notLearned)).toContain(trajectory.turns[0]?.reaction?.observation?.text);
  }
});
