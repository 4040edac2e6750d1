// The form shows the settings that have an effect. Settings of other learners, protocols and parameters are folded
// behind one line for each group, and a changed setting without effect says so. The tests use mouse and keyboard, check
// the texts for screen readers, and use a narrow screen.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilReopened, untilState } from './contract.ts';
import { faultsInBothThemes, isWide } from './visitor.ts';

const link = '/?preset=micro&backend=cpu';

const row = (page: Page, path: string) => page.locator(`[data-field="${path}"]`);
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const group = (page: Page, name: string) => page.getByRole('group', { name, exact: true });
const fold = (page: Page, name: string) => group(page, name).getByRole('button', { name: /^\d+ .*: / });

async function openSection(page: Page, name: string): Promise<void> {
  await section(page, name)
    .getByRole('button', { name: new RegExp(`^${name}, advanced: `) })
    .click();
}

const rowsIn = (page: Page, name: string) =>
  group(page, name)
    .locator('[data-field]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-field')));

test('the settings of a learner are shown only while it is chosen', async ({ open }) => {
  const page = await open(link);
  await openSection(page, 'Learning');
  expect(await rowsIn(page, 'Mixing critic')).toEqual([]);
  await expect.poll(() => fold(page, 'Mixing critic').innerText()).toMatch(/^9 apply only to other learners/);
  const learner = page.getByRole('combobox', { name: 'Learner' });

  await learner.focus();
  await learner.selectOption('qmix');
  await row(page, 'learning.mixerHidden').waitFor();
  expect(await rowsIn(page, 'Mixing critic')).toHaveLength(9);
  await expect.poll(() => fold(page, 'Mixing critic').count()).toBe(0);
  await expect.poll(() => row(page, 'learning.groupKey').count()).toBe(0);
  expect(await learner.evaluate((element) => element === document.activeElement)).toBe(true);

  await learner.selectOption('vdn');
  await row(page, 'learning.mixerHidden').waitFor({ state: 'detached' });
  expect(await rowsIn(page, 'Mixing critic')).toHaveLength(8);
  await expect.poll(() => fold(page, 'Mixing critic').innerText()).toMatch(/^1 setting applies only to other learners/);

  await learner.selectOption('ppo');
  await row(page, 'learning.criticSteps').waitFor();
  await expect.poll(() => row(page, 'learning.valueClip').count()).toBe(0);
  await row(page, 'learning.critic').getByText('Shared', { exact: true }).click();
  await row(page, 'learning.valueClip').waitFor();
  await expect.poll(() => row(page, 'learning.criticSteps').count()).toBe(0);

  await learner.selectOption('grpo');
  await row(page, 'learning.valueClip').waitFor({ state: 'detached' });
  expect(await rowsIn(page, 'Mixing critic')).toEqual([]);
  await expect.poll(() => row(page, 'learning.groupKey').count()).toBe(1);
});

test('a setting is found by its words, changed where it is found, and stays changed after the search', async ({
  open,
}) => {
  const page = await open(link);
  const search = page.getByRole('searchbox', { name: 'Search the settings' });
  await search.fill('clip below');
  const found = row(page, 'learning.clipLow');
  await found.waitFor();
  await expect.poll(() => page.locator('[data-field="learning.learner"]').count()).toBe(0);
  await found.locator('input').last().fill('0.15');
  await page.keyboard.press('Tab');
  await search.fill('zebra');
  await page.getByText('0 settings').waitFor();
  await search.fill('');
  await row(page, 'learning.learner').waitFor();
  await expect.poll(() => page.url()).toContain('learning.clipLow=0.15');
});

test('choosing a learner sets its published form also in the first preset, and one click undoes it', async ({
  open,
}) => {
  const page = await open('/?preset=quick&backend=cpu');
  const learner = page.getByRole('combobox', { name: 'Learner' });
  const field = row(page, 'learning.learner');
  const rollouts = row(page, 'learning.groupSize').getByRole('textbox');
  await learner.selectOption('grpo');
  await field.getByText('The settings match the published form of the learner, GRPO 2402.03300.').waitFor();
  await expect.poll(() => rollouts.inputValue()).toBe('8');
  await expect.poll(() => field.getByRole('status').innerText()).toContain('Problems per iteration: 32');
  await field.getByRole('button', { name: 'Undo' }).click();
  expect([await learner.inputValue(), await rollouts.inputValue()]).toEqual(['reinforcePlusPlus', '1']);

  // Another paper about the same learner changes only settings.
  await learner.selectOption('grpo');
  await field.getByRole('button', { name: 'CISPO' }).press('Enter');
  await field.getByText('The settings match the published form of the learner, CISPO 2506.13585.').waitFor();
  await expect.poll(() => field.getByRole('button', { name: 'CISPO' }).getAttribute('aria-pressed')).toBe('true');
  await expect.poll(() => page.url()).toContain('learning.surrogate=cispo');
  await field.getByRole('button', { name: 'CISPO' }).press('Enter');
  await field.getByText('The settings match the published form of the learner, GRPO 2402.03300.').waitFor();

  // The residual return and the critic warm-up are additions of Cothink to VDN, and the page lists them.
  await learner.selectOption('vdn');
  await field.getByText('weight of the residual return 1 · critic warm-up 4').waitFor();
  await field.getByRole('button', { name: 'Use the published form' }).press('Enter');
  await field.getByText('The settings match the published form of the learner, VDN 1706.05296.').waitFor();
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true);
});

test('a setting that a link changes without effect is shown, says so, and stays while it is edited', async ({
  open,
}) => {
  const page = await open(`${link}&learning.mixerHidden=64`);
  const units = row(page, 'learning.mixerHidden');
  await units.waitFor();
  const note = 'No effect now, only if “Learner” is QMIX.';
  await expect.poll(() => units.innerText()).toContain(note);
  const input = units.getByRole('textbox', { name: 'Units of the mixer' });
  const described = await input.getAttribute('aria-describedby');
  await expect.poll(() => page.locator(`[id="${described}"]`).innerText()).toBe(note);
  await expect.poll(() => input.isEnabled()).toBe(true);

  await input.fill('32');
  await input.press('Enter');
  await units.getByText(note).waitFor({ state: 'detached' });
  expect(await input.evaluate((element) => element === document.activeElement)).toBe(true);

  await input.fill('16');
  await input.press('Enter');
  await units.getByText(note).waitFor();
  await page.getByRole('combobox', { name: 'Learner' }).selectOption('qmix');
  await units.waitFor({ state: 'detached' }); // it has an effect now and moves to the advanced settings
  await openSection(page, 'Learning');
  await expect.poll(() => units.innerText()).not.toContain('No effect now');
  await expect.poll(() => input.inputValue()).toBe('16');
});

test('a fold opens by keyboard, does not change while its settings are edited, and axe finds nothing serious', async ({
  open,
}) => {
  const page = await open(link);
  await openSection(page, 'Learning');
  const line = fold(page, 'Preference pairs');
  await expect.poll(() => group(page, 'Preference pairs').getByRole('heading', { level: 3 }).count()).toBe(1);
  await expect.poll(() => line.getAttribute('aria-expanded')).toBe('false');
  await line.focus();
  await page.keyboard.press('Enter');
  await row(page, 'learning.preferenceBeta').waitFor();
  await expect.poll(() => line.getAttribute('aria-expanded')).toBe('true');
  expect(await line.evaluate((element) => element === document.activeElement)).toBe(true);
  const held = await page.locator(`[id="${await line.getAttribute('aria-controls')}"] [data-field]`).count();
  expect(held).toBe(6);

  const before = await rowsIn(page, 'Preference pairs');
  const beta = row(page, 'learning.preferenceBeta').getByRole('textbox');
  await beta.fill('0.5');
  await beta.press('Enter');
  await row(page, 'learning.preferenceBeta').getByText('No effect now').waitFor();
  expect(await rowsIn(page, 'Preference pairs')).toEqual(before);
  expect(await beta.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await faultsInBothThemes(page, '.setup')).toEqual([]);

  await line.focus();
  await page.keyboard.press('Enter');
  await row(page, 'learning.preferenceKind').waitFor({ state: 'detached' });
  expect(await rowsIn(page, 'Preference pairs')).toEqual(['learning.preferenceBeta']);
});

test('a section says how many of its settings have no effect, also on a narrow screen', async ({ open }) => {
  const page = await open(link, { contextOptions: { viewport: { width: 390, height: 844 } } });
  await page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('button', { name: 'Setup' }).click();
  const verifier = section(page, 'Verifier');
  await openSection(page, 'Verifier');
  await expect.poll(() => verifier.innerText()).toMatch(/5 settings without effect now[^]*4 without effect now/);
  await expect.poll(() => verifier.locator('[data-field]').count()).toBe(1);
  await openSection(page, 'Learning');
  await expect.poll(() => isWide(page)).toBe(false);
});

test('the level of an open run is raised by hand, and the team is measured on all levels', async ({ visit }) => {
  const { page } = await visit(
    '/?preset=default&backend=cpu&learning.problemsPerIteration=4&evaluation.problems=16&iterations=2&autostart=1',
  );
  await untilState(page, ['done']);
  await page.getByRole('slider', { name: 'Level' }).press('ArrowRight');
  await page.getByText('After iteration 2: level 2.').first().waitFor();
  await page.getByRole('button', { name: /^right answers/ }).click();
  await page.getByRole('button', { name: 'Measure everywhere' }).click();
  const rows = page.getByRole('region', { name: 'Everywhere' }).locator('tbody tr');
  await rows.first().waitFor();
  await expect.poll(() => rows.count()).toBe(5);
  await expect
    .poll(() => rows.allInnerTexts())
    .toEqual(
      [1, 2, 3, 4, 5].map(
        (level) =>
          expect.stringMatching(
            new RegExp(`^${level}${level === 2 ? 'trained' : ''}\\s+[01]\\.\\d\\d\\s+[01]\\.\\d\\d\\s+0\\.\\d\\d$`),
          ) as unknown,
      ),
    );
});

test('a run trains on three places, and all of them are measured', async ({ visit }) => {
  const { page } = await visit(
    '/?preset=default&world.name=wordProblems&backend=cpu&learning.problemsPerIteration=12&learning.groupSize=2&evaluation.problems=16&evaluation.every=2&evaluation.everywhere=1&iterations=2',
  );
  await untilState(page, ['idle']);
  await openSection(page, 'World');
  const places = row(page, 'world.also');
  const add = places.getByRole('button', { name: 'Add a place' });
  await add.click();
  await add.click();
  await places.getByRole('combobox', { name: 'World of place 2' }).selectOption('entailment');
  const weight = places.getByRole('spinbutton', { name: 'Weight of place 2' });
  await weight.fill('0');
  await weight.press('Enter');
  await places.getByRole('alert').getByText('1.weight: expected at least 0.05, got 0.').waitFor();
  await weight.fill('2');
  await weight.press('Enter');
  await places.getByRole('alert').waitFor({ state: 'detached' });
  await untilReopened(page);
  await page.getByRole('button', { name: 'Train', exact: true }).click();
  await untilState(page, ['done']);
  const everywhere = page.getByRole('region', { name: 'Everywhere' });
  const trained = everywhere.locator('tbody tr').filter({ hasText: 'trained' });
  await expect.poll(() => trained.locator('th').allInnerTexts()).toEqual(['1trained', '2trained', '1trained']);
  await expect.poll(() => everywhere.locator('table:visible').count()).toBe(2);
  const right = page.getByRole('region', { name: 'Right in training' });
  await right.getByRole('img', { name: /Word problems 1 .*Word problems 2 .*Entailment 1 |Entailment 1 / }).waitFor();
  expect(await faultsInBothThemes(page, '.setup')).toEqual([]);
});
