// Checks the content of exported files. The weights are read as the safetensors format describes and are evaluated with
// plain arrays under Hugging Face's names. They must give every probability that the page shows for the same weights.
import { Template } from '@huggingface/jinja';
import { Tokenizer } from '@huggingface/tokenizers';
import { unzipSync } from 'fflate';
import type { Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { parquetRows } from '../src/formats/datasets/parquetRows.ts';
import { llamaLogits, type LlamaConfigFile } from '../src/formats/reference/llama.ts';
import { readTensors } from '../src/formats/reference/safetensors.ts';
import { readRunFile } from '../src/formats/runFile.ts';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';
import type { GroupInspection } from '../src/records/inspection.ts';
import type { Problem } from '../src/records/problem.ts';
import type { Trajectory } from '../src/records/trajectory.ts';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { readStore } from './database.ts';
import { download, openRunFile } from './visitor.ts';

const few = 'backend=cpu&iterations=2&learning.problemsPerIteration=4&evaluation.problems=16';
const roles = ['metaThinking', 'reasoning'] as const;
const labels = ['Weights · planner', 'Weights · reasoner'];

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);
const json = <T>(bytes: Uint8Array | undefined) => JSON.parse(text(bytes)) as T;

/** Opens an exported agent with only the files of its zip. */
function openAgent(zip: Uint8Array, folder = '') {
  const all = Object.entries(unzipSync(zip)).filter(([path]) => path.startsWith(folder));
  const files = Object.fromEntries(all.map(([path, file]) => [path.slice(folder.length), file]));
  const config = json<LlamaConfigFile>(files['config.json']);
  const notes = json<{ chat_template: string }>(files['tokenizer_config.json']);
  const tokenizer = new Tokenizer(json<object>(files['tokenizer.json']), notes);
  const template = new Template(notes.chat_template);
  const tensors = readTensors(files['model.safetensors'] as Uint8Array);
  return {
    render: (messages: { role: string; content: string }[], isAsking: boolean) =>
      template.render({ messages, add_generation_prompt: isAsking }),
    encode: (words: string) => tokenizer.encode(words, { add_special_tokens: false }).ids,
    decode: (ids: number[]) => ids.map((id) => tokenizer.id_to_token(id) ?? '').join(''),
    logits: (ids: number[]) => llamaLogits(config, tensors, ids),
    temperature: json<{ temperature: number }>(files['generation_config.json']).temperature,
  };
}
type Agent = ReturnType<typeof openAgent>;

type Spoken = { role: string; text: string; isFinish: boolean };

/** Returns the chat that an agent reads: the planner sees the rule, and the agent's own turns are the assistant's. */
function chatOf(agent: number, { shown, hidden }: Problem, said: readonly Spoken[]) {
  return [
    ...(agent === 0 ? [{ role: 'system', content: hidden['rule'] ?? '' }] : []),
    { role: 'user', content: shown },
    ...said.map((turn) => ({
      role: turn.role === roles[agent] ? 'assistant' : 'user',
      content: turn.text + (turn.isFinish ? '<finish>' : ''),
    })),
  ];
}

function logShares(logits: readonly number[], temperature: number): number[] {
  const scaled = logits.map((x) => x / temperature);
  const top = Math.max(...scaled);
  const total = Math.log(scaled.reduce((sum, x) => sum + Math.exp(x - top), 0));
  return scaled.map((x) => x - top - total);
}

/** Returns the largest difference between log-probabilities of the page and the exported agent, and their number. */
function compare(
  speaks: (agent: number, round: number) => Agent,
  group: GroupInspection,
): { worst: number; count: number } {
  let worst = 0;
  let count = 0;
  for (const { trajectory, turns } of group.rollouts) {
    for (const [k, turn] of trajectory.turns.entries()) {
      const agent = speaks(turn.agent, turn.round);
      const chat = chatOf(turn.agent, trajectory.problem, trajectory.turns.slice(0, k));
      const context = agent.encode(agent.render(chat, true));
      const logits = agent.logits([...context, ...turn.tokens]);
      turn.tokens.forEach((token, t) => {
        const shares = logShares(logits[context.length + t - 1] as number[], agent.temperature);
        const shown = Math.log(turns[k]?.p[t] as number);
        worst = Math.max(worst, Math.abs((shares[token] as number) - shown));
        count++;
      });
    }
  }
  return { worst, count };
}

for (const [what, query] of [
  [
    'two adapters to one network, at another temperature',
    `preset=default&${few}&agents.parameters=lora&optimiser.learningRate=0.01&agents.temperature=0.8`,
  ],
  ['grouped heads, a warm start trained on the page', `preset=micro&${few}&warmStart.steps=150`],
] as const) {
  test(`the exported weights give the probabilities that the page shows: ${what}`, async ({ visit }) => {
    const { page } = await visit(`/?${query}&autostart=1`);
    await untilState(page, ['done']);
    const agents: Agent[] = [];
    for (const label of labels) agents.push(openAgent((await download(page, label)).bytes));
    const newest = (await readStore<{ group: GroupInspection; iteration: number }>(page, 'shown')).at(-1);
    expect(newest?.iteration).toBe(2);
    const { worst, count } = compare((agent) => agents[agent] as Agent, newest?.group as GroupInspection);
    expect(count).toBeGreaterThan(20);
    expect(worst).toBeLessThan(1e-4);
    // The exported weights are those after the last update, not those that sampled.
    const moved = newest?.group.rollouts.flatMap(({ turns }) =>
      turns.flatMap(({ p, pBefore }) => p.map((x, i) => Math.abs(Math.log(x / (pBefore[i] as number))))),
    );
    expect(Math.max(...(moved ?? [0]))).toBeGreaterThan(10 * worst);
    const [a, b] = agents.map((agent) => agent.logits([1, 8])[1]?.[5]);
    expect(a === b).toBe(!what.startsWith('two '));
  });
}

test('the exported weights of each turn give the probabilities that the page shows', async ({ visit }) => {
  const query = `preset=default&${few}&agents.parameters=lora&agents.adapterPer=turn&optimiser.learningRate=0.01`;
  const { page } = await visit(`/?${query}&autostart=1`);
  await untilState(page, ['done']);
  const zips: Uint8Array[] = [];
  for (const label of labels) zips.push((await download(page, label)).bytes);
  const turns = [1, 2, 3, 4];
  const agents = zips.map((zip, a) => turns.map((turn) => openAgent(zip, `${roles[a]}-turn-${turn}/`)));
  const newest = (await readStore<{ group: GroupInspection; iteration: number }>(page, 'shown')).at(-1);
  const group = newest?.group as GroupInspection;
  const { worst, count } = compare((agent, round) => agents[agent]?.[round] as Agent, group);
  expect(count).toBeGreaterThan(20);
  expect(worst).toBeLessThan(1e-4);
  expect(compare((agent, round) => agents[agent]?.[(round + 1) % 4] as Agent, group).worst).toBeGreaterThan(10 * worst);
});

interface Line {
  iteration: number;
  problem: Trajectory['problem'];
  prompts: number[][];
  messages: { role: string; name?: string; content: string }[];
  turns: { agent: number; role: string; tokens: number[]; logprobs: number[]; is_finish: boolean }[];
}

test('each line of the trajectories is a chat that the exported template turns into the exact context', async ({
  visit,
}) => {
  const { page } = await visit(`/?preset=default&${few}&autostart=1`);
  await untilState(page, ['done']);
  const agents = [];
  for (const label of labels) agents.push(openAgent((await download(page, label)).bytes));
  const lines = (await download(page, 'Trajectories')).text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const rows = await readStore<{ iteration: number; count: number }>(page, 'iterationRows');
  expect(lines).toHaveLength(rows.reduce((sum, { count }) => sum + count, 0));
  expect(new Set(lines.map(({ iteration }) => iteration))).toEqual(new Set([1, 2]));
  const endOfTurn = agents[0]?.encode('<eot>')[0];

  for (const line of lines) {
    const said = line.messages.slice(2).map(({ name = '', content }, k) => {
      return { role: name, text: content, isFinish: line.turns[k]?.is_finish ?? false };
    });
    for (const [a, agent] of agents.entries()) {
      const prompt = line.prompts[a] as number[];
      expect(agent.render(chatOf(a, line.problem, []), false)).toBe(agent.decode(prompt));
      // The whole dialogue as sampled tokens. The template adds the end token to a turn that was cut off.
      const sampled = line.turns.flatMap(({ agent: speaker, tokens }, k) => {
        const header = agent.encode(speaker === 0 ? '<meta>' : '<reason>');
        const isClosed = tokens.at(-1) === endOfTurn || line.turns[k]?.is_finish;
        return [...header, ...tokens, ...(isClosed ? [] : [endOfTurn])];
      });
      const rendered = agent.render(chatOf(a, line.problem, said), false);
      expect(agent.encode(rendered)).toEqual([...prompt, ...sampled]);
    }
    expect(line.turns.every(({ tokens, logprobs }) => tokens.length === logprobs.length)).toBe(true);
  }
});

test('every button gives its file, and the note says the size of the weights with and without optimiser state', async ({
  visit,
}) => {
  const { page } = await visit(`/?preset=micro&${few}&autostart=1`);
  await untilState(page, ['done']);
  const rewards = (await download(page, 'Trajectories')).text
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as Trajectory).reward);
  const parquet = (await download(page, 'Trajectories · Parquet')).bytes;
  const read = [];
  for await (const { value } of parquetRows(new Blob([parquet]))) read.push((value as Trajectory).reward);
  expect(read).toEqual(rewards);
  const log = JSON.parse((await download(page, 'Trajectories · Inspect')).text) as {
    samples: { scores: { reward: { value: number } } }[];
  };
  expect(log.samples.map(({ scores }) => scores.reward.value)).toEqual(rewards);

  const note = page.getByText(/^Weights .* each/);
  const said = async () => Number(/Weights ([\d.,]+)/.exec((await note.textContent()) ?? '')?.[1]?.replace(',', ''));
  const kilobytes = ({ length }: Uint8Array) => length / 1000;
  const plain = (await download(page, 'Weights · reasoner')).bytes;
  const saidPlain = await said();
  await page.getByLabel('Weights with the optimiser’s state').check();
  const whole = (await download(page, 'Weights · reasoner')).bytes;
  const names = Object.keys(unzipSync(whole)).filter((name) => !Object.hasOwn(unzipSync(plain), name));
  expect(names).toEqual(['optimizer.safetensors']);
  expect(Object.keys(unzipSync(plain))).toEqual(
    expect.arrayContaining(['model.onnx', 'model_with_past.onnx', 'model.gguf']),
  );
  // The names of the arrays take the remaining space.
  const further = (await said()) - saidPlain;
  expect(Math.abs(further / kilobytes(unzipSync(whole)['optimizer.safetensors'] as Uint8Array) - 1)).toBeLessThan(0.15);
});

test('run file and link open the same settings on another page', async ({ open }) => {
  const contextOptions = { permissions: ['clipboard-read', 'clipboard-write'] };
  const page = await open(`/?preset=micro&${few}&seed=9&learning.clipHigh=0.31&agents.finishEnds=afterReply`, {
    contextOptions,
  });
  await page.getByRole('button', { name: 'Step' }).click();
  await untilState(page, ['paused']);
  const [stored] = await readStore<RunRecord>(page, 'runs');
  const runFile = async (of: Page) => (await download(of, 'Run file')).text;
  const file = await runFile(page);
  const read = readRunFile(file);
  expect(read).toEqual({ preset: 'micro', config: stored?.config, changes: [], imports: [] });
  expect(read.config.learning.clipHigh).toBe(0.31);

  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await page.getByText('is copied').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link.startsWith(`${inject('origin')}/?`)).toBe(true);
  const elsewhere = await open(link.slice(inject('origin').length));
  expect(readRunFile(await runFile(elsewhere))).toEqual(read);

  const third = await open('/?view=lab');
  await openRunFile(third, file);
  await expect.poll(() => third.getByLabel('Preset').inputValue(), { timeout: 10_000 }).toBe('micro');
  await untilState(third, ['idle']);
  expect(readRunFile(await runFile(third))).toEqual(read);
});
