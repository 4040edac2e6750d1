// The page measures the worth of messages by sampling continuations after them.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { cut, faultsInBothThemes, figureTold } from './visitor.ts';

test('the worth of the messages of a group is measured by keyboard, and the learners are ranked by it', async ({
  open,
}) => {
  const page = await open(
    '/?preset=default&backend=cpu&seed=11&iterations=2&learning.problemsPerIteration=8&evaluation.problems=16',
  );
  await step(page, 1);
  const summary = page.getByText('What were these messages worth?');
  await summary.focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Continuations').selectOption('16');
  await page.getByRole('button', { name: 'Measure', exact: true }).focus();
  await page.keyboard.press('Enter');
  const table = page.getByRole('table', { name: 'Messages of this dialogue' });
  await table.waitFor();
  const rows = await table.locator('tbody tr').allInnerTexts();
  expect(rows.length).toBeGreaterThanOrEqual(2);
  for (const row of rows) expect(row).toMatch(/[+−]?\d\.\d\d ± \d\.\d\d/);
  const figure = await figureTold(page, 'What were these messages worth?');
  expect(figure.columns).toEqual(['message', 'worth', 'low', 'high', 'paid']);
  expect(figure.rows.map(([, worth]) => Number(worth).toFixed(2).replace('-0.00', '0.00'))).toEqual(
    rows.map((row) => /[+−]?\d\.\d\d(?= ±)/.exec(row)?.[0]?.replace('+', '').replace('−', '-')),
  );
  const ranked = page.locator('.learners li');
  expect((await ranked.allInnerTexts()).map((text) => text.split('\n')[0])).toContain('GRPO');
  await page
    .getByText(/^These learners are left out, because they need a critic that this run does not have: .*PPO/)
    .waitFor();
  expect(await cut(page, ['.panel details'])).toEqual([]);
  expect(await faultsInBothThemes(page, '.panel')).toEqual([]);
});

test('after training, the planner’s messages tell the rule, and the codebook shows how much they tell', async ({
  open,
}) => {
  const page = await open(
    '/?backend=cpu&seed=11&iterations=40&learning.problemsPerIteration=16&evaluation.problems=16',
  );
  await page.getByRole('button', { name: 'Train' }).click();
  await untilState(page, ['done']);
  await page.getByText('What do they say?').click();
  await page.getByRole('button', { name: 'Read the codebook' }).click();
  const table = page.getByRole('table', { name: 'First messages by hidden part' });
  await table.waitFor();
  expect((await table.locator('thead th').allInnerTexts()).slice(1).sort()).toEqual([
    'left to right',
    'multiplication first',
    'right to left',
  ]);
  const figure = await figureTold(page, 'First messages by hidden part');
  const shares = figure.rows.flatMap(([, , share]) => (share === 0 ? [] : [`${(100 * Number(share)).toFixed(0)} %`]));
  expect(shares).toEqual((await table.locator('td').allInnerTexts()).filter((text) => text !== '·'));
  const said = await page.locator('p', { hasText: /can be due to chance/ }).innerText();
  expect(said).toContain('of at most 1.58');
  const [bits, , chance] = [...said.matchAll(/\d+\.\d+/g)].map(([number]) => Number(number)) as [
    number,
    number,
    number,
  ];
  expect(bits).toBeGreaterThan(chance);
  // All checkpoints are read, from the warm start on, where the first message says less about the rule.
  await page.getByRole('button', { name: 'Through all checkpoints' }).click();
  const slider = page.getByRole('slider', { name: 'Checkpoint for the table' });
  await page.getByText(/checkpoints read/).waitFor({ state: 'detached' });
  expect(Number(await slider.getAttribute('max'))).toBeGreaterThanOrEqual(2);
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toBe('iteration 40');
  const inTime = page.locator('p', { hasText: /can be due to chance/ }).last();
  await expect.poll(() => inTime.innerText()).toBe(said); // the same draws, the same weights
  await slider.focus();
  await page.keyboard.press('Home');
  await page.getByText('iteration 0', { exact: true }).waitFor();
  expect(Number(/\d+\.\d+/.exec(await inTime.innerText())?.[0])).toBeLessThan(bits);
  expect(await cut(page, ['.panel details'])).toEqual([]);
  expect(await faultsInBothThemes(page, '.panel')).toEqual([]);
});
