// A same-luck fork compares two ratio levels on the page while its run is open, and the page shows the difference.
import { expect } from 'vitest';
import type { RunRecord } from '../src/records/stored/checkpoint.ts';
import { test } from './browser.ts';
import { step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const small =
  '/?preset=default&backend=cpu&iterations=4&learning.problemsPerIteration=4&evaluation.problems=64&evaluation.every=2&run.checkpointEvery=2';

test('two ratio levels are compared from one checkpoint with the same random numbers, by keyboard', async ({
  open,
}) => {
  const page = await open(small);
  await step(page, 1, 2);
  await page.getByRole('button', { name: 'Experiments' }).focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByLabel('Change').selectOption('learning.ratioLevel');
  await dialog.getByText('You have not changed anything yet.').waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: 'Run both arms' }).isDisabled()).toBe(true);
  await dialog.getByRole('combobox', { name: 'to', exact: true }).selectOption('token');
  await dialog.getByLabel('From').selectOption('2');
  await dialog.getByLabel('for iterations').fill('2');
  await dialog.getByRole('button', { name: 'Run both arms' }).press('Enter');
  await dialog.getByText(/^After iteration 4:/).waitFor({ timeout: 120_000 });
  await dialog.getByRole('progressbar').waitFor({ state: 'detached', timeout: 60_000 });
  const said = await dialog.getByText(/^After iteration 4:/).innerText();
  expect(said).toMatch(
    /[+−]?\d\.\d{3} \([+−]?\d\.\d{3} to [+−]?\d\.\d{3}\)\. Both arms answered the same problems with the same random numbers\./,
  );
  await expect.poll(() => dialog.getByRole('table').innerText()).toContain('paired by problem, 64 problems');
  const runs = await readStore<RunRecord>(page, 'runs');
  const arms = runs.filter(({ experiment }) => experiment?.kind === 'sameLuck');
  expect(arms.map(({ isDone, iteration, config }) => [isDone, iteration, config.learning.ratioLevel])).toEqual(
    expect.arrayContaining([
      [true, 4, 'turn'],
      [true, 4, 'token'],
    ]),
  );
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  // In one arm, the planner's message is not heard, and then replaced by its message about another problem.
  for (const name of ['unheard', 'shuffled'] as const) {
    await dialog.getByLabel('Change').selectOption(`agents.${name}`);
    await dialog.getByRole('combobox', { name: 'to', exact: true }).selectOption('first');
    await dialog.getByRole('button', { name: 'Run both arms' }).press('Enter');
    await dialog.getByRole('progressbar').waitFor();
    await dialog.getByRole('progressbar').waitFor({ state: 'detached', timeout: 120_000 });
    const changed = (await readStore<RunRecord>(page, 'runs')).filter(({ config }) => config.agents[name] === 'first');
    expect(changed.map(({ isDone, iteration }) => [isDone, iteration])).toEqual([[true, 4]]);
  }
  // The open run was not changed. An impossible value is refused before anything is trained.
  await untilState(page, ['paused']);
  await dialog.getByLabel('Change').selectOption('learning.clipHigh');
  await dialog.getByRole('textbox', { name: 'to', exact: true }).fill('-3');
  await dialog.getByText(/^Clip: expected a number/).waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: 'Run both arms' }).isDisabled()).toBe(true);
});

test('an experiment with two seeds is shown as one result', async ({ open }) => {
  const page = await open('/?preset=micro&backend=cpu&iterations=2&evaluation.problems=16&evaluation.every=1');
  await page.getByRole('button', { name: 'Experiments' }).click();
  const dialog = page.getByRole('dialog', { name: 'Experiments' });
  await dialog.getByRole('tab', { name: 'Seeds' }).click();
  await dialog.getByRole('spinbutton', { name: 'Seeds' }).fill('2');
  await dialog.getByRole('button', { name: 'Run 2 seeds' }).click();
  await dialog.getByRole('progressbar').waitFor();
  await dialog.getByRole('progressbar').waitFor({ state: 'detached', timeout: 120_000 });
  await dialog.getByText('After iteration 2').waitFor();
  // For a moment only the first seed has results; the table is updated when both are stored.
  await expect.poll(() => dialog.getByRole('table').innerText(), { timeout: 30_000 }).toMatch(/2 seeds/);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
});
