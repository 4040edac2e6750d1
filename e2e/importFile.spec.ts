// A visitor's file becomes a world through the page: read, looked at, trained in, and there again after a reload.
import { AxeBuilder } from '@axe-core/playwright';
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { gsm8kRow, rowsOf } from '../src/formats/datasets/testing/rows.ts';
import { test } from './browser.ts';
import { untilIteration, untilState } from './contract.ts';

const few =
  'backend=cpu&warmStart.source=train&warmStart.steps=2&learning.problemsPerIteration=4&learning.groupSize=2&evaluation.problems=16';

const fileOf = (rows: readonly unknown[]) => ({
  ...{ name: 'sums.jsonl', mimeType: 'application/jsonl' },
  buffer: Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join('')),
});

test('a file is imported, previewed and trained in, its rejected rows can be saved, and the world stays', async ({
  visit,
}) => {
  const { page } = await visit(`/?${few}`);
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Import a file…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Import a file' });
  const input = dialog.getByLabel(/Choose or drop/);
  await input.setInputFiles(fileOf([{ text: 'other columns' }]));
  await dialog.getByText(/expected rows of one of these shapes: GSM8K/).waitFor();
  await input.setInputFiles(fileOf([...rowsOf(gsm8kRow, 60), { question: 'and this?', answer: 'no number' }]));
  await dialog.getByText('61 lines read: 60 problems, 1 rejected.').waitFor();
  await dialog.getByText('Mia has 1 shells and finds 1 bags of 1 more. How many shells does Mia have?').waitFor();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { violations } = await new AxeBuilder({ page }).include('dialog[open]').analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join()}`)).toEqual([]);
  }
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    dialog.getByRole('button', { name: 'Save the rejected lines with reasons' }).click(),
  ]);
  expect(JSON.parse(await readFile(await file.path(), 'utf8'))).toMatchObject({
    row: 61,
    reason: 'answer: expected #### before the number, got none',
  });
  await dialog.getByLabel('Name').fill('Shell sums');
  await dialog.getByRole('button', { name: 'Keep and use' }).click();
  await dialog.waitFor({ state: 'hidden' });
  const world = page.getByRole('combobox', { name: 'World', exact: true });
  await untilState(page, ['idle']);
  expect(await world.locator('option:checked').textContent()).toBe('Shell sums');
  for (const iteration of [1, 2]) {
    await page.keyboard.press('s');
    await untilIteration(page, iteration);
    await untilState(page, ['paused']);
  }
  await page.reload();
  await page.getByRole('button', { name: 'Open paused' }).first().click();
  await untilState(page, ['paused']);
  expect(await world.locator('option:checked').textContent()).toBe('Shell sums');
  await page.keyboard.press('s');
  await untilIteration(page, 3);
});
