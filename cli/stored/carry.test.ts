// Tests `cothink export` for a stored run, by reading its output again.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parquetRows } from '../../src/formats/datasets/parquetRows.ts';
import { readLlama } from '../../src/formats/llama/readLlama.ts';
import { readSafetensors } from '../../src/formats/safetensors.ts';
import { readEvents } from '../../src/formats/testing/eventFile.ts';
import { openRun } from '../runFolder.ts';
import { modelAt } from './model.ts';
import { buildProgram, cothink, removeProgram } from '../testing/program.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cothink-carry-'));
const at = (name: string) => path.join(folder, name);
/** The settings of a run with one iteration, whose small agent sometimes gives right answers. */
const small = {
  'run.backend': 'cpu',
  'run.iterations': 1,
  'learning.problemsPerIteration': 16,
  'learning.groupSize': 8,
};
const taught = { 'agents.protocol': 'single', 'warmStart.steps': 400, 'warmStart.goodPlans': 1 };
const train = (name: string, settings: object) =>
  cothink([
    'train',
    '--preset',
    'micro',
    ...Object.entries(settings).flatMap(([path, value]) => ['--set', `${path}=${value}`]),
    '--out',
    at(name),
  ]);
const written = (...args: string[]) => cothink(['export', at('alone'), ...args]);

beforeAll(async () => {
  buildProgram();
  await train('alone', { ...small, ...taught });
}, 120_000);
afterAll(() => {
  removeProgram();
  rmSync(folder, { recursive: true });
});

async function rowsOf(file: string) {
  const rows = [];
  for await (const { value } of parquetRows(new Blob([readFileSync(file)])))
    rows.push(value as Record<string, unknown>);
  return rows;
}
const linesOf = (file: string) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
const stored = async () => (await openRun(at('alone'))).trajectories(1);

describe('cothink export', () => {
  it('writes the dialogues as Parquet and as a log of Inspect AI, with their rewards', async () => {
    expect(await written('--as', 'parquet', '--out', at('d.parquet'))).toMatchObject({ code: 0 });
    expect(await written('--as', 'inspect', '--out', at('d.json'))).toMatchObject({ code: 0 });
    const rewards = (await stored()).map(({ reward }) => reward);
    expect(rewards).toHaveLength(16 * 8);
    expect((await rowsOf(at('d.parquet'))).map(({ reward }) => reward)).toEqual(rewards);
    const { samples } = JSON.parse(readFileSync(at('d.json'), 'utf8')) as {
      samples: { scores: Record<string, { value: number }> }[];
    };
    expect(samples.map(({ scores }) => scores['reward']?.value)).toEqual(rewards);
  });

  it('writes the same numbers for TensorBoard as in the CSV, and also the evaluations', async () => {
    expect(await written('--as', 'metrics', '--out', at('n.csv'))).toMatchObject({ code: 0 });
    expect(await written('--as', 'events', '--out', at('logs/n.tfevents'))).toMatchObject({ code: 0 });
    const [names = [], numbers = []] = readFileSync(at('n.csv'), 'utf8')
      .trim()
      .split('\r\n')
      .map((line) => line.split(','));
    const { createdMs } = await (await openRun(at('alone'))).run();
    const [version, ...events] = readEvents(new Uint8Array(readFileSync(at('logs/n.tfevents'))));
    expect(version).toMatchObject({ version: 'brain.Event:2', seconds: createdMs / 1000 });
    expect(events.map(({ step }) => step)).toEqual([0, 1, 1]);
    const [before, iteration, after] = events.map(({ scalars }) => scalars);
    expect(names.length).toBeGreaterThan(20);
    expect({ iteration: 1, ...iteration }).toEqual(
      Object.fromEntries(names.map((name, i) => [name, Math.fround(Number(numbers[i]))])),
    );
    const { evaluation } = await (await openRun(at('alone'))).iteration(1);
    expect(after?.['evaluation/accuracy']).toBe(Math.fround(evaluation?.accuracy as number));
    expect(before).toHaveProperty('evaluation/accuracy');
  });

  it('adds the optimiser state to the weights if it is requested', async () => {
    await written('--as', 'weights', '--out', at('w.zip'));
    await written('--as', 'weights', '--optimiser', '--out', at('o.zip'));
    const [plain, whole] = ['w.zip', 'o.zip'].map((name) => unzipSync(readFileSync(at(name))));
    expect(plain?.['optimizer.safetensors']).toBeUndefined();
    const read = readSafetensors(whole?.['optimizer.safetensors'] as Uint8Array<ArrayBuffer>);
    const [network] = (await (await openRun(at('alone'))).checkpoint(1)).networks;
    const first = (network?.weights ?? []).map(({ name }, i) => [`${name}.exp_avg`, network?.m[i]]);
    expect(first.length).toBeGreaterThan(0);
    const byName = new Map(read.tensors.map(({ name, values }) => [name, values]));
    expect(first.map(([name]) => [name, byName.get(name as string)])).toEqual(first);
    // Another program reads the same model from the file with the optimiser's state and from the one without it.
    const models = await Promise.all(
      ['w.zip', 'o.zip'].map(async (name) => readLlama((await modelAt(at(name))) ?? [])),
    );
    expect(models[1]?.matrices).toEqual(models[0]?.matrices);
  });

  it('for TRL writes a folder with prompts, pairs of one turn, and settings', async () => {
    const { code, out } = await written('--for', 'trl', '--out', at('trl'));
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ prompts: 14, heldOut: 2 });
    expect(readdirSync(at('trl')).sort()).toEqual([
      'README.md',
      'dpo.py',
      'dpo.yaml',
      'grpo.py',
      'grpo.yaml',
      'held-out.jsonl',
      'model',
      'pairs.jsonl',
      'prompts.jsonl',
      'reward.json',
      'reward.py',
    ]);
    expect(readdirSync(at('trl/model')).sort()).toEqual([
      'config.json',
      'generation_config.json',
      'model.safetensors',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    const prompts = [...linesOf(at('trl/prompts.jsonl')), ...linesOf(at('trl/held-out.jsonl'))];
    const problems = new Map((await stored()).map(({ problem }) => [problem.id, problem]));
    const asked = prompts.map(({ prompt, problem }) => [prompt, JSON.parse(problem ?? '') as unknown]);
    expect(asked.sort()).toEqual(
      [...problems.values()].map((one) => [`<bos>${one.hidden['rule']}${one.shown}<eot><reason>`, one]).sort(),
    );
    const pairs = linesOf(at('trl/pairs.jsonl'));
    expect(pairs.length).toBeGreaterThan(0);
    for (const { prompt, chosen, rejected } of pairs) {
      expect(prompt).toMatch(/^<bos>.*<eot><reason>$/);
      expect([chosen, rejected].filter((side) => side?.includes('<reason>'))).toEqual([]);
      expect(chosen).not.toBe(rejected);
    }
    expect(readFileSync(at('trl/grpo.yaml'), 'utf8')).toContain('num_generations: 8\n');
    expect(readFileSync(at('trl/README.md'), 'utf8')).toContain(
      '- `learning.logratioClamp = 3`: TRL does not bound it',
    );
  });

  it('for verl writes messages and answers, and a script that a shell can read', async () => {
    expect(await written('--for', 'verl', '--out', at('verl'))).toMatchObject({ code: 0 });
    const rows = [...(await rowsOf(at('verl/train.parquet'))), ...(await rowsOf(at('verl/test.parquet')))];
    expect(rows).toHaveLength(16);
    for (const { data_source, prompt, reward_model, extra_info } of rows) {
      const { problem } = extra_info as { problem: string };
      const { shown, hidden, answer } = JSON.parse(problem) as {
        shown: string;
        hidden: { rule: string };
        answer: string;
      };
      expect(data_source).toBe('cothink/houseRule');
      expect(prompt).toMatchObject([{ role: 'user', content: hidden.rule + shown }]);
      expect(reward_model).toEqual({ style: 'rule', ground_truth: answer });
    }
    execFileSync('bash', ['-n', at('verl/train.sh')]);
  });

  it.each([
    ['a folder that is there', () => ['--for', 'trl', '--out', at('alone')], 'already exists; choose another folder'],
    ['a trainer that is none', () => ['--for', 'x'], '--for: expected one of trl, verl'],
    ['a kind of file beside it', () => ['--for', 'trl', '--as', 'weights'], 'leave out --as'],
    [
      'an agent that is none',
      () => ['--for', 'trl', '--agent', '1', '--out', at('none')],
      '--agent: expected a number from 0 to 0',
    ],
  ])('for a trainer refuses %s in one line, and leaves nothing', async (_, args, words) => {
    const { code, err } = await written(...args());
    expect([code, err.trimEnd().split('\n')]).toEqual([2, [expect.stringContaining(words)]]);
    expect(existsSync(at('none'))).toBe(false);
  });

  it('writes no pairs and no DPO for TRL for a run with one dialogue for each problem', async () => {
    await train('ungrouped', { ...taught, ...small, 'learning.learner': 'ppo', 'learning.groupSize': 1 });
    const asked = ['export', at('ungrouped')];
    const { code, err } = await cothink([...asked, '--as', 'preferences', '--out', at('none.jsonl')]);
    expect([code, err]).toEqual([2, expect.stringContaining('train with --set learning.groupSize=8')]);
    expect(existsSync(at('none.jsonl'))).toBe(false);
    expect(await cothink([...asked, '--for', 'trl', '--out', at('grpo')])).toMatchObject({ code: 0 });
    expect(readdirSync(at('grpo')).filter((name) => /dpo|pairs/.test(name))).toEqual([]);
    expect(readFileSync(at('grpo/README.md'), 'utf8')).toContain(
      'There are no pairs, so this folder contains only GRPO and no DPO',
    );
  });

  it('for a trainer refuses an agent that only plans, and dialogues without any answer', async () => {
    await train('pair', small);
    const refused = (...args: string[]) =>
      cothink(['export', at('pair'), '--for', 'trl', '--out', at('none'), ...args]);
    expect((await refused('--agent', '0')).err).toContain('agent 0, metaThinking, gives no answer');
    expect((await refused()).err).toContain('train for another iteration');
    expect(existsSync(at('none'))).toBe(false);
  });
});
