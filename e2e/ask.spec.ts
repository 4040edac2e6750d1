// The visitor types a problem for the team: a claim with the premises of both halves, or a function with examples.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

test('the visitor types a claim with premises for each half, and an unusable premise is refused with a reason', async ({
  open,
}) => {
  const page = await open(
    '/?preset=entailment&backend=cpu&seed=1&evaluation.problems=16&learning.problemsPerIteration=4',
  );
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Ask your own problem' }).click();
  const sheet = page.getByRole('dialog', { name: 'Try it yourself' });
  const compared = sheet.getByRole('table', { name: 'Both dialogues compared' });
  await compared.waitFor();
  await sheet.getByRole('textbox', { name: 'Claim' }).fill('Tom is brave');
  await sheet.getByRole('textbox', { name: 'first half' }).fill('Tom is a pilot');
  await sheet.getByRole('textbox', { name: 'second half' }).fill('No pilot flies');
  await page.keyboard.press('Enter');
  await sheet
    .getByText(/^the premises: expected a sentence such as “Ann is a baker.*got “No pilot flies”\.$/)
    .waitFor();
  await sheet.getByRole('textbox', { name: 'second half' }).fill('No pilot is brave');
  await page.keyboard.press('Enter');
  await compared.getByText('answer: contradicted').waitFor();
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
});

test('the visitor types a function by its description and examples, and the sandbox runs it', async ({ open }) => {
  const page = await open('/?backend=cpu&seed=1&world.name=code&warmStart.steps=5&evaluation.problems=16');
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Ask your own problem' }).click();
  const sheet = page.getByRole('dialog', { name: 'Try it yourself' });
  const compared = sheet.getByRole('table', { name: 'Both dialogues compared' });
  await compared.waitFor();
  await expect.poll(() => sheet.getByRole('textbox', { name: 'f(xs)' }).count()).toBe(0);
  await sheet.getByRole('textbox', { name: 'description' }).fill('Keep the even ones.');
  await sheet.getByRole('textbox', { name: 'examples' }).fill('[4,2,7]=[4,2];[1,6,8]=[8]');
  await page.keyboard.press('Enter');
  await sheet
    .getByText('the examples: no function that fits the description gives both results; change one of the results.')
    .waitFor();
  await sheet.getByRole('textbox', { name: 'examples' }).fill('[4,2,7]=[4,2];[1,6,8]=[6,8]');
  await page.keyboard.press('Enter');
  await compared.getByText('answer: xs.filter(x => x % 2 === 0)').waitFor();
});
