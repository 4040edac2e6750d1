import { expect, it } from 'vitest';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { learnerNames } from '../src/config/learners/registry.ts';
import { benchConfig, plannedRows, rowKey, rowsOf } from './learners/plan.ts';
import { learnerRow, type LearnerResult } from './learners/table.ts';
import { appendRow, measureMissing, readRows } from './shared/rowStore.ts';
import { inTurns } from './shared/runner.ts';

it('every learner has a row, every row has its own name, and its settings can run', () => {
  const configs = plannedRows.map(({ settings }) => benchConfig(settings, 11));
  expect(new Set(configs.map(({ learning }) => learning.learner))).toEqual(new Set(learnerNames));
  expect(new Set(plannedRows.map(({ name }) => name)).size).toBe(plannedRows.length);
});

it.each(learnerNames)('each row in the folder of %s trains this learner', (learner) => {
  for (const { name, settings } of rowsOf(learner)) expect(settings.learning?.learner, name).toBe(learner);
});

it('rows of VDN, QMIX and CORY do not claim to be the published form', () => {
  const names = ['vdn', 'qmix', 'cory'];
  const rows = plannedRows.filter(({ settings }) => names.includes(settings.learning?.learner ?? ''));
  expect(rows.map(({ form }) => form)).toContain('nearest');
  for (const { name, variant, form } of rows) {
    expect(form, name).not.toBe('published');
    expect(`${name} ${variant}`, name).not.toMatch(/published/i);
  }
});

it('all rows share world, size and warm start', () => {
  const common = plannedRows.map(({ settings }) => {
    const { world, agents, warmStart, learning } = benchConfig(settings, 11);
    return [world, agents.size, warmStart, learning.groupSize * learning.problemsPerIteration * agents.candidates];
  });
  expect(new Set(common.map((one) => JSON.stringify(one))).size).toBe(1);
});

it('the key of a row depends on its name, seed, tokens and settings', () => {
  const key = (tokens: number, beta: number) =>
    rowKey({ name: 'dpo', seed: 1, tokens, settings: { learning: { preferenceBeta: beta } } });
  expect(new Set([key(1, 0.1), key(2, 0.1), key(1, 0.2)]).size).toBe(3);
  expect(key(1, 0.1)).toBe(key(1, 0.1));
});

it('finished rows are read from the file, and the newer of two rows with the same key counts', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rows-'));
  const file = path.join(folder, 'deeper', 'rows.jsonl');
  const row = { key: 'a', name: 'grpo', seed: 1, settings: {}, commit: 'c', result: 1 };
  expect(readRows(file).size).toBe(0);
  for (const result of [1, 2]) appendRow(file, { ...row, result });
  expect([...readRows(file).values()]).toEqual([{ ...row, result: 2 }]);
  rmSync(folder, { recursive: true });
  expect(existsSync(file)).toBe(false);
});

it('only missing rows are measured, and shared warm starts are made first', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'rows-'));
  const file = path.join(folder, 'rows.jsonl');
  const job = (key: string, warmStart: string | null) => ({ key, name: key, seed: 1, settings: null, warmStart });
  appendRow(file, { ...job('kept', 'other'), commit: 'c', result: 0 });
  const seen: string[] = [];
  const isWhole = await measureMissing({
    file,
    jobs: [job('kept', 'other'), job('a', 'shared'), job('b', 'shared'), job('c', null)],
    atOnce: 1,
    warm: ({ warmStart }) => Promise.resolve(seen.push(`make ${warmStart}`)),
    measure: ({ key }) => (key === 'b' ? Promise.reject(new Error('meant to fail')) : Promise.resolve(seen.push(key))),
    describe: String,
  });
  expect([isWhole, seen]).toEqual([false, ['make shared', 'a', 'c']]);
  expect([...readRows(file).keys()]).toEqual(['kept', 'a', 'c']);
  rmSync(folder, { recursive: true });
});

it('a failed job is counted, and the other jobs are done', async () => {
  const done: number[] = [];
  const isWhole = await inTurns([1, 2, 3, 4], 2, (job) => {
    if (job === 2) return Promise.reject(new Error('a job that is meant to fail'));
    done.push(job);
    return Promise.resolve();
  });
  expect([isWhole, done]).toEqual([false, [1, 3, 4]]);
});

it('a learner meets its goal only if every seed has gained enough', () => {
  const result = (before: number, after: number) =>
    ({
      ...{ before: { accuracy: before }, after: { accuracy: after }, seed: 1, commit: 'c' },
      ...{ seconds: 10, kl: 0, entropy: 0, iterations: 1, sampledTokens: 1, maskedAfter: null, explained: {} },
    }) as LearnerResult & { seed: number; commit: string };
  const [planned] = plannedRows as [(typeof plannedRows)[0]];
  expect(learnerRow(planned, [result(0.5, 0.7), result(0.5, 0.61)])).toMatchObject({ isMet: true, masked: null });
  const row = learnerRow(planned, [result(0.5, 0.9), result(0.5, 0.59)]);
  expect(row.isMet).toBe(false);
  expect(row.leastGain).toBeCloseTo(0.09, 10);
  expect(row.after.mean).toBeCloseTo(0.745, 10);
});
