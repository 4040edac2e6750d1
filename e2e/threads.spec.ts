// Threads on the CPU are used if the page is cross-origin isolated, and not used if the host sends no headers for this.
// Both ways give the same numbers, bit for bit.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { serveFolder } from '../scripts/serve.mjs';
import { test } from './browser.ts';
import { untilState } from './contract.ts';
import { readStore } from './database.ts';

const address = '/?preset=micro&autostart=1&seed=3&iterations=3&warmStart.steps=30&evaluation.problems=8&backend=cpu';

/** Returns the text of the popover about the engine, with the reason for it. */
async function badgeWords(page: Page): Promise<string> {
  await page.getByRole('button', { name: /^CPU/ }).click();
  const words = await page.locator('[popover]:popover-open').innerText();
  await page.keyboard.press('Escape');
  return words;
}

/** Returns the losses of every iteration. They change if any bit of any weight changes. */
async function lossesOf(page: Page): Promise<Record<string, number>[]> {
  const rows = await readStore<{ iteration: number; values: Record<string, number> }>(page, 'metrics');
  return rows.map(({ values }) => Object.fromEntries(Object.entries(values).filter(([name]) => /^losses/.test(name))));
}

test('an isolated page trains with threads, another page without threads, and both give the same losses', async ({
  visit,
}) => {
  const isolated = await visit(address);
  await untilState(isolated.page, ['done']);
  const cores = await isolated.page.evaluate(() => navigator.hardwareConcurrency);
  const used = cores > 1 ? `${String(Math.min(cores, 4))} threads used` : 'one thread used';
  expect(await badgeWords(isolated.page)).toContain(used);
  const expected = await lossesOf(isolated.page);
  await isolated.page.close();

  const plain = await serveFolder({ folder: process.env['PAGE_FOLDER'] ?? 'dist', port: 4283, headersOf: () => ({}) });
  try {
    const { page } = await visit('/?view=lab', { tolerate: [new RegExp(`^foreign request: ${plain.url}/`)] });
    await page.goto(plain.url + address);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
    await untilState(page, ['done']);
    const words = await badgeWords(page);
    expect(words).toContain('one thread used');
    if (cores > 1) expect(words).toContain('the page is not cross-origin isolated');
    const losses = await lossesOf(page);
    expect(losses.length).toBeGreaterThan(0);
    expect(losses).toEqual(expected);
  } finally {
    await plain.close();
  }
});
