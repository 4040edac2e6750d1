// A visitor's file becomes a world: it is read and previewed, a run trains in it, and it still exists after a reload.
import Papa from 'papaparse';
import { expect } from 'vitest';
import { gsm8kRow, rowsOf } from '../src/formats/datasets/testing/rows.ts';
import { test } from './browser.ts';
import { resume, step, untilState } from './contract.ts';
import { download, faultsInBothThemes, fileOf } from './visitor.ts';

const few =
  'preset=default&backend=cpu&warmStart.source=train&warmStart.steps=2&learning.problemsPerIteration=4&learning.groupSize=2&evaluation.problems=16';

const linesOf = (rows: readonly unknown[]) =>
  fileOf('sums.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));

/** A table as a German spreadsheet writes it. */
const tableOf = (rows: object[]) => fileOf('sums.csv', `\uFEFF${Papa.unparse(rows, { delimiter: ';' })}\r\n`);

test('a file is imported, previewed and used for training; its rejected rows can be saved; the world is kept', async ({
  open,
}) => {
  const page = await open(`/?${few}`);
  await page.getByRole('button', { name: 'Import a file…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import a file' });
  const input = dialog.getByLabel(/Choose or drop/);
  await input.setInputFiles(linesOf([{ text: 'other columns' }]));
  await dialog.getByText(/expected rows in one of these formats: GSM8K/).waitFor();
  await input.setInputFiles(linesOf([...rowsOf(gsm8kRow, 60), { question: 'and this?', answer: 'no number' }]));
  await dialog.getByText('61 lines read: 60 problems, 1 rejected.').waitFor();
  await dialog.getByText('Mia has 1 shells and finds 1 bags of 1 more. How many shells does Mia have?').waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
  const rejected = await download(dialog, 'Save the rejected lines with reasons');
  expect(JSON.parse(rejected.text)).toMatchObject({
    row: 61,
    reason: 'answer: expected #### before the number, got none',
  });
  await dialog.getByLabel('Name').fill('Shell sums');
  await dialog.getByRole('button', { name: 'Keep and use' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const world = page.getByRole('combobox', { name: 'World', exact: true });
  await untilState(page, ['idle']);
  await expect.poll(() => world.locator('option:checked').textContent()).toBe('Shell sums');
  await step(page, 1, 2);
  await page.reload();
  await resume(page);
  await expect.poll(() => world.locator('option:checked').textContent()).toBe('Shell sums');
  await step(page, 3);
});

test('an untouched import of a spreadsheet’s table shows what is imitated, and soon the first attempts at its own problems', async ({
  open,
}) => {
  const page = await open('/?backend=cpu&view=lab');
  await page.getByRole('button', { name: 'Import a file…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import a file' });
  await dialog.getByLabel(/Choose or drop/).setInputFiles(tableOf(rowsOf(gsm8kRow, 50)));
  await dialog.getByLabel('Name').fill('Shell sums');
  await dialog.getByRole('button', { name: 'Keep and use' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await page.getByText(/^Attempt after \d+ steps of imitation$/).waitFor();
  await page
    .getByText(/How many shells does Mia have\?/)
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await untilState(page, ['idle']);
});
