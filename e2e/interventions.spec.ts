// A visitor experiments with the team while it trains: asks a problem, changes a turn, and plays a role.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { cut, downloaded, faultsInBothThemes, isWide } from './visitor.ts';

const team = '/?preset=default&backend=cpu&seed=3&evaluation.problems=16&learning.problemsPerIteration=4';
const sheet = (page: Page) => page.getByRole('dialog', { name: 'Try it yourself' });
const turnOnShow = async (page: Page) =>
  Number(/^turn (\d+)/.exec(await page.locator('th.toned').first().innerText())?.[1]);
const slowly = { interval: 1000, timeout: 30_000 };
const compared = (page: Page) => sheet(page).getByRole('table', { name: 'Both dialogues compared' });

test('a visitor asks a sum, and the answers of the warm start and of the current team are shown together', async ({
  open,
}) => {
  const page = await open(team);
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Ask your own problem' }).click();
  await compared(page).waitFor();
  const sum = sheet(page).getByRole('textbox', { name: 'Sum' });
  await sum.fill('12+3');
  await page.keyboard.press('Enter');
  await sheet(page).getByText('the sum: level 1 allows only numbers from 0 to 9, got 12.').waitFor();
  await sum.fill('2 + 3 × 4');
  await sheet(page).getByRole('combobox', { name: 'Rule' }).selectOption({ label: 'left to right' });
  await sheet(page).getByRole('button', { name: 'Ask' }).click();
  await sheet(page).getByText('2 + 3 × 4').waitFor();
  await compared(page).getByText('answer: 0').waitFor(); // (2 + 3) × 4 = 20
  await expect.poll(() => sheet(page).getByRole('heading', { name: 'At the start' }).count()).toBe(2);
  // The visitor plays a role.
  const reasoner = sheet(page).getByRole('combobox', { name: 'Reasoner' }).last();
  await reasoner.selectOption('you');
  const says = sheet(page).getByRole('textbox', { name: 'Message of Reasoner' });
  await says.fill('5*4');
  await page.keyboard.press('Enter');
  await sheet(page).getByText('2 · Reasoner').last().waitFor();
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
});

/** Presses Tab until `target` has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const hasFocus = () => target.evaluate((element) => element === document.activeElement);
  for (let i = 0; i < 60 && !(await hasFocus()); i++) await page.keyboard.press('Tab');
  expect(await hasFocus()).toBe(true);
}

/** Replaces the text of the focused field and presses Enter. */
async function retype(page: Page, text: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

test('by keyboard alone, a clipped token is found, a plan is edited, and both dialogues are compared and kept', async ({
  open,
}) => {
  // The page holds a dialogue only during training, so the run must last longer than the search for a clipped token.
  const page = await open(`${team}&iterations=1000&run.checkpointEvery=1&learning.clipLow=0.02&learning.clipHigh=0.02`);
  await step(page, 1, 2);
  await page.keyboard.press(' ');
  await untilState(page, ['training']);
  const card = page.getByRole('region', { name: /^How .* enters the loss/ });
  // If an iteration has no clipped token, the key is pressed again later.
  await expect
    .poll(async () => {
      await page.keyboard.press('c');
      return card.count();
    }, slowly)
    .toBe(1);
  await expect
    .poll(() =>
      page
        .getByRole('row')
        .filter({ has: page.locator(':focus') })
        .innerText(),
    )
    .toContain('clipped');
  await expect.poll(() => card.innerText()).toMatch(/L₂/);
  await page.getByRole('button', { name: /^showing iteration \d+/ }).waitFor();
  while ((await turnOnShow(page)) > 1) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('e');
  const says = sheet(page).getByRole('textbox', { name: 'Text of turn 1' });
  await says.waitFor();
  const said = await says.inputValue();
  await retype(page, '9+9+9+9');
  await sheet(page)
    .getByText(/^turn 1: this turn has 8 tokens including the end token, but a turn of this agent can have at most 4/)
    .waitFor();
  await retype(page, '%');
  await sheet(page).getByText('turn 1: “%” is not in the vocabulary of this agent').waitFor();
  await retype(page, said === '9*9' ? '8*8' : '9*9');
  await sheet(page).getByText('turn 1 edited').waitFor();
  await expect.poll(() => sheet(page).getByText('differs').count()).toBeGreaterThanOrEqual(2);
  await compared(page)
    .getByRole('row', { name: /^Reward/ })
    .waitFor();
  await tabTo(page, sheet(page).getByText('What if the reward were weighted differently?'));
  await page.keyboard.press('Enter');
  await tabTo(page, sheet(page).getByRole('spinbutton', { name: 'Legal plan' }));
  await retype(page, '1');
  const group = sheet(page).getByRole('table', { name: 'The group with both weightings' });
  await group.waitFor();
  await expect.poll(() => group.locator('tbody tr').count()).toBe(8);
  await expect
    .poll(() =>
      sheet(page)
        .getByText(/^The update of this group would point|^One of the two updates/)
        .count(),
    )
    .toBe(1);
  const name = sheet(page).getByRole('textbox', { name: 'Name' });
  await expect.poll(() => name.inputValue()).toBe('turn 1 edited');
  await tabTo(page, name);
  await retype(page, 'another plan');
  const save = sheet(page).getByRole('button', { name: 'Save another plan as JSON lines' });
  await save.waitFor();
  await tabTo(page, save);
  const { name: file, text } = await downloaded(page, () => page.keyboard.press('Enter'));
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
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await cut(page, ['dialog .content', 'dialog section'])).toEqual([]);
});
