// A verifier is trained in the tab. Its card shows how reliable it is, in both themes and after a reload, and the form
// and the link contain its settings.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { IterationMetrics } from '../src/records/metrics.ts';
import { test } from './browser.ts';
import { resume, step } from './contract.ts';
import { readStore } from './database.ts';
import { faultsInBothThemes, figureTold } from './visitor.ts';

const link =
  '/?preset=default&backend=cpu&agents.protocol=single&verifier.isTrained=true&verifier.steps=2&evaluation.problems=16&learning.problemsPerIteration=8&iterations=50';

const cardOf = (page: Page) =>
  page.locator('section.card', { has: page.getByRole('button', { name: 'Verifier', exact: true }) });
const countsOf = async (page: Page) => (await cardOf(page).locator('.counts text').allTextContents()).map(Number);
const total = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

test('a verifier is shown with its reliability, also after a reload, and is readable in both themes', async ({
  open,
}) => {
  const page = await open(link);
  await expect.poll(() => cardOf(page).count()).toBe(0);
  await step(page, 1, 2);
  const card = cardOf(page);
  await card.waitFor();
  await expect.poll(() => card.innerText()).toMatch(/A right answer scores above a wrong one \d+ times out of 100/);
  await expect.poll(() => card.innerText()).toMatch(/AUC 0\.\d\d/);
  const second = (await readStore<IterationMetrics>(page, 'metrics')).find(({ iteration }) => iteration === 2);
  const counts = (second?.reliability?.bins ?? []).flatMap(({ count }) => (count > 0 ? [count] : []));
  expect(total(counts)).toBe(64); // every answer of 8 groups of 8 dialogues
  await expect.poll(() => countsOf(page), { timeout: 10_000 }).toEqual(counts); // charts are drawn a few times a second
  await expect
    .poll(() => card.getByRole('img').getAttribute('aria-label'))
    .toMatch(/^Share of right answers by score\. scores \d/);
  const { columns, rows } = await figureTold(card, 'Verifier, at 2');
  expect(rows.flatMap((row) => row[columns.indexOf('answers')] || [])).toEqual(counts);
  expect(await faultsInBothThemes(page, 'section.card')).toEqual([]);
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Weights · verifier' }).click(),
  ]);
  expect(zip.suggestedFilename()).toMatch(/-verifier\.zip$/);
  await page.reload();
  await resume(page);
  await cardOf(page).waitFor();
  await expect.poll(() => countsOf(page), { timeout: 10_000 }).toEqual(counts);
});

test('the form has the settings of a verifier, and using an untrained verifier is refused with a remedy', async ({
  open,
  visit,
}) => {
  const page = await open('/?backend=cpu&preset=micro');
  const section = page.getByRole('region', { name: 'Verifier' });
  await section.getByRole('button', { name: /^Verifier, advanced/ }).click();
  await expect.poll(() => section.getByRole('checkbox', { name: 'Train a verifier' }).count()).toBe(1);
  const { page: refused } = await visit('/?backend=cpu&preset=micro&verifier.decides=true');
  const notice = refused.getByRole('alert').filter({ hasText: 'verifier.decides = true in the link was ignored' });
  await notice.getByRole('button', { name: /^Set / }).waitFor();
  await expect.poll(() => notice.innerText()).toContain('there is no verifier that could choose the answer');
});
