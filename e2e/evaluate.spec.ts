// Measures the accuracy with several answers to each problem, and the accuracy of stored agents, also of different
// checkpoints together. Agents that cannot talk to each other are refused with the reason.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import type { Checkpoint } from '../src/records/stored/checkpoint.ts';
import { step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { cut, faultsInBothThemes, figureTold } from './visitor.ts';

const micro = '/?preset=micro&backend=cpu&evaluation.problems=16';
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });

test('sixteen answers to each problem are measured, and the page shows the accuracy by k and by rule', async ({
  open,
}) => {
  const page = await open(`${micro}&iterations=1`);
  await page.keyboard.press('s');
  await untilState(page, ['done']);
  await button(page, /^right answers/).click();
  await button(page, 'Measure 16 answers').click();
  const card = page.getByRole('region', { name: 'Several answers' });
  await card.getByRole('img', { name: /^For each number of answers/ }).waitFor();
  const table = card.getByRole('table');
  await expect.poll(() => table.locator('thead th').allInnerTexts()).toEqual(['answers', '1', '2', '4', '8', '16']);
  await expect.poll(() => table.locator('tbody th').allInnerTexts()).toEqual(['pass@k', 'majority@k']);
  const [pass, majority] = await table.locator('tbody tr').allInnerTexts();
  expect(pass?.split(/\s+/)[1]).toBe(majority?.split(/\s+/)[1]); // with one answer, pass@1 equals majority@1
  const { columns, rows } = await figureTold(card, 'Several answers');
  expect(columns.filter((name) => !/ (low|high)$/.test(name))).toEqual(['k', 'pass@k', 'majority@k', 'problems']);
  const passed = rows.map((row) => Number(row[columns.indexOf('pass@k')]).toFixed(2));
  expect(['pass@k', ...passed]).toEqual(pass?.split(/\s+/));
  await card.getByText('By rule').click();
  await expect.poll(() => card.locator('details tbody tr').count()).toBe(6);
  expect(await cut(page, ['section.card'])).toEqual([]);
  expect(await faultsInBothThemes(page, '.charts')).toEqual([]);
  // Another measurement does not remove this card.
  await button(page, /^right answers/).click();
  await button(page, 'Measure everywhere').click();
  await page.getByRole('region', { name: 'Everywhere' }).waitFor();
  await expect.poll(() => card.isVisible()).toBe(true);
});

test('stored checkpoints are measured together, and an agent of another protocol is refused', async ({ open }) => {
  const page = await open(`${micro}&run.checkpointEvery=1`);
  await step(page, 1, 2);
  await page.goto(
    `${page.url().split('?')[0]}?preset=debate&backend=cpu&agents.size=micro&warmStart.source=none&evaluation.problems=16&learning.problemsPerIteration=2&learning.groupSize=2`,
  );
  await untilState(page, ['idle']);
  await step(page, 1);
  await button(page, 'Library of runs').click();
  const library = page.getByRole('dialog', { name: 'Library of runs' });
  const runs = library.locator('ul > li').filter({ hasText: /\bMicro\b/ });
  await runs
    .first()
    .getByRole('button', { name: /^The agents of / })
    .click();
  const planner = library.getByRole('combobox', { name: 'Planner' });
  const reasoner = library.getByRole('combobox', { name: 'Reasoner' });
  const [name] = (await planner.locator('option:checked').innerText()).split(',');
  await expect.poll(() => planner.locator('option:checked').innerText()).toBe(`${name}, iteration 2`);
  await library.getByRole('button', { name: 'Measure', exact: true }).click();
  await library
    .getByText(/^[01]\.\d{3} accuracy on 16 held-out problems \(95 % interval [01]\.\d{3} to [01]\.\d{3}\)/)
    .waitFor();
  await expect.poll(() => library.getByRole('row').count()).toBeGreaterThanOrEqual(3);
  await reasoner.selectOption({ label: `${name}, iteration 1` });
  await expect.poll(() => library.getByText(/held-out problems/).count()).toBe(0); // the result was for other agents
  await library.getByRole('button', { name: 'Measure', exact: true }).click();
  await library.getByText(/on 16 held-out problems/).waitFor();
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  await reasoner.selectOption({ index: 0 });
  await library.getByRole('button', { name: 'Measure', exact: true }).click();
  await library
    .getByText(
      /cannot talk here: the agent was trained in the protocol “Debate”, but the other agents use “Plan and reason”/,
    )
    .waitFor();
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  // The new run uses the settings of the run of these agents, not those of the open run.
  await reasoner.selectOption({ label: `${name}, iteration 1` });
  await planner.selectOption({ label: `${name}, iteration 1` });
  await library.getByRole('button', { name: 'Begin a run with them' }).click();
  await library.waitFor({ state: 'hidden' });
  await untilState(page, ['idle']);
  await button(page, /^Agents, advanced: /).click();
  const start = page.locator('[data-field="agents.start"]').locator('option:checked, label:has(:checked)');
  expect((await start.textContent())?.trim()).toBe(`${name} after 1`);
  await step(page, 1);
  const stored = await readStore<Checkpoint>(page, 'checkpoints');
  const [learned] = stored.filter(
    ({ iteration, config }) =>
      iteration === 1 && config.agents.start === 'warmStart' && config.run.checkpointEvery === 1,
  );
  const begun = stored.find(({ iteration, config }) => iteration === 0 && config.agents.start !== 'warmStart');
  const weights = (one?: Checkpoint) => one?.networks[0]?.weights.map(({ values }) => Array.from(values, (x) => x + 0));
  expect(weights(begun)?.length).toBeGreaterThan(0);
  expect(weights(begun)).toEqual(weights(learned));
});
