// A run archive opens in any browser: it is stored and can be trained further if possible, and otherwise only viewed.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, runState, step, untilIteration, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { cut, download, faultsInBothThemes, libraryOf } from './visitor.ts';

const quick = 'preset=micro&backend=cpu&warmStart.source=none&evaluation.problems=16';
const iconless = /404 \(Not Found\)/;

const bar = (page: Page) => page.getByRole('region', { name: 'An archive open for viewing' });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

/** Trains a run for three iterations and returns its archive and its name. */
async function archiveOf(page: Page): Promise<{ name: string; bytes: Uint8Array }> {
  await step(page, 1, 2, 3);
  const [run] = await readStore<{ name: string }>(page, 'runs');
  const { bytes } = await download(await libraryOf(page), `Save the run archive of ${run?.name}`);
  await page.keyboard.press('Escape');
  return { name: run?.name ?? '', bytes };
}

const give = (page: Page, bytes: Uint8Array) =>
  page
    .getByLabel('Open a run archive (zip)')
    .setInputFiles({ name: 'run.zip', mimeType: 'application/zip', buffer: Buffer.from(bytes) });

/** Checks that the page shows the run and a dialogue of an earlier iteration, but offers no training. */
async function isOnShow(page: Page, name: string): Promise<void> {
  await bar(page).getByText(`Open for viewing: ${name}.`).waitFor();
  expect([await iterationOf(page), await runState(page)]).toEqual([3, 'paused']);
  await page.locator('header').getByText('An archive open for viewing', { exact: true }).waitFor();
  await expect.poll(() => button(page, 'Step').getAttribute('aria-disabled')).toBe('true');
  await expect.poll(() => page.locator('header button.primary').getAttribute('aria-disabled')).toBe('true');
  await page.keyboard.press('s');
  await page.keyboard.press('t');
  const throughTime = page.getByRole('dialog', { name: 'One problem through time' });
  await throughTime.getByText(/^This action needs the weights of the run, which is open only for viewing\./).waitFor();
  await expect.poll(() => throughTime.getByText('No checkpoint yet').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowLeft');
  await page.locator('.stage').getByText(/\S/).first().waitFor();
  await page.keyboard.press('d');
  const list = page.getByRole('dialog', { name: 'Stored dialogues' });
  await list.getByRole('listbox', { name: 'Dialogues' }).getByRole('option').nth(3).click();
  await list.getByRole('button', { name: 'Open', exact: true }).click();
  await list.waitFor({ state: 'hidden' });
  expect(await iterationOf(page)).toBe(3);
}

test('a second tab shows an archive while the first one trains, and afterwards watches the first one again', async ({
  open,
  visit,
}) => {
  const { name, bytes } = await archiveOf(await open(`/?${quick}&seed=3&evaluation.every=1`));
  const first = await visit(`/?${quick}&seed=5&iterations=5000&autostart=1`);
  await untilIteration(first.page, 2);
  const second = await visit(`/?${quick}&seed=5`, { context: first.context });
  const { page } = second;
  await untilState(page, ['idle']);
  await button(page, 'Train').click();
  await page.getByRole('region', { name: 'Another tab' }).waitFor();
  await libraryOf(page);
  await give(page, bytes);
  await isOnShow(page, name);
  await bar(page).getByText('Another tab is training.').waitFor();
  const before = await iterationOf(first.page);
  await untilIteration(first.page, before + 2);
  expect(await iterationOf(page)).toBe(3);
  expect(await readStore(page, 'runs')).toHaveLength(1);
  await button(page, 'Close it').click();
  await page.getByRole('region', { name: 'Another tab' }).waitFor();
  await untilIteration(page, before + 2);
});

/** Refuses every request to open a database, as browsers do that may store nothing. */
const without = () => {
  IDBFactory.prototype.open = () => {
    throw new DOMException('denied', 'SecurityError');
  };
};

test('a page that may store nothing shows an archive without storing it', async ({ open, visit }) => {
  const { name, bytes } = await archiveOf(await open(`/?${quick}&seed=3&evaluation.every=1`));
  const { page } = await visit('/manifest.webmanifest', { tolerate: [iconless] });
  // Workers open the store themselves, so the change is also put in front of their script.
  await page.context().addInitScript(without);
  await page.route(/page\.worker-.*\.js/, async (route) => {
    const response = await route.fetch();
    const begin = `if (self.name === 'archive') { var window = self, Window = WorkerGlobalScope;(${without.toString()})(); }`;
    await route.fulfill({ response, body: begin + (await response.text()) });
  });
  await page.goto(`${new URL(page.url()).origin}/?${quick}`);
  await untilState(page, ['idle']);
  await libraryOf(page);
  await give(page, bytes);
  await isOnShow(page, name);
  await expect.poll(() => page.locator('output[data-metric="reward"]').textContent()).toMatch(/\d/);
  expect(await faultsInBothThemes(page, 'main')).toEqual([]);
  expect(await cut(page, ['.bar'])).toEqual([]);
  await button(page, 'Close it').click();
  await untilState(page, ['idle']);
  expect(await iterationOf(page)).toBe(0);
});

test('an archive is only viewed if the visitor chooses so, and is otherwise stored', async ({ open }) => {
  const { name, bytes } = await archiveOf(await open(`/?${quick}&seed=3`));
  const page = await open(`/?${quick}`);
  const library = await libraryOf(page);
  await library.getByLabel('Only view the archive').check();
  await give(page, bytes);
  await isOnShow(page, name);
  expect(await readStore(page, 'runs')).toEqual([]);
  await button(page, 'Close it').press('Enter');
  await bar(page).waitFor({ state: 'hidden' });
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('dialogue');
  await libraryOf(page);
  await library.getByLabel('Only view the archive').uncheck();
  await give(page, bytes);
  await library.getByText(name).waitFor();
  expect(await readStore(page, 'runs')).toHaveLength(1);
});
