// Uses the inspector by keyboard: all problems of the newest iteration and of an earlier one.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { learnerNames } from '../src/config/learners/registry.ts';
import { test } from './browser.ts';
import { step } from './contract.ts';
import { cut, faultsInBothThemes, isWide } from './visitor.ts';

const few =
  'preset=micro&backend=cpu&learning.problemsPerIteration=6&evaluation.problems=16&evaluation.every=50&run.checkpointEvery=2';

const picker = (page: Page) => page.getByTitle('All problems of this iteration');
const numbers = (page: Page) => page.getByRole('button', { name: /, formula$/ }).first();

test('a past iteration opens on the token that changed most, in view, until another one is chosen', async ({
  open,
}) => {
  const page = await open(`/?${few}`);
  await step(page, 1, 2, 3);
  const isOpen = page.locator('.table [aria-expanded="true"][aria-controls]');
  await expect.poll(() => isOpen.count()).toBe(0);
  await page.keyboard.press('[');
  await isOpen.waitFor();
  const isInPanel = () =>
    isOpen.evaluate((token) => {
      const [row, panel] = [token, token.closest('.panel')].map((one) => one?.getBoundingClientRect());
      return row !== undefined && panel !== undefined && row.top >= panel.top && row.bottom <= panel.bottom;
    });
  await expect.poll(isInPanel).toBe(true);
  const name = await isOpen.getAttribute('aria-label');
  const most = page.getByRole('button', { name: 'Show the token that changed most' });
  await expect.poll(() => most.count()).toBe(0);
  await isOpen.click();
  await expect.poll(() => isOpen.count()).toBe(0);
  await most.click();
  await expect.poll(() => isOpen.getAttribute('aria-label')).toBe(name);
});

test('keys go through all problems of an iteration, and each problem shows its numbers', async ({ open }) => {
  const page = await open(`/?${few}`);
  await step(page, 1, 2, 3);
  const shown = async () => (await picker(page).innerText()).replace(/\s+/g, ' ').replace(' ▾', '');
  const first = await shown();
  const seen = new Set([first]);
  for (let i = 1; i < 6; i++) {
    await page.keyboard.press('.');
    await expect.poll(async () => seen.has(await shown())).toBe(false);
    seen.add(await shown());
    await numbers(page).waitFor();
  }
  expect([...seen].sort()).toEqual([1, 2, 3, 4, 5, 6].map((n) => `problem ${n} of 6`));
  await page.keyboard.press('.'); // from the last problem to the first
  await expect.poll(shown).toBe(first);
  await expect.poll(() => page.getByText(/^weights after/).count()).toBe(0); // the iteration has its own weights

  // Iteration 1 has no checkpoint of its own, so the page shows the weights of the nearest one and says so.
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await expect.poll(() => page.getByRole('slider', { name: 'Position in training' }).inputValue()).toBe('1');
  // Chooses a problem that was not shown during training; a key that is pressed before it can be read has no effect.
  const other = async () => {
    const found = await page.getByText('weights after iteration 2').count();
    if (found === 0) await page.keyboard.press(',');
    return found;
  };
  await expect.poll(other, { interval: 1000, timeout: 20_000 }).toBe(1);

  // The list shows how each problem ended, and keys move through it as in any list box.
  await picker(page).focus();
  await page.keyboard.press('Enter');
  const list = page.getByRole('listbox', { name: 'Problems of iteration 1' });
  await list.waitFor();
  await expect.poll(() => list.getByRole('option').count()).toBe(6);
  await page.keyboard.press('Home');
  await expect.poll(shown).toBe('problem 1 of 6');
  await expect
    .poll(() => list.getByRole('option', { selected: true }).getAttribute('aria-label'))
    .toMatch(/^Problem 1, .*: \d of \d right, mean \d\.\d\d, spread \d\.\d\d/);
  expect(await faultsInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => list.count()).toBe(0);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByText(/^showing/).count()).toBe(0);
});

test('if each problem has one rollout, all problems of an iteration are one bar for keys and pointer', async ({
  open,
}) => {
  const page = await open('/?backend=cpu&seed=11&learning.problemsPerIteration=32&evaluation.problems=16');
  await step(page, 1);
  const bar = page.getByRole('slider', { name: '32 problems, one rollout each, best first' });
  const words = () => bar.getAttribute('aria-valuetext');
  const place = async () => Number(await bar.inputValue());
  await bar.focus();
  await page.keyboard.press('End');
  await expect.poll(words).toMatch(/^problem \d+: (wrong|unfinished: .*), reward/);
  await numbers(page).waitFor();
  await expect
    .poll(() => picker(page).innerText())
    .toContain((await words())?.match(/^problem (\d+)/)?.[1] ?? 'no number');
  await page.keyboard.press('Home');
  await expect.poll(words).toMatch(/^problem \d+: right, reward 1\.\d+/);
  await bar.blur();
  await page.keyboard.press('ArrowRight'); // the key works anywhere on the page
  await expect.poll(place).toBe(1);
  const box = await bar.locator('..').boundingBox();
  if (!box) throw new Error('the bar is not on the page');
  await page.mouse.click(box.x + (20.5 / 32) * box.width, box.y + 10);
  await expect.poll(place).toBe(20);
  await page.getByRole('button', { name: /^mean/ }).click();
  await page
    .getByText(/^Mean reward of all 32 problems of this iteration, each tried once: \d+ right, \d+ wrong/)
    .waitFor();
  expect(await faultsInBothThemes(page, '.strip')).toEqual([]);
});

test('the strip takes one line at 1280 pixels, and the list of problems fits on a phone', async ({ open }) => {
  const page = await open(`/?${few}`, { contextOptions: { viewport: { width: 1280, height: 800 } } });
  await step(page, 1);
  expect((await page.locator('.strip').boundingBox())?.height).toBeLessThan(50);
  expect(await cut(page, ['.strip'])).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await picker(page).click();
  const box = await page.getByRole('listbox', { name: /^Problems/ }).boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  await expect.poll(() => isWide(page)).toBe(false);
});

/** Stores the dialogues of an iteration `count` times under later iterations, as a long run would have stored them. */
async function multiply(page: Page, count: number): Promise<void> {
  await page.evaluate(async (copies) => {
    const opened = indexedDB.open('cothink');
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      opened.onsuccess = () => resolve(opened.result);
      opened.onerror = () => reject(new Error('the store cannot be opened'));
    });
    const stores = ['iterations', 'iterationRows'];
    const transaction = database.transaction(stores, 'readwrite');
    for (const name of stores) {
      const store = transaction.objectStore(name);
      const all = store.getAll();
      await new Promise((resolve) => (all.onsuccess = resolve));
      const [first] = all.result as { iteration: number }[];
      // The checksum also covers the iteration, so a copied checksum would be wrong; a record without one is accepted.
      for (let i = 0; i < copies; i++) store.put({ ...first, checksum: undefined, iteration: 100 + i });
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  }, count);
}

test('ten thousand dialogues can be searched and scrolled without a long task, and one is opened by key', async ({
  open,
}) => {
  const page = await open('/?preset=default&backend=cpu&evaluation.problems=16&evaluation.every=50&iterations=2');
  await step(page, 1);
  await multiply(page, 40);
  await page.evaluate(() => {
    const tasks: number[] = [];
    Object.assign(window, { tasks });
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
      type: 'longtask',
    });
  });
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog', { name: 'Stored dialogues' });
  const list = dialog.getByRole('listbox', { name: 'Dialogues' });
  await dialog.getByText('10,496 dialogues', { exact: true }).waitFor();
  await expect.poll(() => list.getByRole('option').count()).toBeLessThan(60);
  await expect.poll(() => list.getByRole('option').first().getAttribute('aria-setsize')).toBe('10496');
  const tasks = () => page.evaluate(() => (window as unknown as { tasks: number[] }).tasks.splice(0));
  await tasks(); // opening a dialog lays the page out
  // Other programs on the machine may make any task long, so one round without a long task is enough.
  const longWhileScrolling = async () => {
    await list.evaluate(async (element) => {
      element.scrollTop = 0;
      for (let i = 0; i < 40; i++) {
        element.scrollTop += 4000;
        await new Promise(requestAnimationFrame);
      }
    });
    return tasks();
  };
  await expect.poll(longWhileScrolling, { timeout: 20_000 }).toEqual([]);

  // The list changes within 100 ms of the input.
  const search = dialog.getByRole('searchbox');
  const answerMs = () =>
    search.evaluate((input: HTMLInputElement) => {
      const began = performance.now();
      const before = input.closest('dialog')?.innerText;
      input.value = input.value === '7 gives' ? '4' : '7 gives';
      input.dispatchEvent(new Event('input', { bubbles: true }));
      return new Promise<number>((resolve) => {
        const look = () =>
          input.closest('dialog')?.innerText !== before ? resolve(performance.now() - began) : setTimeout(look);
        look();
      });
    });
  await expect.poll(answerMs, { timeout: 20_000 }).toBeLessThan(100);
  await search.fill('');
  await dialog.getByLabel('Answer', { exact: true }).selectOption('wrong');
  await dialog.getByLabel('Order').selectOption('oldest');
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);

  await list.focus();
  await page.keyboard.press('PageDown');
  await page.keyboard.press('ArrowDown');
  const wanted = await list.getByRole('option', { selected: true }).innerText();
  await page.keyboard.press('Enter');
  await expect.poll(() => dialog.count()).toBe(0);
  await expect.poll(() => page.getByText(/^showing iteration 1/).count()).toBe(1);
  const [, , shown = ''] = wanted.split('\n');
  await expect.poll(() => page.locator('.bar .sum').innerText()).toBe(shown);
  await numbers(page).waitFor();
});

test('one or all shown dialogues are copied as lines of the export', async ({ visit }) => {
  const { page, context } = await visit(`/?${few.replace('micro', 'default')}&iterations=2`);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await step(page, 1);
  await page.keyboard.press('d');
  const dialog = page.getByRole('dialog', { name: 'Stored dialogues' });
  await dialog.getByLabel('Answer', { exact: true }).selectOption('right');
  const found = await dialog.getByRole('button', { name: /^Copy all/ }).innerText();
  const count = Number(/\d+/.exec(found)?.[0]);
  await dialog.getByRole('button', { name: /^Copy all/ }).click();
  const copied = async () => (await page.evaluate(() => navigator.clipboard.readText())).trim().split('\n');
  await expect.poll(async () => (await copied()).length).toBe(count);
  const lines = (await copied()).map(
    (line) => JSON.parse(line) as { id: string; is_right: boolean; messages: object[] },
  );
  expect(lines.every((line) => line.is_right && line.id.startsWith('1-') && line.messages.length > 2)).toBe(true);
  await dialog.getByRole('button', { name: 'Copy it as JSONL' }).click();
  await expect.poll(async () => (await copied()).length).toBe(1);
  // Each heading is above its column and not cut off, also on a phone.
  for (const width of [390, 640, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const [heads, row] = await dialog.evaluate((element) =>
      ['.heads', '[role="option"] .one'].map((one) =>
        [...(element.querySelector(one)?.children ?? [])].flatMap((cell) => {
          const { left, right } = cell.getBoundingClientRect();
          return right > left ? [[Math.round(left), Math.round(right)]] : [];
        }),
      ),
    );
    expect(heads, `${width}`).toEqual(row);
    expect(await cut(page, ['.heads > *']), `${width}`).toEqual([]);
  }
});

test('an opened token can be compared under other learners, and the page shows what it attended to', async ({
  open,
}) => {
  const page = await open(
    '/?preset=default&backend=cpu&learning.problemsPerIteration=4&evaluation.problems=16&evaluation.every=50',
  );
  await step(page, 1);
  await numbers(page).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Under other learners').focus();
  await page.keyboard.press('Enter');
  const learners = page.getByRole('region', { name: 'This token under other learners' });
  await learners.waitFor();
  const lines = await learners.getByRole('row').allInnerTexts();
  expect(lines).toHaveLength(1 + learnerNames.length); // the first line is the header
  expect(lines[1]).toMatch(/^GRPO\b.*this run$/s);
  expect(lines.find((line) => line.startsWith('RLOO'))).toMatch(/× this run’s$/);
  expect(lines.find((line) => line.startsWith('MAPPO'))).toMatch(/needs a critic with the whole dialogue as input$/);
  // The run's own learner has the same advantage here as in the token table.
  const columns = await page.getByRole('columnheader').allInnerTexts();
  const cells = await page.getByRole('row').nth(1).getByRole('cell').allInnerTexts();
  const used = cells[columns.indexOf('A') - 1]?.replace('.', '0.');
  await expect.poll(() => learners.getByRole('row').nth(1).getByRole('cell').nth(1).innerText()).toBe(used);

  await page.getByText('Attention of the token').focus();
  await page.keyboard.press('Enter');
  const read = page.getByRole('img', { name: /^Attention to \d+ tokens$/ });
  await read.waitFor();
  const tints = () => read.locator('code').evaluateAll((all) => all.map((one) => one.getAttribute('title')).join());
  const mean = await tints();
  await page.getByRole('combobox', { name: 'head' }).selectOption({ label: '1 of 4' });
  await expect.poll(tints).not.toBe(mean);
  expect(await faultsInBothThemes(page)).toEqual([]);
  // Both panels stay open when another token is chosen.
  await page
    .getByRole('button', { name: /, formula$/ })
    .nth(1)
    .click();
  await expect.poll(tints).not.toBe(mean);
  await expect.poll(() => learners.count()).toBe(1);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => isWide(page)).toBe(false);
});

test('a link to a token opens it in the stored run or after training; a missing token is reported', async ({
  visit,
}) => {
  const { page, context } = await visit(`/?${few}&iterations=4`);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await step(page, 1, 2);
  const first = await picker(page).innerText();
  await page.keyboard.press('.');
  await expect.poll(() => picker(page).innerText()).not.toBe(first);
  // Goes from the token that changed most to the first turn of the first dialogue, then to the second of both.
  await numbers(page).waitFor();
  for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowLeft');
  for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowDown');
  await numbers(page).waitFor();
  const marked = async (one: Page) => [
    await picker(one).innerText(),
    await one.getByRole('option', { selected: true }).first().getAttribute('aria-label'),
    await one.getByRole('button', { name: /, formula$/, expanded: true }).innerText(),
    await one.locator('th.toned').first().innerText(),
  ];
  if ((await numbers(page).getAttribute('aria-expanded')) !== 'true') await numbers(page).press('Enter');
  const wanted = await marked(page);
  await page.getByRole('button', { name: 'Copy link to this token' }).press('Enter');
  await page.getByText('The link to this token is copied.').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/#token=2\/\d+\/\d+\/2\/1$/);
  await page.close();

  const path = link.slice(new URL(link).origin.length);
  const again = (await visit(path, { context })).page;
  await again.getByRole('button', { name: 'Copy link to this token' }).waitFor({ timeout: 60_000 });
  await expect.poll(() => marked(again)).toEqual(wanted); // the stored run first opens on another token
  await again.close();

  const fresh = (await visit(path)).page;
  await fresh.getByText(/^The link points to a token of iteration 2/).waitFor();
  await fresh.getByRole('button', { name: 'Train', exact: true }).last().click();
  await fresh.getByRole('button', { name: 'Copy link to this token' }).waitFor({ timeout: 60_000 });
  await expect.poll(() => marked(fresh)).toEqual(wanted);
  await fresh.close();

  const gone = (await visit(path.replace(/#token=2\/\d+/, '#token=2/99'), { context })).page;
  await gone.getByText(/or this iteration has no problem 99/).waitFor({ timeout: 60_000 });
  await gone.getByRole('button', { name: 'Show the nearest stored iteration' }).waitFor();
});

test('one held-out problem is shown for each checkpoint, next to the first one, by keyboard', async ({ open }) => {
  const page = await open(
    '/?backend=cpu&learning.problemsPerIteration=4&evaluation.problems=16&evaluation.every=50&run.checkpointEvery=1',
  );
  await step(page, 1, 2);
  await page.keyboard.press('t');
  const dialog = page.getByRole('dialog', { name: 'One problem through time' });
  const moments = dialog.getByRole('group', { name: 'Checkpoints' }).getByRole('button');
  await expect.poll(() => moments.count()).toBe(3);
  const column = (name: string) => dialog.getByRole('region', { name });
  await column('After iteration 0').waitFor();
  await column('After iteration 2').waitFor();
  await dialog.getByRole('slider').focus();
  await page.keyboard.press('ArrowLeft');
  await column('After iteration 1').waitFor();
  await expect.poll(() => column('After iteration 2').count()).toBe(0);
  const asked = dialog.locator('.sum');
  const before = await asked.innerText();
  await dialog.getByRole('button', { name: 'Next problem' }).press('Enter');
  await expect.poll(async () => (await asked.count()) === 1 && (await asked.innerText()) !== before).toBe(true);
  await expect.poll(() => moments.count()).toBe(3);
  expect(await faultsInBothThemes(page, 'dialog')).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(() => isWide(page)).toBe(false);
});
