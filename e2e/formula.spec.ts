// The formula card of the inspector opens for a token by pointer or key, shows the token's numbers, and is accessible.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test, type OpenPage } from './browser.ts';
import { step } from './contract.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const link = '/?preset=micro&backend=cpu&iterations=5000&learning.groupSize=4&agents.maskUnfinished=false';

/** Opens a page with a run that is paused after one iteration. */
async function pausedPage(open: OpenPage, contextOptions = {}, address = link): Promise<Page> {
  const page = await open(address, { contextOptions });
  await step(page, 1);
  return page;
}

const tokenButtons = (page: Page) => page.getByRole('button', { name: /, formula$/ });
const card = (page: Page) => page.getByRole('region', { name: /^How .* enters the loss/ });

test('a token opens its formula by key, with its own numbers, and closes it again', async ({ open }) => {
  // With the shipped weights, the dialogues of a group get different rewards.
  const page = await pausedPage(
    open,
    {},
    '/?preset=default&backend=cpu&learning.problemsPerIteration=4&evaluation.problems=16',
  );
  await expect.poll(() => card(page).count()).toBe(0);
  const first = tokenButtons(page).first();
  await first.focus();
  await page.keyboard.press('Enter');
  await card(page).waitFor();
  await expect.poll(() => first.getAttribute('aria-expanded')).toBe('true');

  // The loss is the larger of the two sides, or less if the dual clip bounds it.
  const number = async (line: RegExp) => {
    const text = await card(page).getByRole('math', { name: line }).locator('b').innerText();
    return Number(text.replace('=', '').replace('−', '-').trim());
  };
  const [unclipped, clipped, loss] = [
    await number(/^unclipped loss =/),
    await number(/^clipped loss =/),
    await number(/^loss of the token =/),
  ];
  for (const value of [unclipped, clipped, loss]) expect(Number.isFinite(value)).toBe(true);
  expect(loss).toBeLessThanOrEqual(Math.max(unclipped, clipped));
  const shown = await card(page)
    .getByRole('math', { name: /^advantage = / })
    .locator('b')
    .innerText();
  const columns = await page.getByRole('columnheader').allInnerTexts();
  const cells = await page.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
  const cell = cells[columns.indexOf('A') - 1] ?? '';
  expect(Math.abs(Number(cell.replace('−', '-')))).toBeGreaterThan(0.1);
  expect(Number(shown.replace('= ', '').replace('−', '-'))).toBeCloseTo(Number(cell.replace('−', '-')), 1);

  await first.press('Enter');
  await expect.poll(() => card(page).count()).toBe(0);
  await tokenButtons(page).last().click();
  await card(page).getByRole('button', { name: 'Close the formula' }).click();
  await expect.poll(() => card(page).count()).toBe(0);
});

test('a term of the formula opens its explanation from the glossary', async ({ open }) => {
  const page = await pausedPage(open);
  await tokenButtons(page).first().click();
  await card(page)
    .getByRole('button', { name: /mean of the group/ })
    .click();
  await expect.poll(() => page.locator('[popover]:popover-open').innerText()).toMatch(/Group: .*GRPO 2402\.03300/);
});

test('axe finds nothing serious in the formula in either theme, wide and narrow', async ({ open }) => {
  const page = await pausedPage(open);
  await tokenButtons(page).first().click();
  await card(page).waitFor();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 850 });
    if (width < 900) await page.getByRole('navigation').getByRole('button', { name: 'Dialogue' }).click();
    await card(page).waitFor();
    expect(await faultsInBothThemes(page)).toEqual([]);
    await expect.poll(() => isWide(page)).toBe(false);
    const folder = process.env['FORMULA_PICTURES'];
    if (folder) await page.screenshot({ path: `${folder}/formula-${String(width)}.png` });
  }
});
