// Preference pairs leave the page in the columns that trainers of DPO read.
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { readPreferences } from '../src/formats/preferences.ts';
import { test } from './browser.ts';
import { untilIteration, untilState } from './contract.ts';

test('preference pairs of the stored dialogues can be taken away', async ({ visit }) => {
  const { page } = await visit('/?backend=cpu&learning.problemsPerIteration=8&evaluation.problems=16');
  await untilState(page, ['idle']);
  await page.keyboard.press('s');
  await untilIteration(page, 1);
  await untilState(page, ['paused']);
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Preference pairs' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/-pairs\.jsonl$/);
  const pairs = readPreferences(await readFile(await file.path(), 'utf8'));
  expect(pairs.length).toBeGreaterThan(0);
  for (const { prompt, chosen, rejected } of pairs) {
    expect(prompt).toMatch(/^<bos>.*<eot>$/);
    expect(chosen).not.toBe(rejected);
  }
});

test('where a verifier is trained pairs can also be taken by what it thinks', async ({ visit }) => {
  const few = 'learning.problemsPerIteration=8&evaluation.problems=16';
  const { page } = await visit(`/?backend=cpu&agents.protocol=single&verifier.isTrained=true&verifier.steps=2&${few}`);
  await untilState(page, ['idle']);
  const byVerifier = page.getByRole('button', { name: 'Pairs by the verifier' });
  for (const iteration of [1, 2]) {
    await page.keyboard.press('s');
    await untilIteration(page, iteration);
    await untilState(page, ['paused']);
    if (iteration > 1) continue;
    // Untrained it thinks the same of all answers.
    await byVerifier.click();
    await page.getByText('There are no pairs yet: the verifier scores the dialogues of each problem alike').waitFor();
  }
  const read = async (name: string) => {
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name }).click();
    const file = await coming;
    return { name: file.suggestedFilename(), pairs: readPreferences(await readFile(await file.path(), 'utf8')) };
  };
  const [earned, believed] = [await read('Preference pairs'), await read('Pairs by the verifier')];
  expect(believed.name).toMatch(/-pairs-by-verifier\.jsonl$/);
  expect(believed.pairs.length).toBeGreaterThan(0);
  expect(believed.pairs).not.toEqual(earned.pairs);
});

test('pairs from a file are what a run learns from, also after a reload, and a bad file changes nothing', async ({
  visit,
}) => {
  const link =
    '/?backend=cpu&learning.learner=dpo&learning.pairsFrom=imported&learning.problemsPerIteration=4&evaluation.problems=16';
  const { page } = await visit(link);
  await untilState(page, ['idle']);
  await page.keyboard.press('s');
  await page.getByText('no pairs have been imported').waitFor();
  const side = (plan: string) => `<meta>${plan}<eot>`;
  const pair = { prompt: '<bos><rightToLeft>7+4*2<eot>', chosen: side('4*2'), rejected: side('7+4') };
  const file = (text: string) => ({ name: 'pairs.jsonl', mimeType: 'application/jsonl', buffer: Buffer.from(text) });
  const input = page.getByLabel(/Import/);
  await input.setInputFiles(file('{"prompt":"p"}'));
  await page.getByText(/line 1: chosen/).waitFor();
  await input.setInputFiles(file(`${JSON.stringify(pair)}\n`));
  await page.getByText('1 pair to learn from.').waitFor();
  await page.keyboard.press('s');
  await untilIteration(page, 1);
  await untilState(page, ['paused']);
  await page.reload();
  await page.getByRole('button', { name: 'Open paused' }).first().click();
  await untilState(page, ['paused']);
  await page.getByText('1 pair to learn from.').waitFor();
});
