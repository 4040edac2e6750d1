// The library of stored runs: each run can be named, noted, tagged, pinned, searched, and deleted with an undo. All of
// this is stored, and if the store is full, the visitor is told what was deleted.
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, step, untilState } from './contract.ts';
import { readStore, writeRecord } from './database.ts';
import { cut, download, faultsInBothThemes, isWide, libraryOf } from './visitor.ts';

const micro = '/?preset=micro&backend=cpu&warmStart.source=none&evaluation.problems=16&iterations=4';

interface Stored {
  id: string;
  name: string;
}

/** Returns the names in the order of the list. */
const listed = (library: Locator) => library.locator('li b').allInnerTexts();
const button = (library: Locator, name: string) => library.getByRole('button', { name, exact: true });

/** Trains two runs for one iteration each and returns their names. The second one has another seed and is open. */
async function twoRuns(page: Page): Promise<[string, string]> {
  await step(page, 1);
  await page.goto(`${new URL(page.url()).origin}${micro}&seed=9&learning.entCoef=0.2`);
  await untilState(page, ['idle']);
  await step(page, 1);
  const runs = await readStore<Stored>(page, 'runs');
  const open = await page.locator('header .pill.run').innerText();
  const older = runs.find(({ name }) => !open.includes(name));
  const newer = runs.find(({ name }) => open.includes(name));
  return [older?.name ?? '', newer?.name ?? ''];
}

test('a run is named, noted, tagged, pinned and found again, also after a reload and in its archive', async ({
  open,
}) => {
  const page = await open(micro);
  const [older, newer] = await twoRuns(page);
  let library = await libraryOf(page);
  await expect.poll(() => listed(library)).toEqual([newer, older]);

  // By keyboard alone: the form gets the focus and returns it.
  await button(library, `Label ${older}`).press('Enter');
  await page.keyboard.type('the lazy one');
  await page.keyboard.press('Tab');
  await page.keyboard.type('lazy, to show');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Stops talking\nafter 1.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await library.getByText('the lazy one', { exact: true }).waitFor();
  const isFocused = (name: string) => button(library, name).evaluate((node) => node === document.activeElement);
  await expect.poll(() => isFocused('Label the lazy one')).toBe(true);
  // Escape closes the form but not the library, and nothing is stored.
  await page.keyboard.press('Enter');
  await page.keyboard.type('not this');
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused('Label the lazy one')).toBe(true);
  await expect.poll(() => library.getByLabel('Name', { exact: true }).count()).toBe(0);

  await button(library, 'Pin the lazy one').press('Enter');
  await expect.poll(() => listed(library)).toEqual(['the lazy one', newer]);
  await expect.poll(() => isFocused('Pin the lazy one')).toBe(true);
  await expect.poll(() => button(library, 'Pin the lazy one').getAttribute('aria-pressed')).toBe('true');

  const search = library.getByRole('searchbox');
  for (const [words, found] of [
    ['LAZY one', ['the lazy one']],
    ['talking', ['the lazy one']],
    ['entropy', [newer]],
    [newer.split('-')[0] ?? '', [newer]],
    ['', ['the lazy one', newer]],
  ] as const) {
    await search.fill(words);
    await expect.poll(() => listed(library), { message: words }).toEqual(found);
  }
  await search.fill('nothing like it');
  await library.getByText('No stored run matches all these words.').waitFor();
  await search.fill('');
  await button(library, 'Search for to show').click();
  await expect.poll(() => search.inputValue()).toBe('to show');
  expect(await listed(library)).toEqual(['the lazy one']);

  // Too much text is refused before it is stored.
  await search.fill('');
  await button(library, `Label ${newer}`).click();
  await library.getByLabel('Tags').fill('a tag that is much longer than tags may be');
  await expect.poll(() => button(library, 'Save').isDisabled()).toBe(true);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  expect(await cut(page, ['dialog', 'dialog li'])).toEqual([]);
  await page.setViewportSize({ width: 360, height: 700 });
  await expect.poll(() => isWide(page)).toBe(false);
  expect(await cut(page, ['dialog'])).toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });

  // The open run shows its new name immediately, also in the name of its archive.
  await library.getByLabel('Tags').fill('');
  await library.getByLabel('Name', { exact: true }).fill('second: a/b');
  await button(library, 'Save').click();
  await expect.poll(() => page.locator('header .pill.run').innerText()).toContain('second: a/b');
  const { name } = await download(library, 'Save the run archive of second: a/b');
  expect(name).toBe('second- a-b.zip');

  await page.reload();
  await untilState(page, ['idle']);
  library = await libraryOf(page);
  await expect.poll(() => listed(library)).toEqual(['the lazy one', 'second: a/b']);
  await expect.poll(() => library.locator('li').first().innerText()).toContain('Stops talking\nafter 1.');
  expect((await readStore<Stored>(page, 'runs')).map((run) => run.name).toSorted()).toEqual([newer, older].toSorted());
  await button(library, 'Resume').first().click();
  await untilState(page, ['done']);
  await expect.poll(() => page.locator('header .pill.run').innerText()).toContain('the lazy one');
  expect(await iterationOf(page)).toBe(4);
});

test('a deletion can be undone until the library is closed, and is final then', async ({ open }) => {
  const page = await open(micro);
  const [older, newer] = await twoRuns(page);
  const stored = async () => (await readStore<Stored>(page, 'runs')).map(({ name }) => name);
  const library = await libraryOf(page);
  await button(library, `Delete ${older}`).click();
  await library
    .getByText(`${older} was removed from the list and will be deleted when the library is closed.`)
    .waitFor();
  expect(await listed(library)).toEqual([newer]);
  expect((await stored()).toSorted()).toEqual([newer, older].toSorted());
  // The button has the focus.
  await page.keyboard.press('Enter');
  await expect.poll(() => listed(library)).toEqual([newer, older]);
  await expect.poll(() => button(library, 'Undo').count()).toBe(0);

  await button(library, `Delete ${older}`).click();
  await button(library, 'Undo').waitFor();
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  // If the page is reloaded before the library is closed, nothing is deleted.
  await page.reload();
  await untilState(page, ['idle']);
  await libraryOf(page);
  await expect.poll(() => listed(library)).toEqual([newer, older]);
  await button(library, `Delete ${older}`).click();
  await page.keyboard.press('Escape');
  await expect.poll(stored).toEqual([newer]);
  await page.reload();
  await untilState(page, ['idle']);
  await libraryOf(page);
  await expect.poll(() => listed(library)).toEqual([newer]);
});

test('training asks the browser to keep the stored data, and the library shows the space that they take', async ({
  open,
}) => {
  const page = await open(micro);
  // A browser under test refuses to keep the data, so these replacements grant it.
  await page.evaluate(() => {
    let isGranted = false;
    const granted = () => Promise.resolve(isGranted);
    Object.assign(navigator.storage, { persisted: granted, persist: () => ((isGranted = true), granted()) });
  });
  let library = await libraryOf(page);
  await library.getByText('the browser may delete what is stored here').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Train' }).click();
  await untilState(page, ['done']);
  library = await libraryOf(page);
  await library.getByText('Data stored here are kept when the disk gets full.').waitFor();
  const meter = library.getByRole('meter', { name: 'Space used in this browser' });
  await expect.poll(() => meter.isVisible()).toBe(true);
  const [used, granted] = await meter.evaluate(({ value, max }: HTMLMeterElement) => [value, max]);
  expect(used).toBeGreaterThan(1e4); // a run of four iterations
  expect(granted).toBeGreaterThan(used ?? 0);
});

test('if the store is full, checkpoints of older runs are deleted, the visitor is told, and training goes on', async ({
  visit,
}) => {
  // The quota must be set before the store is opened, so the first page runs no code of Cothink. It has no icon.
  const { page, context } = await visit('/manifest.webmanifest', { tolerate: [/404/] });
  const { origin } = new URL(page.url());
  const session = await context.newCDPSession(page);
  await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 1.6e6 });
  const link = (seed: number, iterations: number) =>
    `${origin}${micro.replace('iterations=4', `iterations=${iterations}`)}&seed=${seed}&run.checkpointEvery=1&autostart=1`;
  const checkpoints = async () => readStore<{ runId: string; iteration: number }>(page, 'checkpoints');
  await page.goto(link(5, 10));
  await untilState(page, ['done']);
  const [first] = await readStore<Stored>(page, 'runs');
  await page.goto(link(9, 60));
  await page.getByText(/Storage was full, so this was deleted: .*checkpoints of/).waitFor();
  await untilState(page, ['done']);
  await expect.poll(async () => Math.max(...(await checkpoints()).map(({ iteration }) => iteration))).toBe(60);
  await expect.poll(() => page.getByRole('region', { name: 'Nothing is stored' }).count()).toBe(0);
  // The checkpoints left of the first run are enough to continue from.
  const left = (await checkpoints()).filter(({ runId }) => runId === first?.id).map(({ iteration }) => iteration);
  expect([left[0], left.at(-1)]).toEqual([0, 10]);
});

/** Returns whether the letters of an element, or those after the text `after`, are drawn from left to right. */
const runsOn = (of: Locator, after = '') =>
  of.evaluate((node, words) => {
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const places: number[] = [];
    for (let text = walker.nextNode(); text; text = walker.nextNode())
      for (
        let i = Math.max(0, (text.textContent ?? '').indexOf(words) + words.length);
        i < (text.textContent ?? '').length;
        i++
      ) {
        const range = document.createRange();
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        const { left, width } = range.getBoundingClientRect();
        if (width > 0) places.push(left);
      }
    return places.length > 1 && places.every((left, i) => i === 0 || left > (places[i - 1] ?? 0));
  }, after);

test('a stored name that reverses the writing direction affects only itself, and such a name cannot be given', async ({
  open,
}) => {
  const page = await open(micro);
  await step(page, 1);
  const [run] = await readStore<Stored>(page, 'runs');
  await writeRecord(page, 'labels', {
    runId: run?.id,
    name: '\u202Efdp.exe',
    notes: '\u202Enoted',
    tags: ['\u202Edone', 'open'],
    isPinned: false,
  });
  const library = await libraryOf(page);
  const row = library.locator('li').first();
  // Characters that change the writing direction are removed from stored texts.
  await expect.poll(() => row.locator('b').first().innerText()).toBe('fdp.exe');
  expect(await runsOn(row.locator('b').first())).toBe(true);
  await expect.poll(() => row.locator('.tag').count()).toBe(3);
  for (const tag of await row.locator('.tag').all()) {
    const name = await tag.innerText();
    expect(await runsOn(tag), name).toBe(true);
  }
  expect(await runsOn(row.locator('.notes'))).toBe(true);
  const said = await row.getByRole('button', { name: /^Pin/ }).getAttribute('aria-label');
  expect(said).toContain('fdp.exe');

  await row.getByRole('button', { name: /^Label/ }).click();
  await library.getByLabel('Name', { exact: true }).fill('\u202Eagain');
  await button(library, 'Save').click();
  await page.getByText('characters that change the writing direction').waitFor();
  await library.getByLabel('Name', { exact: true }).fill('calm again');
  await button(library, 'Save').click();
  await library.getByText('calm again', { exact: true }).waitFor();
});
