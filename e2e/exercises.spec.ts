// The visitor writes a learner's formula on the page: with a known mistake, then with an endless loop, then right.
// A run with this formula is compared with a run with the learner's own formula. The exercise exists in both languages.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const body = (formula: string) =>
  `// cothink exercise: leaveOneOut\nfunction advantages(rewards) {\n  const total = rewards.reduce((a, b) => a + b, 0);\n  return rewards.map((reward) => ${formula});\n}\n`;

test('the page explains a mistake in a written formula, stops an endless loop, and accepts the right formula', async ({
  visit,
}) => {
  const { page } = await visit(
    '/?preset=micro&backend=cpu&seed=1&lang=en&iterations=1&evaluation.problems=16&reward.finished=1&houseRule.rewrite=0.5&autostart=1',
  );
  await untilState(page, ['done']);
  await page.getByRole('button', { name: 'Lessons' }).click();
  const sheet = page.getByRole('dialog', { name: /^(Lessons|Lektionen)$/ });
  await sheet.getByRole('button', { name: 'Leave one out' }).click();
  const editor = sheet.getByRole('textbox', { name: 'Your function' });
  const said = sheet.getByRole('status');
  const check = async (text: string) => {
    await editor.click();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.insertText(text);
    await sheet.getByRole('button', { name: 'Check', exact: true }).click();
  };
  await check(body('reward - total / rewards.length'));
  await said.getByText('Number 1 is off by -0.167.').waitFor();
  await said.getByText('Your mean also includes the try’s own reward. Leave it out.').waitFor();
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  await expect.poll(() => isWide(page)).toBe(false);
  await check(body('{ for (;;); }'));
  await said.getByText('Your function did not end. Does it contain an endless loop?').waitFor();
  await check(body('reward - (total - reward) / (rewards.length - 1)'));
  await said.getByText('Right. Your function gives the same numbers as the function used in training.').waitFor();
  await sheet.getByText('Both arms also use these settings: RLOO learner.').waitFor();
  await sheet.getByRole('spinbutton', { name: 'Iterations' }).fill('2');
  const beside = sheet.getByRole('button', { name: 'Compare with the reference' });
  await beside.click();
  await sheet.getByText('Both arms gave exactly the same measurements, to the last bit.').waitFor({ timeout: 120_000 });
  await check(body('reward + 1'));
  await said.getByText('is off by').waitFor();
  await beside.click();
  await sheet.getByText('The arms differ from iteration 2 on.').waitFor({ timeout: 120_000 });
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  await expect.poll(() => isWide(page)).toBe(false);
  await sheet.getByRole('button', { name: 'All lessons' }).click();
  await sheet.getByRole('combobox').selectOption({ label: 'Deutsch' });
  await sheet.getByRole('button', { name: 'Einen weglassen' }).click();
  await sheet.getByText('Von Hand gerechnet').waitFor();
});
