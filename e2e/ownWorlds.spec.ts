// A custom world of the visitor, from the first line to a stored run, and world files with harmful code.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { templates } from '../src/tasks/custom/templates.ts';
import { test } from './browser.ts';
import { iterationOf, runState, step, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { download, drop, faultsInBothThemes, figureTold, fileOf, libraryOf, openRunFile } from './visitor.ts';

const micro =
  '/?preset=micro&backend=cpu&learning.problemsPerIteration=4&evaluation.problems=16&warmStart.steps=40&warmStart.batchSize=8&run.checkpointEvery=1&run.iterations=4';

async function openWorlds(page: Page) {
  await page.getByRole('button', { name: 'Write your own…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Worlds of your own' });
  await dialog.locator('.cm-content').waitFor();
  return dialog;
}

/** Replaces the text in the editor and waits until the file has been read, which empties the field. */
async function write(dialog: Locator, source: string): Promise<void> {
  const field = dialog.getByLabel('Open a file (.js)');
  await field.setInputFiles(fileOf('world.js', source));
  await expect.poll(() => field.inputValue()).toBe('');
}

const chosen = (page: Page) => page.locator('[data-field="world.name"] select option:checked').textContent();

test('a world is written, tried, used for training, kept after a reload, and saved with its run', async ({ open }) => {
  const page = await open(micro);
  const dialog = await openWorlds(page);
  // The template with another label is a new world. The editor can be reached by keyboard.
  const template = await download(dialog, 'Download (.js)');
  await write(dialog, template.text.replace("label: 'Crossroads'", "label: 'Two roads'"));
  await dialog.locator('.cm-content').focus();
  await page.keyboard.type('// Mine. ');
  await dialog.getByRole('button', { name: 'Try it' }).click();
  await dialog.getByText('random dialogues on each level ran without an error').waitFor();
  await dialog.getByText('Problem 1 of 10').waitFor();
  const way = /(left|right) (far|near)/.exec((await dialog.locator('dd code').first().textContent()) ?? '')?.[0] ?? '';
  for (const [said, verb] of [
    [way, 'Say'],
    [way, 'Say'],
    ['', 'Say and finish'],
  ] as const) {
    const turns = await dialog.locator('ol li').count();
    await dialog.getByRole('textbox', { name: /^Message of/ }).fill(said);
    await dialog.getByRole('button', { name: verb, exact: true }).click();
    await dialog.locator('ol li').nth(turns).waitFor();
  }
  await dialog.getByText(/^Right\./).waitFor();
  await dialog.getByText('1 of 1 right').waitFor();
  await dialog.getByRole('button', { name: 'All 10 problems, random messages' }).click();
  await dialog.getByText(/of 10 right/).waitFor();

  await dialog.getByRole('button', { name: 'Save and use it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await untilState(page, ['idle']);
  expect(await chosen(page)).toBe('Two roads');
  const parts = page.locator('[data-field="reward.own"]');
  const hint = parts.getByRole('textbox', { name: 'hint' });
  await hint.fill('0.5');
  // After leaving the editor, the page handles the keys again.
  await hint.blur();
  await step(page, 1);

  await page.reload();
  await untilState(page, ['idle']);
  expect(await chosen(page)).toBe('Two roads');
  await page.getByRole('button', { name: 'Resume' }).click();
  await untilState(page, ['done']);
  expect(await iterationOf(page)).toBe(4);
  const { text: runFile } = await download(page, 'Run file');
  expect(runFile).toContain('label: Two roads');
  expect(runFile).toContain('  own: {hint: 0.5}');
  expect(runFile).toContain('    // Mine. // A fork in the road.');
  await openWorlds(page);
  expect((await download(dialog, 'Download Two roads')).text).toContain('// Mine.');
  await dialog.getByRole('button', { name: 'Delete Two roads' }).click();
  await page.getByText(/the run .* uses this world; delete that run first/).waitFor();

  // In another browser, the world can be saved from an archive that is only viewed.
  await page.keyboard.press('Escape');
  const { bytes } = await download(await libraryOf(page), /^Save the run archive of /);
  const looking = await open('/?preset=micro&backend=cpu');
  await untilState(looking, ['idle']);
  await (await libraryOf(looking)).getByLabel('Only view the archive').check();
  await looking
    .getByLabel('Open a run archive (zip)')
    .setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from(bytes) });
  await looking.getByRole('region', { name: 'An archive open for viewing' }).waitFor();
  expect((await figureTold(looking, 'Entropy')).runs[0]?.runFile).toBe(runFile);
  expect((await download(looking, 'Run file')).text).toBe(runFile);

  // The run file contains its world, although a world of this name is known there.
  await looking.getByRole('button', { name: 'Close it', exact: true }).click();
  expect(await readStore(looking, 'worlds')).toEqual([]);
  await openRunFile(looking, runFile);
  await expect.poll(() => chosen(looking), { timeout: 30_000 }).toBe('Two roads');
  await untilState(looking, ['idle']);
  await expect.poll(() => looking.locator('[data-field="reward.own"]').getByRole('textbox').inputValue()).toBe('0.5');
  expect(await readStore(looking, 'worlds')).toHaveLength(1);
});

test('faults in a world are reported with their line or stop the run by name, and the page goes on', async ({
  open,
}) => {
  const page = await open(`${micro}&run.iterations=40`);
  const dialog = await openWorlds(page);
  // Several lines that are inserted at once, as by an input method, are not changed.
  await dialog.locator('.cm-content').click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText('// One\n\n  // two');
  expect((await download(dialog, 'Download (.js)')).text).toBe('// One\n\n  // two');
  await dialog.getByRole('combobox', { name: 'Talk' }).selectOption('single');
  const check = dialog.getByRole('button', { name: 'Check' });
  for (const [judge, words] of [
    ['export const judge = () => { for (;;) Math.abs(1); };', 'it ran too long (line 3)'],
    ['export const judge = (problem) => problem.none.at;', '(line 3)'],
    ["export const judge = () => ({ answer: 'a', score: 0 / 0 });", 'null, undefined or NaN'],
    ['export const judge = ;', 'SyntaxError'],
  ] as const) {
    await write(dialog, trap + judge);
    await check.click();
    await dialog.getByRole('alert').filter({ hasText: words }).waitFor();
  }
  await dialog.locator('.cm-lint-marker-error').waitFor();
  await dialog.getByRole('button', { name: 'Go to line 3' }).click();

  // This world works while it is checked, and fails during training.
  const sly =
    "export const judge = (problem, { text }) => problem.shown.startsWith('d d') ? problem.none.at : { answer: text };";
  await write(dialog, trap + sly);
  await dialog.getByRole('button', { name: 'Save and use it' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await untilState(page, ['idle', 'failed']);
  if ((await runState(page)) === 'idle') await page.keyboard.press(' ');
  await page.waitForFunction(() => document.documentElement.dataset['runState'] === 'failed', null, {
    timeout: 60_000,
  });
  await page
    .getByText(/trap: judge: TypeError: .*\(line 3\)/)
    .first()
    .waitFor();
  await openWorlds(page);
  await check.click();
  await dialog.getByText('random dialogues on each level ran without an error').or(dialog.getByRole('alert')).waitFor();
});

const trap = `export const about = { name: 'trap', label: 'Trap', levels: ['one'], words: ['a', 'b', 'c', 'd'], room: { prompt: 3, turn: 1, rounds: 1 } };
export const draw = (random) => ({ shown: [1, 2, 3].map(() => random.pick(['a', 'b', 'c', 'd'])).join(' '), answer: random.pick(['a', 'b']) });
`;

test('axe finds nothing serious in the editor in either theme', async ({ open }) => {
  const page = await open(micro);
  const dialog = await openWorlds(page);
  await dialog.getByRole('button', { name: 'Try it' }).click();
  await dialog.getByText('Problem 1 of 10').waitFor();
  expect(await faultsInBothThemes(page, 'dialog[open]')).toEqual([]);
});

test('a dropped world file is stored and can be chosen, and another file with this ending is refused', async ({
  open,
}) => {
  const page = await open(micro);
  const content = { kind: 'module', source: templates.planAndExecute.source };
  await drop(page, 'mine.world', JSON.stringify({ format: 1, label: 'From a file', content }));
  await page.getByText('From a file is stored. Choose it as World in the settings.').waitFor();
  await drop(page, 'other.world', '{}');
  await page.getByRole('alert').filter({ hasText: 'this is not a world file' }).waitFor();
  await page.locator('[data-field="world.name"] select').selectOption({ label: 'From a file' });
  await expect.poll(() => chosen(page)).toBe('From a file');
});
