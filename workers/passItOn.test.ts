// Tests the world Pass it on with an external model. The context of each turn must be a chat in this model's format,
// both in the decoder and in the training rows. A message may have an effect on the answer only through this chat.
import { unzipSync } from 'fflate';
import * as v from 'valibot';
import { beforeAll, describe, expect, it } from 'vitest';
import { weightsZip } from '../src/formats/weightsZip.ts';
import { inspectGroup, type Inspectable } from '../src/training/inspect/inspect.ts';
import { agentTakenAway } from '../src/training/history/takenAway.ts';
import { givenSample } from '../src/formats/llama/testing/givenSample.ts';
import { sampleShape, sampleTemplate } from '../src/formats/llama/testing/sample.ts';
import { foreignSchema, introduceModel } from '../src/records/stored/foreignModel.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { freshContext, viewRows } from '../src/rollout/view.ts';
import { readyTemplates } from '../src/text/chat.ts';
import { tokenizerOf } from '../src/text/tokenizer.ts';
import { layRows } from '../src/training/rows/rows.ts';
import { rowLogprobs } from '../src/training/rows/oldFacts.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { openGate, openRun } from '../src/training/testing/microRun.ts';
import { wordsCheckpoint } from '../src/training/testing/wordsRun.ts';
import { assembleTeam, type Team } from '../src/training/team/team.ts';
import { form as passItOn } from '../src/extensions/worlds/passItOn/form.ts';
import { withSettings } from '../src/config/parse.ts';
import { protocolOf } from '../src/records/protocol.ts';
import type { Problem } from '../src/records/problem.ts';

beforeAll(readyTemplates);

onCpu();

const shape = { ...sampleShape(), maxPositions: 512 };

async function ran(settings: Record<string, unknown> = {}, iterations = 1) {
  const run = openRun(await wordsCheckpoint(await givenSample(), settings));
  await run.session.train(iterations);
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  return run;
}

/** The text of the context before an agent's turn. In this text, special tokens have the model's own names. */
function readBefore(trajectory: Trajectory, agent: number, { tokens, foreign }: Team): string {
  const [row] = viewRows(trajectory, agent, tokens);
  const own = tokenizerOf(JSON.parse(foreign?.tokenizerJson ?? '{}') as object);
  return own.decode((row?.ids ?? []).filter((_, t) => row?.isAction[t] === false));
}

describe('a turn in plain English', () => {
  it('is read through the model’s own template, the message as plain text without its end', async () => {
    const run = await ran();
    const { team } = run.session.trainState;
    const [first] = run.collected()[0] as [Trajectory];
    expect(first.turns.map(({ agent, role }) => [agent, role])).toEqual([
      [0, 'metaThinking'],
      [1, 'reasoning'],
    ]);
    const [tell, answer] = [0, 1].map((agent) => readBefore(first, agent, team));
    const { thing, colour, friend } = first.problem.given as Record<string, string>;
    expect(tell).toBe(
      `<s><|user|>You know a secret: the ${thing} is ${colour}. Your friend ${friend} does not know it. Write one short sentence that tells your friend the colour of the ${thing}.</s><|assistant|>`,
    );
    const message = (first.turns[0]?.text ?? '').replaceAll(
      /<bos>|<finish>|<eot>|<unused \d+>|<\|assistant\|>|<\|user\|>/g,
      '',
    );
    expect(answer).toBe(
      `<s><|user|>Your friend says: "${message.trim()}" What colour is the ${thing}? Answer with one word.</s><|assistant|>`,
    );
    expect(team.tokens.headers.metaThinking.length).toBeGreaterThan(0);
    expect(team.longestContext).toBeLessThanOrEqual(team.shape.maxPositions);
  });

  it('is learned from in the tokens that it was sampled after: log-probabilities are the same', async () => {
    const fresh = openRun(await wordsCheckpoint(await givenSample()));
    const { team, networks } = fresh.session.trainState;
    expect(networks).toHaveLength(1);
    const run = await ran();
    let count = 0;
    for (const trajectory of (run.collected()[0] ?? []).slice(0, 8)) {
      for (const agent of [0, 1]) {
        const rows = viewRows(trajectory, agent, team.tokens);
        const batch = layRows(rows.map((view) => ({ index: 0, agent, view })));
        const network = networks[0] as (typeof networks)[number];
        const found = await rowLogprobs(batch, {
          network,
          temperature: team.config.agents.temperature,
          gate: openGate(),
        });
        const own = trajectory.turns
          .filter((turn) => (turn.agent as number) === agent)
          .flatMap(({ logprobs }) => logprobs);
        const there = [...found].filter((_, at) => batch.turnIds[at] !== -1);
        expect(there).toHaveLength(own.length);
        there.forEach((logprob, t) => expect(Math.abs(logprob - (own[t] as number))).toBeLessThan(1e-5));
        count += own.length;
      }
    }
    expect(count).toBeGreaterThan(40);
    const { metrics } = run.store.iterations[0] as (typeof run.store.iterations)[number];
    expect(Math.abs(metrics.values['losses/approx_kl'] ?? NaN)).toBeLessThan(1e-6);
  });

  it('is the same from the same seed, and one adapter moves', async () => {
    const [one, other] = [await ran({}, 2), await ran({}, 2)];
    expect(other.collected()).toEqual(one.collected());
    const [first, second] = [await one.session.checkpoint(), await other.session.checkpoint()];
    expect(first.networks).toHaveLength(1);
    expect(second.networks).toEqual(first.networks);
  });
});

describe('a message', () => {
  const withMessage = ({ turns, ...one }: Trajectory, text: string, masked = false): Trajectory => ({
    ...one,
    turns: turns.slice(0, 1).map((turn) => ({ ...turn, text, ...(masked && { maskedFor: [1] }) })),
  });

  it('is the only difference in the context of the answer, and is withheld if it is masked', async () => {
    const { tokens } = (await ran()).session.trainState.team;
    const [first] = (await ran()).collected()[0] as [Trajectory];
    const ids = (text: string, masked?: boolean) =>
      freshContext(withMessage(first, text, masked), 1, tokens).flatMap((stretch) => [...stretch.ids]);
    expect(ids('It is green.')).not.toEqual(ids('It is red.'));
    expect(ids('It is green.', true)).toEqual(ids('It is red.', true));
    expect(ids('', false)).toEqual(ids('It is red.', true));
    const parts = freshContext(withMessage(first, 'It is green.'), 1, tokens);
    const visible = parts.filter(({ turn }) => turn === null).flatMap((stretch) => [...stretch.ids]);
    expect(tokens.tokenizer.decode(visible)).not.toContain('green');
    expect(tokens.tokenizer.decode(parts.filter(({ turn }) => turn).flatMap((stretch) => [...stretch.ids]))).toContain(
      'green',
    );
  });

  it('that spells the tokens of a template is text, and sampled special tokens are left out', async () => {
    const { tokens } = (await ran()).session.trainState.team;
    const [first] = (await ran()).collected()[0] as [Trajectory];
    const ids = (text: string) =>
      freshContext(withMessage(first, text), 1, tokens).flatMap((stretch) => [...stretch.ids]);
    const user = tokens.tokenizer.id('<finish>');
    const count = (text: string) => ids(text).filter((id) => id === user).length;
    expect(count('</s><|user|>It is red.')).toBe(count('It is red.'));
    expect(ids('<bos>It is<eot> red.')).toEqual(ids('It is red.'));
    expect(() => ids('\u{F0001}\u{100001} red')).not.toThrow();
  });

  it('that nobody hears in training and evaluation does not change the rows of the answer', async () => {
    const run = await ran({ 'agents.unheard': 'first' });
    const { team } = run.session.trainState;
    for (const trajectory of run.collected()[0] ?? []) {
      expect(trajectory.turns[0]?.maskedFor).toEqual([1]);
      expect(readBefore(trajectory, 1, team)).toContain('Your friend says: "" What colour');
    }
  });
});

it('the page shows the chats as they were read, and exports contain them in the form of the model', async () => {
  const run = await ran();
  const { team } = run.session.trainState;
  const [first] = run.collected()[0] as [Trajectory];
  const shown = await inspectGroup(run.session.inspectable as Inspectable, first.group);
  const { promptTexts, trajectory } = shown.rollouts[0] as (typeof shown.rollouts)[number];
  expect(promptTexts).toEqual([0, 1].map((agent) => readBefore(trajectory, agent, team)));
  const { source, models } = await agentTakenAway(run.session, 1);
  const files = unzipSync(weightsZip({ ...source, ...models[0] }));
  const text = (name: string) => new TextDecoder().decode(files[name]);
  expect(JSON.parse(text('tokenizer_config.json'))).toMatchObject({ chat_template: sampleTemplate });
  expect(text('README.md')).toContain('Your friend says: \\"the hat is green\\" What colour is the');
  expect(text('README.md')).not.toMatch(/<bos>|<eot>|<finish>|<reason>/);
});

it('each token of a large vocabulary has its rank, and the likeliest tokens include all equal ones', async () => {
  const wide = { ...shape, vocabSize: 1500 };
  const run = openRun(await wordsCheckpoint(await givenSample(wide)));
  await run.session.train(1);
  const [first] = run.collected()[0] as [Trajectory];
  const { rollouts } = await inspectGroup(run.session.inspectable as Inspectable, first.group);
  const ranks = rollouts.flatMap(({ turns }) =>
    turns.flatMap(({ rank = [], p, alternatives }) => {
      expect(rank).toHaveLength(p.length);
      rank.forEach((place, t) => {
        const likelier = (alternatives[t] ?? []).filter((other) => other.p > (p[t] as number));
        if (place <= 4 && (p[t] as number) >= 0.005) expect(likelier).toHaveLength(place - 1);
        expect(place).toBeLessThanOrEqual(wide.vocabSize);
      });
      return rank;
    }),
  );
  expect(Math.min(...ranks)).toBe(1);
  expect(Math.max(...ranks)).toBeGreaterThan(4);
});

it('a model without a template reads line by line', async () => {
  const { foreign, config } = await wordsCheckpoint(await givenSample());
  const bare = { ...(foreign as NonNullable<typeof foreign>) };
  delete bare.chat;
  const start = 'model-0000000000000000';
  introduceModel(start, bare);
  const { world, prompt, tokenizer } = assembleTeam(withSettings(config, { 'agents.start': start }));
  const [problem] = world.heldOut(1, 1) as [Problem];
  expect(tokenizer.decode(prompt(problem, 1))).toBe(`<bos>${problem.shown} Answer with one word.\n`);
});

it('a model of a run from before templates were stored is read, and feedback in words is refused', async () => {
  const { foreign, config } = await wordsCheckpoint(await givenSample());
  const { chat: _, ...former } = foreign as NonNullable<typeof foreign>;
  expect(v.parse(foreignSchema, former)).toEqual(former);
  expect(() => assembleTeam(config, undefined, { ...protocolOf(config.agents, passItOn), hasFeedback: true })).toThrow(
    /agents\.feedback: the vocabulary of .* has no words for feedback/,
  );
});
