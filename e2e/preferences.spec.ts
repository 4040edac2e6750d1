// The page exports preference pairs in the columns that DPO trainers read, and imports such pairs.
import { expect } from 'vitest';
import { readPreferences } from '../src/formats/preferences.ts';
import { test } from './browser.ts';
import { resume, step } from './contract.ts';
import { download, fileOf } from './visitor.ts';

test('preference pairs of the stored dialogues can be exported', async ({ open }) => {
  const page = await open('/?preset=default&backend=cpu&learning.problemsPerIteration=8&evaluation.problems=16');
  await step(page, 1);
  const { name, text } = await download(page, 'Preference pairs');
  expect(name).toMatch(/-pairs\.jsonl$/);
  const pairs = readPreferences(text);
  expect(pairs.length).toBeGreaterThan(0);
  for (const { prompt, chosen, rejected } of pairs) {
    expect(prompt).toMatch(/^<bos>.*<eot>$/);
    expect(chosen).not.toBe(rejected);
  }
});

test('if each problem has only one rollout, the page says why there are no pairs', async ({ open }) => {
  const page = await open('/?backend=cpu&learning.problemsPerIteration=8&evaluation.problems=16');
  await step(page, 1);
  await page.getByRole('button', { name: 'Preference pairs', exact: true }).click();
  await page.getByText('There are no pairs yet: each problem has only one rollout, but a pair compares two.').waitFor();
  await page.getByText(/^weights .* each, trajectories about .*\.$/i).waitFor();
  await expect.poll(() => page.getByText(/preference pairs about/).count()).toBe(0);
});

test('if a verifier is trained, pairs can also be chosen by its scores', async ({ open }) => {
  const few = 'learning.problemsPerIteration=8&evaluation.problems=16';
  const page = await open(
    `/?preset=default&backend=cpu&agents.protocol=single&verifier.isTrained=true&verifier.steps=2&${few}`,
  );
  const byVerifier = page.getByRole('button', { name: 'Pairs by the verifier' });
  for (const iteration of [1, 2]) {
    await step(page, iteration);
    if (iteration > 1) continue;
    // An untrained verifier gives all answers the same score.
    await byVerifier.click();
    await page
      .getByText('There are no pairs yet: the verifier gives the dialogues of each problem the same score')
      .waitFor();
  }
  const read = async (name: string) => {
    const file = await download(page, name);
    return { name: file.name, pairs: readPreferences(file.text) };
  };
  const [earned, believed] = [await read('Preference pairs'), await read('Pairs by the verifier')];
  expect(believed.name).toMatch(/-pairs-by-verifier\.jsonl$/);
  expect(believed.pairs.length).toBeGreaterThan(0);
  expect(believed.pairs).not.toEqual(earned.pairs);
});

test('a run learns from the pairs of an imported file, also after a reload, and a bad file changes nothing', async ({
  open,
}) => {
  const link =
    '/?preset=default&backend=cpu&learning.learner=dpo&learning.pairsFrom=imported&learning.problemsPerIteration=4&evaluation.problems=16';
  const page = await open(link);
  await page.keyboard.press('s');
  await page.getByText('no pairs have been imported').waitFor();
  const side = (plan: string) => `<meta>${plan}<eot>`;
  const pair = { prompt: '<bos><rightToLeft>7+4*2<eot>', chosen: side('4*2'), rejected: side('7+4') };
  const input = page.getByLabel(/Import/);
  await input.setInputFiles(fileOf('pairs.jsonl', '{"prompt":"p"}'));
  await page.getByText(/line 1: chosen/).waitFor();
  await input.setInputFiles(fileOf('pairs.jsonl', `${JSON.stringify(pair)}\n`));
  await page.getByText('1 pair to learn from.').waitFor();
  await step(page, 1);
  await page.reload();
  await resume(page);
  await page.getByText('1 pair to learn from.').waitFor();
});
