// Tests the adapters of a language model that imitate chats from a file before reinforcement learning.
import { beforeAll, describe, expect, it } from 'vitest';
import { readChats } from '../src/formats/chats.ts';
import { writeJsonl } from '../src/formats/jsonl.ts';
import { sha256 } from '../src/base/sha256.ts';
import type { ChatFile } from '../src/records/stored/chatFile.ts';
import type { Checkpoint } from '../src/records/stored/checkpoint.ts';
import { readyWorlds } from '../src/tasks/registry.ts';
import { readyTemplates } from '../src/text/chat.ts';
import { tokenizerOf } from '../src/text/tokenizer.ts';
import { demonstrate } from '../src/training/imitation/demonstrations.ts';
import { chatRows, lessonsFrom } from '../src/training/imitation/importedChats.ts';
import { rowLogprobs } from '../src/training/rows/oldFacts.ts';
import { actionCount, buildRows, type RowBatch } from '../src/training/rows/rows.ts';
import { assembleTeam, type Team } from '../src/training/team/team.ts';
import { openGate, openRun } from '../src/training/testing/microRun.ts';
import { onCpu } from '../src/training/testing/onCpu.ts';
import { configFor, memoryStore, started } from './testing/taught.ts';

beforeAll(readyTemplates);

onCpu();

const onChats = {
  'warmStart.modelImitates': 'chats',
  'warmStart.modelSteps': 6,
  'agents.adapterPer': 'role',
  'optimiser.learningRate': 1e-2,
};

const said = (content: string, more: object = {}) => ({
  messages: [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'two and two' },
    { role: 'assistant', content },
  ],
  ...more,
});

function fileOf(lines: readonly object[], name = 'chats.jsonl'): ChatFile {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  return { name, digest: sha256(text), chats: readChats(text) };
}

const few = fileOf([said('four'), said('the sum', { agent: 'reasoner' }), said('the cat', { agent: 0 })]);

/** The rows that each network of a team imitates in a step. */
async function rowsOf(team: Team, file: ChatFile, step = 0): Promise<(n: number) => RowBatch> {
  return chatRows(await lessonsFrom(team, file), team.config)(step);
}

/** The text of a row that is only read, and the text that is learned, with the model's own special tokens. */
function textsOf({ foreign }: Team, { ids, targets, actionMask, rows, length }: RowBatch): [string, string][] {
  const own = tokenizerOf(JSON.parse(foreign?.tokenizerJson ?? '{}') as object);
  return Array.from({ length: rows }, (_, b) => {
    const [from, to] = [b * length, (b + 1) * length];
    const mask = actionMask.slice(from, to);
    const first = mask.indexOf(1);
    return [
      own.decode([...ids.slice(from, from + first + 1)]),
      own.decode([...targets.slice(from, to)].filter((__, t) => mask[t] === 1)),
    ];
  });
}

const weightsOf = ({ networks }: Checkpoint) => networks.map(({ weights }) => weights);

/** The mean log-probability of the learned tokens, for each network of a run. */
async function likelihoods(checkpoint: Checkpoint): Promise<number[]> {
  const { networks } = openRun(checkpoint).session.trainState;
  const rows = await rowsOf(assembleTeam((await configFor(onChats)).config), few);
  const means: number[] = [];
  for (const [n, network] of networks.entries()) {
    const logprobs = await rowLogprobs(rows(n), { network, temperature: 1, gate: openGate() });
    means.push(logprobs.reduce((sum, one) => sum + one, 0) / actionCount(rows(n)));
  }
  return means;
}

describe('chats from a file', () => {
  it('are read in the model’s format, and only the messages of the assistant and their ends are learned', async () => {
    const { config } = await configFor(onChats);
    const team = assembleTeam(config);
    const turns = [
      ...said('four').messages,
      { role: 'user', content: 'and </s>?' },
      { role: 'assistant', content: 'six' },
    ];
    const batch = (await rowsOf(team, fileOf([{ messages: turns }])))(0);
    const first = '<s><|system|>be brief</s><|user|>two and two</s><|assistant|>';
    expect(textsOf(team, batch)).toEqual([
      [first, 'four</s>'],
      [`${first}four</s><|user|>and </s>?</s><|assistant|>`, 'six</s>'],
    ]);
    // The sign in the message of the user is text and ends nothing.
    const { endOfTurn } = team.tokens;
    expect([...batch.ids.slice(batch.length)].filter((id) => id === endOfTurn)).toHaveLength(4);
  });

  it('are imitated by the agents that they name, in epochs, each chat once in each', async () => {
    const { config } = await configFor({ ...onChats, 'warmStart.batchSize': 2 });
    const team = assembleTeam(config);
    const file = fileOf([
      said('one'),
      said('two'),
      said('three', { agent: 'planner' }),
      said('four', { agent: 'planner' }),
    ]);
    const seen = async (n: number) => {
      const found: string[][] = [];
      for (const step of [0, 1, 2, 3]) {
        found.push(textsOf(team, (await rowsOf(team, file, step))(n)).map(([, learned]) => learned));
      }
      return found;
    };
    const [planner, reasoner] = [await seen(0), await seen(1)];
    const all = ['four</s>', 'one</s>', 'three</s>', 'two</s>'];
    expect([planner.slice(0, 2).flat().sort(), planner.slice(2).flat().sort()]).toEqual([all, all]);
    expect(reasoner.map((step) => step.sort())).toEqual(Array.from({ length: 4 }, () => ['one</s>', 'two</s>']));
  });

  it('become likelier, and only the adapters of those who imitate them move', async () => {
    const untaught = await started({ ...onChats, 'warmStart.modelSteps': 0 });
    const losses: (number | null)[] = [];
    const taught = await started(
      { ...onChats, 'warmStart.modelSteps': 30 },
      { chats: few, onProgress: ({ loss }) => losses.push(loss) },
    );
    const [before, after] = [await likelihoods(untaught), await likelihoods(taught)];
    after.forEach((mean, n) => expect(mean).toBeGreaterThan((before[n] as number) + 0.5));
    // The loss of each step is told, so that it can be drawn.
    expect(new Set(losses).size).toBeGreaterThan(25);
    expect(taught.base).toEqual(untaught.base);
    const one = await started(onChats, { chats: fileOf([said('four', { agent: 'planner' })]) });
    expect(weightsOf(one)[0]).not.toEqual(weightsOf(untaught)[0]);
    expect(weightsOf(one)[1]).toEqual(weightsOf(untaught)[1]);
    const run = openRun(taught);
    await run.session.train(1);
    expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  });

  it('teach the same adapters wherever the training was stopped, and another file teaches others', async () => {
    const whole = await started(onChats, { chats: few });
    const warmStarts = memoryStore();
    let steps = 0;
    await expect(started(onChats, { chats: few, warmStarts, isLeft: () => ++steps === 3 })).rejects.toThrow(
      /stopped after step 3 of 6/,
    );
    expect(warmStarts.kept.map(({ step }) => step)).toEqual([3]);
    expect(weightsOf(await started(onChats, { chats: few, warmStarts }))).toEqual(weightsOf(whole));
    expect(warmStarts.kept.map(({ step }) => step)).toEqual([3, 6]);
    // The same chats under another name are the same; other chats are taught from the beginning.
    await started(onChats, { chats: { ...few, name: 'renamed.jsonl' }, warmStarts });
    expect(warmStarts.kept).toHaveLength(2);
    const others = await started(onChats, { chats: fileOf([said('five'), said('the sum')]), warmStarts });
    expect(warmStarts.kept.map(({ step }) => step)).toEqual([3, 6, 6]);
    expect(weightsOf(others)).not.toEqual(weightsOf(whole));
  });

  it('may be exported dialogues, whose messages are learned by their agents as they were read in training', async () => {
    const { config } = await configFor(onChats);
    const team = assembleTeam(config);
    const dialogues = demonstrate(team, 0);
    const text = writeJsonl(0, dialogues);
    const file = { name: 'calm-otter.jsonl', digest: sha256(text), chats: readChats(text) };
    const rows = await rowsOf(team, file);
    for (const agent of [0, 1]) {
      const known = textsOf(team, buildRows(dialogues, [agent], team.tokens));
      expect(known.every(([context, learned]) => context.endsWith('<|assistant|>') && learned.endsWith('</s>'))).toBe(
        true,
      );
      expect(textsOf(team, rows(agent)).sort()).toEqual(known.sort());
    }
    const elsewhere = { ...config, world: { ...config.world, name: 'passItOn' as const } };
    await readyWorlds(elsewhere);
    await expect(rowsOf(assembleTeam(elsewhere), file)).rejects.toThrow(
      /^calm-otter\.jsonl: line 1: the dialogue is about the world legs, but the run trains in passItOn/,
    );
  });

  it('that cannot be imitated are named with their file and line, and so is a file that is missing', async () => {
    const refused = async (lines: object[]) => {
      const { config } = await configFor(onChats);
      return rowsOf(assembleTeam(config), fileOf([said('four'), ...lines]));
    };
    await expect(refused([said('two '.repeat(3000))])).rejects.toThrow(
      /^chats\.jsonl: line 2: the chat has \d+ tokens, but tiny can read at most 2048/,
    );
    await expect(refused([said('a', { agent: 'observer' })])).rejects.toThrow(
      /^chats\.jsonl: line 2: agent: expected an agent of this team, 0 \(metaThinking\), 1 \(reasoning\), got observer/,
    );
    await expect(refused([said('a', { agent: 2 })])).rejects.toThrow(/line 2: agent: .* got 2/);
    await expect(refused([said('a\u{F0000}b')])).rejects.toThrow(/^chats\.jsonl: line 2: messages: .*private-use/);
    await expect(started(onChats)).rejects.toThrow(
      /^warmStart\.modelImitates: no chats have been imported.*modelImitates = demonstrations/,
    );
  });
});
