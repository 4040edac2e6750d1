// The inspector by keyboard: every problem of an iteration, of the newest and of one that lies back.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { step } from './contract.ts';
import { cut, faultsInBothThemes, isWide } from './visitor.ts';

const few =
  'backend=cpu&learning.problemsPerIteration=6&evaluation.problems=16&evaluation.every=50&run.checkpointEvery=2';

const picker = (page: Page) => page.getByTitle('All problems of this iteration');
const numbers = (page: Page) => page.getByRole('button', { name: /, formula$/ }).first();

test('all problems of an iteration are walked through by key, each with its numbers', async ({ open }) => {
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
  await page.keyboard.press('.'); // from the last the first again
  await expect.poll(shown).toBe(first);
  expect(await page.getByText(/^weights after/).count()).toBe(0); // those of its own update

  // Iteration 1 lies between checkpoints: what is known is said to be of the nearest.
  await page.keyboard.press('[');
  await page.keyboard.press('[');
  await expect.poll(() => page.getByRole('slider', { name: 'Position in training' }).inputValue()).toBe('1');
  const before = await shown();
  await page.keyboard.press(',');
  await expect.poll(shown).not.toBe(before);
  await page.getByText('weights after iteration 2').waitFor();

  // The list says of each how it ended, and is walked through like any list.
  await picker(page).focus();
  await page.keyboard.press('Enter');
  const list = page.getByRole('listbox', { name: 'Problems of iteration 1' });
  await list.waitFor();
  await expect.poll(() => list.getByRole('option').count()).toBe(6);
  await page.keyboard.press('Home');
  await expect.poll(shown).toBe('problem 1 of 6');
  expect(await list.getByRole('option', { selected: true }).getAttribute('aria-label')).toMatch(
    /^Problem 1, .*: \d of 8 right, mean \d\.\d\d, spread \d\.\d\d/,
  );
  expect(await faultsInBothThemes(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => list.count()).toBe(0);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.getByText(/^held at/).count()).toBe(0);
});

test('the strip keeps to one line at 1280 pixels, and the list fits a phone', async ({ open }) => {
  const page = await open(`/?${few}`, { contextOptions: { viewport: { width: 1280, height: 800 } } });
  await step(page, 1);
  expect((await page.locator('.strip').boundingBox())?.height).toBeLessThan(50);
  expect(await cut(page, ['.strip'])).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await picker(page).click();
  const box = await page.getByRole('listbox', { name: /^Problems/ }).boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 999)).toBeLessThanOrEqual(390);
  expect(await isWide(page)).toBe(false);
});
