// Agents from checkpoints of two runs talk to each other, and the page says whether they share a language.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { faultsInBothThemes, figureTold, isWide } from './visitor.ts';

/** The runs start from the shipped warm start, so that the agents of each team understand each other. */
const small = '/?preset=default&backend=cpu&learning.problemsPerIteration=4&evaluation.problems=64';

test('the accuracy of agents from two runs with each other is measured by keyboard', async ({ open }) => {
  const page = await open(`${small}&seed=1`);
  await step(page, 1);
  await page.goto(`${page.url().split('?')[0]}${small.slice(1)}&seed=2`);
  await untilState(page, ['idle']);
  await step(page, 1);
  await page.getByRole('button', { name: 'Experiments' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByRole('tab', { name: 'Cross-play' }).click();
  const list = dialog.getByRole('combobox', { name: 'Checkpoint' });
  await list.locator('optgroup').nth(1).waitFor({ state: 'attached' });
  await expect.poll(() => list.locator('optgroup').count()).toBe(2);
  await dialog.getByRole('button', { name: 'Add', exact: true }).press('Enter');
  await dialog.getByText('At least two').waitFor();
  await dialog.getByRole('button', { name: 'Add the newest checkpoints' }).press('Enter');
  await dialog.getByRole('button', { name: 'Measure 2 × 2 pairs' }).press('Enter');
  const said = dialog.getByText(/The accuracy is .* for agents that trained together/);
  await said.waitFor({ timeout: 60_000 });
  const table = dialog.getByRole('table', { name: 'Right answers by speaker and listener' });
  const cells = (await table.locator('tbody td').allInnerTexts()).map(Number);
  expect(cells).toHaveLength(4);
  const words = await said.innerText();
  const [together, strangers] = (
    /is (\d\.\d\d) for agents that trained together, (\d\.\d\d) for agents from/.exec(words) ?? []
  )
    .slice(1)
    .map(Number) as [number, number];
  // Both runs started from the same weights and are below the ceiling, so the page claims no language.
  expect(words).toMatch(
    /^(The results are too close|Agents from different runs do as well as agents that trained together\. But this does not show)/,
  );
  const at = (i: number) => cells[i] as number;
  expect(together).toBeCloseTo((at(0) + at(3)) / 2, 1);
  expect(strangers).toBeCloseTo((at(1) + at(2)) / 2, 1);
  await expect.poll(() => table.locator('td.own').count()).toBe(2);
  const { columns, rows, runs } = await figureTold(dialog, 'Right answers by speaker and listener');
  expect(columns).toEqual(['says', 'hears', 'share right', 'low', 'high', 'problems']);
  expect(rows.map(([says, hears, right]) => [String(says)[0], hears, Number(Number(right).toFixed(2))])).toEqual(
    cells.map((cell, i) => [i < 2 ? '1' : '2', i % 2 ? '2' : '1', cell]),
  );
  expect(runs).toHaveLength(2);
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  // The measurement is valid only for these checkpoints, so leaving one out clears it.
  await dialog
    .getByRole('button', { name: /^Leave out / })
    .first()
    .press('Enter');
  await expect.poll(() => said.count()).toBe(0);
});
