// What a visitor tries with the team while it trains: a problem of their own, a turn changed, a role played.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { cut, download, faultsInBothThemes, isWide } from './visitor.ts';

const team = '/?preset=default&backend=cpu&seed=3&evaluation.problems=16&learning.problemsPerIteration=4';
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Try it yourself' });
const compared = (page: Page) => sheet(page).getByRole('table', { name: 'Both dialogues compared' });

test('a stranger asks a sum of their own, of the warm start and of the team now', async ({ open }) => {
  const page = await open(team);
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Ask your own problem' }).click();
  await compared(page).waitFor();
  const sum = sheet(page).getByRole('textbox', { name: 'Sum' });
  await sum.fill('12+3');
  await page.keyboard.press('Enter');
  await sheet(page).getByText('the sum: level 1 takes numbers from 0 to 9, got 12.').waitFor();
  await sum.fill('2 + 3 × 4');
  await sheet(page).getByRole('combobox', { name: 'Rule' }).selectOption({ label: 'left to right' });
  await sheet(page).getByRole('button', { name: 'Ask' }).click();
  await sheet(page).getByText('2 + 3 × 4').waitFor();
  await compared(page).getByText('right: 0').waitFor(); // (2 + 3) × 4 = 20
  expect(await sheet(page).getByRole('heading', { name: 'At the warm start' }).count()).toBe(2);
  // A role is played by hand.
  const reasoner = sheet(page).getByRole('combobox', { name: 'Reasoning' }).last();
  await reasoner.selectOption('you');
  const says = sheet(page).getByRole('textbox', { name: 'What Reasoning says' });
  await says.fill('5*4');
  await page.keyboard.press('Enter');
  await sheet(page).getByText('2 · Reasoning').last().waitFor();
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
});

test('by keyboard: a plan is edited while the team trains, the other goes on from it, and rewards are compared', async ({
  open,
}) => {
  const page = await open(`${team}&run.checkpointEvery=1`);
  await step(page, 1, 2);
  await page.keyboard.press(' ');
  await untilState(page, ['training']);
  await page.keyboard.press('e');
  const says = sheet(page).getByRole('textbox', { name: 'What turn 1 says' });
  const said = await says.inputValue();
  await says.fill('9+9+9+9');
  await page.keyboard.press('Enter');
  await sheet(page)
    .getByText(/^turn 1: it takes 8 tokens with its end, and a turn of this agent holds 4/)
    .waitFor();
  await says.fill('%');
  await page.keyboard.press('Enter');
  await sheet(page).getByText('turn 1: “%” is not among the words and signs of this agent').waitFor();
  await says.fill(said === '9*9' ? '8*8' : '9*9');
  await page.keyboard.press('Enter');
  await sheet(page).getByText('turn 1 edited').waitFor();
  expect(await sheet(page).getByText('differs').count()).toBeGreaterThanOrEqual(2);
  await compared(page)
    .getByRole('row', { name: /^Reward/ })
    .waitFor();
  await sheet(page).getByText('What if the reward weighed its parts otherwise?').press('Enter');
  await sheet(page).getByRole('spinbutton', { name: 'Legal plan' }).fill('1');
  await page.keyboard.press('Enter');
  const group = sheet(page).getByRole('table', { name: 'The group under both weights' });
  await group.waitFor();
  expect(await group.locator('tbody tr').count()).toBe(8);
  expect(
    await sheet(page)
      .getByText(/^The update of this group would point|^One of the two updates/)
      .count(),
  ).toBe(1);
  const name = sheet(page).getByRole('textbox', { name: 'Name' });
  expect(await name.inputValue()).toBe('turn 1 edited');
  await name.fill('another plan');
  await page.keyboard.press('Enter');
  const { name: file, text } = await download(sheet(page), 'Save another plan as JSON lines');
  expect(file).toBe('another-plan.jsonl');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { messages: { content: string }[]; tried: object });
  expect(lines.map(({ tried }) => tried)).toMatchObject([
    { side: 'left' },
    { side: 'right', changes: ['turn 1 edited'] },
  ]);
  expect(lines.map(({ messages }) => messages[2]?.content)).toEqual([said, said === '9*9' ? '8*8' : '9*9']);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await isWide(page)).toBe(false);
  expect(await cut(page, ['dialog .content', 'dialog section'])).toEqual([]);
});
