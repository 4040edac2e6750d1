// A run whose turns have several candidates: the candidates that were not continued are listed next to the rollouts,
// show their own texts and numbers, and still exist after a reload.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { GroupInspection } from '../src/records/inspection.ts';
import { typeset } from '../src/ui/worlds/worldLook.ts';
import { test } from './browser.ts';
import { resume, step } from './contract.ts';
import { readStore } from './database.ts';

const link =
  '/?preset=default&backend=cpu&agents.candidates=3&learning.groupSize=2&learning.groupKey=problem%2Bagent%2Bturn&reward.over=dense&reward.across=own' +
  '&learning.problemsPerIteration=4&evaluation.problems=16&iterations=20';

const group = (page: Page) => page.getByRole('listbox', { name: /rollouts? of one problem/ });
const branchesOf = (page: Page) => group(page).getByRole('option', { name: /^another candidate at turn/ });
const trunksOf = (page: Page) => group(page).getByRole('option', { name: /^rollout \d/ });
const isChosen = (page: Page) => group(page).locator('[aria-selected="true"]');

/** Opens each branch and compares what the page shows with the stored record. */
async function expectBranches(page: Page, { rollouts }: GroupInspection): Promise<void> {
  const stored = rollouts.filter(({ trajectory }) => trajectory.branch);
  expect(stored.length).toBeGreaterThan(1);
  await expect.poll(() => branchesOf(page).count()).toBe(stored.length);
  await expect.poll(() => trunksOf(page).count()).toBe(2);
  const lanes = page.getByRole('region', { name: 'Dialogue', exact: true });
  for (const [i, { trajectory, turns }] of stored.entries()) {
    const from = trajectory.branch?.from as number;
    const square = branchesOf(page).nth(i);
    await expect.poll(() => square.textContent()).toBe(`${from + 1}`);
    await square.click();
    await lanes.getByText(`another candidate at turn ${from + 1}`).waitFor();
    // The candidate is the last message, the selected one, and the only one with numbers of its own.
    const cards = lanes.locator('[role="option"]');
    await expect.poll(() => cards.count()).toBe(from + 1);
    await expect.poll(() => cards.nth(from).getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => cards.nth(from).locator('.token').count()).toBe(turns[from]?.tokens.length);
    await expect.poll(() => lanes.locator('tbody tr').count()).toBe(turns[from]?.tokens.length);
    for (const inherited of turns.slice(0, from)) expect(inherited.tokens).toEqual([]);
  }
}

test('other candidates are shown next to the rollouts, also for a past iteration and after a reload', async ({
  open,
}) => {
  const page = await open(link);
  await expect.poll(() => branchesOf(page).count()).toBe(0);
  await step(page, 1, 2);
  const shown = (await readStore<{ iteration: number; group: GroupInspection }>(page, 'shown')).at(-1);
  expect(shown?.iteration).toBe(2);
  await expectBranches(page, shown?.group as GroupInspection);

  // The arrow keys move from the last rollout to the first branch and back.
  await trunksOf(page).nth(1).click();
  await group(page).press('ArrowRight');
  await expect
    .poll(() => isChosen(page).getAttribute('aria-label'))
    .toMatch(/^another candidate at turn 1 of the first rollout/);
  await group(page).press('ArrowLeft');
  await expect.poll(() => isChosen(page).getAttribute('aria-label')).toMatch(/^rollout 2/);

  // Shows the first iteration, then the newest one again.
  const slider = page.getByRole('slider', { name: 'Position in training' });
  await slider.press('ArrowLeft');
  const before = (await readStore<{ iteration: number; group: GroupInspection }>(page, 'shown'))[0];
  expect(before?.iteration).toBe(1);
  const question = before?.group.rollouts[0]?.trajectory.problem.shown ?? '?';
  await page.locator('.sum').getByText(typeset(question), { exact: true }).waitFor();
  await expectBranches(page, before?.group as GroupInspection);
  await slider.press('ArrowRight');

  await page.reload();
  await resume(page);
  await group(page).waitFor();
  await expectBranches(page, shown?.group as GroupInspection);
  // The formula is also available for a stored trajectory.
  await trunksOf(page).nth(0).click();
  const dialogue = page.getByRole('region', { name: 'Dialogue', exact: true });
  // A resumed run opens on the token that changed most.
  await dialogue.getByRole('heading', { name: /^How .* enters the loss/ }).waitFor();
  await step(page, 3);
  await expect.poll(() => branchesOf(page).count()).toBeGreaterThan(0);
});

test('a turn before the candidate is marked as a turn of the first rollout', async ({ open }) => {
  const page = await open(link);
  await step(page, 1);
  const later = group(page).getByRole('option', { name: /^another candidate at turn [2-9]/ });
  await later.first().click();
  const dialogue = page.getByRole('region', { name: 'Dialogue', exact: true });
  await expect.poll(() => dialogue.getByText('belongs to the first rollout').count()).toBe(0);
  await dialogue.getByRole('option').first().click();
  await dialogue.getByText('belongs to the first rollout').waitFor();
});
