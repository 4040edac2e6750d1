// Two stored runs are compared while a run is open: their curves are drawn together, and a table shows the difference.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { faultsInBothThemes, figureTold, isWide } from './visitor.ts';

const micro = '/?preset=micro&backend=cpu&evaluation.problems=32&evaluation.every=1';

test('two runs are chosen in the library and compared, with the settings that differ', async ({ open }) => {
  const page = await open(micro);
  await step(page, 1, 2);
  await page.goto(`${page.url().split('?')[0]}${micro.slice(1)}&kl.coef=0.2`);
  await untilState(page, ['idle']);
  await step(page, 1);
  // If no runs are chosen, the comparison links to the library.
  await page.getByRole('button', { name: 'Experiments' }).click();
  await page.getByRole('tab', { name: 'Compare runs' }).click();
  await page.getByRole('button', { name: 'To the library' }).click();
  const library = page.getByRole('dialog', { name: 'Library of runs' });
  const choices = library.getByRole('button', { name: /^Compare .*-/ });
  // Until the library has read the store again, it shows the list that it read before.
  await choices.nth(1).waitFor();
  for (const button of await choices.all()) await button.click();
  await library.getByRole('button', { name: 'Compare them' }).click();
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByText('After iteration 1, which all runs have reached').waitFor();
  const [differences, settings] = await dialog.getByRole('table').all();
  await expect.poll(() => differences?.locator('tbody tr').count()).toBe(2);
  await expect.poll(() => differences?.innerText()).toContain('paired by problem, 32 problems');
  await expect.poll(() => settings?.locator('tbody th').allInnerTexts()).toEqual(['KL weight']);
  await dialog.getByRole('img', { name: /^Right answers: KL weight 0.2/ }).waitFor();
  const { columns, rows, runs } = await figureTold(dialog, 'Right answers');
  expect(columns).toEqual([
    'iteration',
    'KL weight 0.2',
    'KL weight 0.2 low',
    'KL weight 0.2 high',
    'KL weight 0.002',
    'KL weight 0.002 low',
    'KL weight 0.002 high',
  ]);
  expect(rows.map(([iteration]) => iteration)).toEqual([0, 1, 2]);
  expect(rows[2]?.map((cell) => cell === null)).toEqual([false, true, true, true, false, false, false]);
  expect(runs.map(({ runFile }) => runFile.includes('coef: 0.2'))).toEqual([true, false]);
  await dialog.getByRole('button', { name: /more metrics$/ }).click();
  await dialog.getByText('by sampled tokens').click();
  await dialog.getByText(/^After [\d,]+ sampled tokens/).waitFor();
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  // The choice is still open behind it.
  expect(await page.evaluate(() => document.documentElement.dataset['runState'])).toBe('paused');
});
