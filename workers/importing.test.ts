import { parquetWriteBuffer } from 'hyparquet-writer';
import { expect, it } from 'vitest';
import type { ImportProgress } from '../src/api/importConnection.ts';
import { gsm8kRow, hotpotListRow, javaScriptRow, pythonRow, rowsOf } from '../src/formats/datasets/testing/rows.ts';
import { trialOf, faultsOfSolver } from '../src/tasks/testing/battery.ts';
import { openWorld, worldOf } from '../src/tasks/registry.ts';
import { parseConfig } from '../src/config/parse.ts';
import { importFile } from './importing.ts';

const wanted = { vocabulary: 600, prompt: 256 };
const fileOf = (rows: readonly unknown[], name = 'data.jsonl') =>
  new File(
    rows.map((row) => `${JSON.stringify(row)}\n`),
    name,
  );

it('a file becomes a world whose own solutions solve it, with a report about rows that are no problems', async () => {
  const told: ImportProgress[] = [];
  const bad = [
    { question: 'a', answer: 'none' },
    { ...gsm8kRow(7), question: 'long '.repeat(400) },
  ];
  const file = fileOf([...rowsOf(gsm8kRow, 80), ...bad], 'my sums.jsonl');
  const report = await importFile({ file, ...wanted }, (progress) => told.push(progress));
  expect(report).toMatchObject({ shape: 'GSM8K', unit: 'line', rows: 82, kept: 80, isCut: false, fault: '' });
  expect(report.rejections.map(({ row, begins }) => [row, begins.slice(0, 6)])).toEqual([
    [81, '{"ques'],
    [82, 'long l'],
  ]);
  expect(report.first).toHaveLength(3);
  expect(told.some(({ readBytes }) => readBytes === file.size)).toBe(true);
  expect(report.world?.form.label).toBe('GSM8K: my sums');
  await openWorld(report.world!);
  const world = worldOf(parseConfig({ world: { name: report.world!.form.name } }));
  expect(await faultsOfSolver(trialOf(world, 1, ['reMA', 'single'], 50))).toEqual([]);
});

it('the same file with any name gives the same world, and a table gives the same world as lines', async () => {
  const rows = rowsOf(hotpotListRow, 40);
  const [one, other] = await Promise.all(
    ['a.jsonl', 'b.jsonl'].map((name) => importFile({ file: fileOf(rows, name), ...wanted }, () => {})),
  );
  expect(other?.world?.form.name).toBe(one?.world?.form.name);
  const names = Object.keys(rows[0] ?? {}) as (keyof (typeof rows)[number])[];
  const columnData = names.map((name) => ({
    ...{ name, data: rows.map((row) => row[name]) },
    ...(typeof rows[0]?.[name] === 'object' && { type: 'JSON' as const }),
  }));
  const table = new File([parquetWriteBuffer({ columnData })], 'c.parquet');
  expect((await importFile({ file: table, ...wanted }, () => {})).world?.content).toEqual(one?.world?.content);
});

it('a file of Python is reported row by row and gives no world', async () => {
  const report = await importFile({ file: fileOf(rowsOf(pythonRow, 12)), ...wanted }, () => {});
  expect(report).toMatchObject({ world: null, kept: 0, rows: 12 });
  expect(new Set(report.rejections.map(({ reason }) => reason))).toEqual(
    new Set(['programs in Python cannot be run here, so they cannot be judged; use JavaScript']),
  );
  expect(report.fault).toMatch(
    /expected at least 5 rows that can be used as questions, got 0 of 12; row 1: programs in Python cannot be run here/,
  );
  const programs = await importFile({ file: fileOf(rowsOf(javaScriptRow, 12)), ...wanted }, () => {});
  expect(programs).toMatchObject({ kept: 12, rejections: [] });
});
