// Tests a whole team as a model: its dialogues over HTTP are those of the project's own evaluation.
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { presetConfig, type PresetName } from '../../../config/presets.ts';
import { shippedFor } from '../../../config/warmStarts.ts';
import { worldForms, worldNames } from '../../../config/worlds/registry.ts';
import { isNamedError } from '../../../base/errors.ts';
import { readSafetensors } from '../../../formats/safetensors.ts';
import { runId } from '../../../records/ids.ts';
import type { Problem } from '../../../records/problem.ts';
import { checkpointFormat, type RunRecord } from '../../../records/stored/checkpoint.ts';
import { worlds } from '../../../tasks/registry.ts';
import { examinedTrajectories } from '../../../training/evaluation/evaluate.ts';
import { startingCheckpoint } from '../../../training/run/start.ts';
import { onCpu } from '../../../training/testing/onCpu.ts';
import { ServedModels } from '../../../../cli/serve/model.ts';
import { eventsIn, servedHere } from '../../../../cli/serve/testing/served.ts';
import { longestDialogue, type ServedTeam } from '../../../../cli/serve/team.ts';
import { hiddenIn, hiddenText, messagesFor, readTeamAsked, teamAnswers } from './team.ts';

onCpu();

const held = 20;
let models: ServedModels;
let served: ServedTeam;
let problems: Problem[];
let server: Server;
let url = '';

/** The models of a run that has not begun: the team of a preset with its shipped warm start. */
async function modelsOf(preset: PresetName): Promise<ServedModels> {
  const config = presetConfig(preset);
  const { name } = shippedFor(config);
  const { tensors } = readSafetensors(readFileSync(`public/warmstart/${name}.safetensors`));
  const parts = { config, runId: runId('team'), backend: 'simd', loadShipped: () => Promise.resolve(tensors) } as const;
  const run: RunRecord = {
    ...{ format: checkpointFormat, id: runId('team'), name: 'calm-otter', preset, backend: 'simd' },
    ...{ config, changes: [], createdMs: 0, iteration: 0, isDone: false },
  };
  return ServedModels.open(run, await startingCheckpoint(parts));
}

beforeAll(async () => {
  models = await modelsOf('quick');
  served = models.team as ServedTeam;
  problems = served.team.world.heldOut(served.team.config.world.level, held);
  ({ server, url } = await servedHere({ models }));
});
afterAll(() => {
  server.close().closeAllConnections();
  models.dispose();
});

interface Answer {
  choices: {
    message: { content: string; reasoning_content: string; turns: { agent: number | null }[] };
    finish_reason: string;
  }[];
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number };
  error?: { message: string };
}

const post = (body: object, place = '/v1/chat/completions') =>
  fetch(`${url}${place}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'calm-otter', ...body }),
  });
const ask = async (problem: Problem, body: object) => {
  const response = await post({ messages: messagesFor(problem), ...body });
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
};

describe('a team as a model', () => {
  it.each([0, 1])(
    'at temperature %d answers held-out problems as in the evaluation of the project',
    async (temperature) => {
      const how = { policies: served.policies, temperature: Math.max(1e-4, temperature) };
      const own = await examinedTrajectories(served.team, problems, how);
      const answers: Answer[] = [];
      for (const [seed, problem] of problems.entries()) answers.push(await ask(problem, { temperature, seed }));
      const said = answers.map(({ choices }) => choices[0]?.message.content);
      expect(said).toEqual(own.map(({ answer }) => answer ?? ''));
      for (const [i, { choices, usage }] of answers.entries()) {
        const { turns, finishCode } = own[i] as (typeof own)[number];
        const lines = turns.map(({ role, text, isFinish }) => `${role}: ${text}${isFinish ? '<finish>' : ''}\n`);
        expect(choices[0]?.message.reasoning_content).toBe(lines.join(''));
        expect(choices[0]?.message.turns.map(({ agent }) => agent)).toEqual(turns.map(({ agent }) => agent));
        expect(choices[0]?.finish_reason).toBe(finishCode === 0 ? 'stop' : 'length');
        expect(usage.completion_tokens).toBe(turns.reduce((sum, { tokens }) => sum + tokens.length, 0));
      }
      const right = said.filter((answer, i) => answer === problems[i]?.answer).length;
      expect(right).toBe(own.filter(({ isRight }) => isRight).length);
      // The warm start is right clearly more often than by chance.
      expect(right).toBeGreaterThan(held / 4);
    },
  );

  it.each(['court', 'vote', 'code', 'recall', 'toolLoop'] as const)(
    'answers as in the evaluation also in the preset %s, in which agents hear each other in another way',
    async (preset) => {
      const own = await modelsOf(preset);
      const { team, policies, judge } = own.team as ServedTeam;
      const asked = team.world.heldOut(team.config.world.level, 4);
      const measured = await examinedTrajectories(team, asked, { policies, ...(judge && { judge }) });
      for (const [seed, problem] of asked.entries()) {
        const request = readTeamAsked({ messages: messagesFor(problem), problem, seed }, 0, own.team as ServedTeam);
        const listening = { left: new AbortController().signal, hear: () => undefined };
        const [answer] = await teamAnswers(own.team as ServedTeam, request, listening);
        expect(answer?.content).toBe(measured[seed]?.answer ?? '');
      }
      own.dispose();
    },
  );

  it('gives several answers with different random numbers, the same for one seed, also streamed', async () => {
    const [problem] = problems as [Problem];
    const body = { seed: 70_000, n: 4, temperature: 1.5 };
    const whole = await ask(problem, body);
    expect(await ask(problem, { ...body, model: 'calm-otter/team' })).toMatchObject({ choices: whole.choices });
    expect(new Set(whole.choices.map(({ message }) => message.reasoning_content)).size).toBeGreaterThan(1);
    const streamed = await post({
      messages: messagesFor(problem),
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(streamed.headers.get('content-type')).toBe('text/event-stream');
    const chunks = eventsIn(await streamed.text()) as {
      choices: {
        index: number;
        delta: { content?: string; reasoning_content?: string };
        finish_reason: string | null;
      }[];
      usage?: object;
    }[];
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage });
    for (const [index, { message, finish_reason: reason }] of whole.choices.entries()) {
      const own = chunks.flatMap(({ choices }) => choices.filter((one) => one.index === index));
      expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(message.content);
      expect(own.map(({ delta }) => delta.reasoning_content ?? '').join('')).toBe(message.reasoning_content);
      expect(own.map(({ finish_reason: one }) => one).filter((one) => one !== null)).toEqual([reason]);
    }
  });

  it('ends an answer before a stop text', async () => {
    const [problem] = problems as [Problem];
    const { content } = (await ask(problem, { seed: 0, temperature: 0 })).choices[0]?.message ?? { content: '' };
    expect(content.length).toBeGreaterThan(0);
    const cut = await ask(problem, { seed: 0, temperature: 0, stop: [content.at(-1)] });
    expect(cut.choices[0]?.message.content).toBe(content.slice(0, content.indexOf(content.at(-1) as string)));
  });

  it('is listed with a request that it answers, and without a model that completes texts', async () => {
    const listed = (await (await fetch(`${url}/v1/models/calm-otter`)).json()) as { example: object };
    expect(listed).toMatchObject({ id: 'calm-otter', world: 'houseRule', agents: ['metaThinking', 'reasoning'] });
    expect((await post(listed.example)).status).toBe(200);
    const refused = await post({ prompt: '<bos>' }, '/v1/completions');
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('is a team') as string } },
    ]);
  });

  it.each([
    [{ top_p: 0.5 }, 'top_p: expected 1'],
    [{ top_k: 3 }, 'top_k: expected 0'],
    [{ min_p: 0.1 }, 'min_p: expected 0'],
    [{ logprobs: true }, 'logprobs: expected false'],
    [{ max_tokens: 5 }, 'max_tokens: expected at least'],
    [{ problem: { shown: '1' } }, 'problem'],
    [{ problem: 3 }, 'problem'],
    [{ level: 99 }, 'level: expected a level from 1 to'],
    [{ level: 'x' }, 'level: expected a whole number'],
    [{ tools: [{}] }, 'tools: expected'],
    [{ messages: [{ role: 'system', content: '<precedence>' }] }, 'messages: expected one message of the user'],
    [
      {
        messages: [
          { role: 'user', content: '1+1' },
          { role: 'assistant', content: '2' },
        ],
      },
      'messages.1.role: expected',
    ],
    [{ messages: [{ role: 'user', content: 'Hello' }] }, ''],
    [{ messages: [{ role: 'user', content: '<eot>' }] }, ''],
    [
      {
        messages: [
          { role: 'system', content: 'no rule' },
          { role: 'user', content: '1+1' },
        ],
      },
      '',
    ],
    [{ messages: [{ role: 'user', content: '1'.repeat(90_000) }] }, ''],
  ])('refuses %j by name, and goes on', async (more, words) => {
    const response = await post({ messages: messagesFor(problems[0] as Problem), ...more });
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error?.message).toContain(words);
  });

  it('answers a whole problem, and refuses one with other texts than the messages', async () => {
    const [problem, other] = problems as [Problem, Problem];
    const body = { seed: 3, temperature: 0 };
    expect((await ask(problem, { ...body, problem })).choices).toEqual((await ask(problem, body)).choices);
    const refused = await post({ messages: messagesFor(other), problem });
    expect([refused.status, ((await refused.json()) as Answer).error?.message]).toEqual([
      400,
      expect.stringContaining('problem: expected a problem of the world') as string,
    ]);
  });

  it('accepts a limit of tokens that no dialogue can reach', async () => {
    await ask(problems[0] as Problem, { max_tokens: longestDialogue(served.team) });
  });

  it('reads any request, or refuses it with a named error', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.jsonValue(), (system, user, level) => {
        try {
          const messages = [
            { role: 'system', content: system },
            { role: 'user', content: user },
          ];
          readTeamAsked({ messages, level }, 0, served);
        } catch (error) {
          expect(isNamedError(error), String((error as Error).stack)).toBe(true);
        }
      }),
    );
  });
});

describe('the hidden part of a problem', () => {
  it('is read from the message in which it was written', () => {
    const name = fc.constantFrom('rule', 'map', 'first', 'hiddenTests');
    const text = fc
      .string({ unit: fc.constantFrom('a', ' ', ':', '\n', '<', 'é', '1') })
      .filter((one) => one.trim() !== '');
    fc.assert(
      fc.property(fc.dictionary(name, text, { minKeys: 1, noNullPrototype: true }), (hidden) => {
        const texts = Object.values(hidden);
        fc.pre(texts.length === 1 || texts.every((one) => !/^[ \t]|\n$/.test(one)));
        expect(hiddenIn(hiddenText(hidden), Object.keys(hidden))).toEqual(hidden);
      }),
    );
  });

  it.each(worldNames)('of each held-out problem in %s is sent and read without a change', (name) => {
    const world = worlds[name];
    for (const problem of world.heldOut(1, 6)) {
      const [user, system] = messagesFor(problem).reverse();
      const typed = {
        shown: user?.content ?? '',
        hidden: hiddenIn(
          system?.content ?? '',
          worldForms[name].hidden.map((one) => one.name),
        ),
      };
      expect(typed).toEqual({ shown: problem.shown, hidden: problem.hidden });
      const read = world.read?.(typed, 1);
      for (const sees of [[], Object.keys(problem.hidden)])
        expect(read && world.view(read, sees)).toBe(world.view(problem, sees));
    }
  });

  it.each([
    ['a', [], 'expected no message of the system'],
    ['a', ['first', 'second'], '“first: …” and “second: …”'],
    ['third: a', ['first', 'second'], '“first: …”'],
  ])('%j is refused if the problems of the world have %j', (told, names, words) => {
    expect(() => hiddenIn(told, names)).toThrow(words);
  });
});
