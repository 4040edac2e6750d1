// The profiler shows how an iteration spends its time: as a forecast before the start, then measured and stored.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { IterationMetrics } from '../src/records/metrics.ts';
import { profileMs } from '../src/records/profile.ts';
import { test, type OpenPage } from './browser.ts';
import { iterationOf, resume, step } from './contract.ts';
import { readStore, writeRecord } from './database.ts';
import { download, faultsInBothThemes } from './visitor.ts';

const link = '/?preset=micro&backend=cpu&iterations=5000&learning.groupSize=4&evaluation.every=2';

/** Opens a page with a run that is paused after three iterations. */
async function pausedPage(open: OpenPage): Promise<Page> {
  const page = await open(link);
  await step(page, 1, 2, 3);
  return page;
}

const profilerOf = (page: Page) => page.getByRole('dialog', { name: 'Where the time goes' });

/** Converts `412 ms` or `1.24 s` to milliseconds. A dash counts as 0. */
function milliseconds(text: string): number {
  const [, number, unit] = /^([\d.]+) (ms|s)$/.exec(text.trim()) ?? [];
  return number === undefined ? 0 : Number(number) * (unit === 's' ? 1000 : 1);
}

test('the profiler shows a forecast before the start, and measured times from the first iteration on', async ({
  open,
}) => {
  const page = await open(link);
  await page.keyboard.press('p');
  const profiler = profilerOf(page);
  await profiler.getByText(/An iteration should take about/).waitFor();
  await expect
    .poll(() => profiler.getByRole('img').getAttribute('aria-label'))
    .toMatch(/^Expected: Rollout: .*Update: /);
  await page.keyboard.press('Escape');
  await expect.poll(() => profiler.count()).toBe(0);

  await step(page, 1);
  await page.getByRole('button', { name: /^CPU/ }).click();
  await page.getByRole('button', { name: 'Where the time goes' }).first().click();
  await profiler.getByText(/Iteration 1 took/).waitFor();
  await expect.poll(() => profiler.getByText('CPU', { exact: true }).isVisible()).toBe(true);
  const rows = await profiler.locator('tr[data-part]').all();
  const parts = await Promise.all(rows.map(async (row) => milliseconds(await row.locator('td').first().innerText())));
  const together = milliseconds(await profiler.locator('tfoot td').first().innerText());
  const sum = parts.reduce((a, b) => a + b, 0);
  expect(parts.filter((ms) => ms > 0).length).toBeGreaterThanOrEqual(3);
  // Each cell is rounded to three digits.
  expect(Math.abs(sum - together)).toBeLessThan(0.02 * together + 2);
  const work = (name: string) => profiler.locator(`tr[data-work="${name}"] td`).first().innerText();
  expect(await work('sampledPerSecond')).toMatch(/^[\d.]+k?\/s$/);
  expect(await work('peakBytes')).toMatch(/^[\d.]+ (kB|MB)$/);
});

test('the arrow keys move through the newest iterations, and a button returns to the live view', async ({ open }) => {
  const page = await pausedPage(open);
  await page.keyboard.press('p');
  const profiler = profilerOf(page);
  const slider = profiler.getByRole('slider', { name: 'Iteration' });
  await slider.waitFor();
  await expect.poll(() => slider.getAttribute('aria-valuetext')).toMatch(/^iteration 3, [\d.]+ m?s, newest$/);
  await slider.focus();
  await page.keyboard.press('ArrowLeft');
  await profiler.getByText(/Iteration 2 took/).waitFor();
  // The evaluation that is due every second iteration belongs to that iteration.
  expect(milliseconds(await profiler.locator('tr[data-part="evaluation"] td').first().innerText())).toBeGreaterThan(0);
  await page.keyboard.press('Home');
  await profiler.getByText(/Iteration 1 took/).waitFor();
  await expect.poll(() => slider.getAttribute('aria-valuenow')).toBe('1');
  await profiler.getByRole('button', { name: 'live' }).click();
  await profiler.getByText(/Iteration 3 took/).waitFor();
  await profiler.getByRole('button', { name: 'Peak memory' }).click();
  await expect
    .poll(() => page.locator('[popover]:popover-open').innerText())
    .toMatch(/largest amount of memory in use/);
});

test('axe finds nothing serious in either theme, wide and narrow', async ({ open }) => {
  const page = await pausedPage(open);
  await page.keyboard.press('p');
  await profilerOf(page).getByRole('slider').waitFor();
  expect(await faultsInBothThemes(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await faultsInBothThemes(page)).toEqual([]);
  const sheet = profilerOf(page).getByRole('region', { name: 'Where the time goes' });
  expect(await sheet.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThanOrEqual(0);
  // The button is also available on a narrow page.
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Where the time goes' }).click();
  await profilerOf(page).getByRole('slider').waitFor();
});

test('the times are stored with the run and can be exported', async ({ open }) => {
  const page = await pausedPage(open);
  const stored = await readStore<IterationMetrics>(page, 'metrics');
  expect(stored.map(({ iteration }) => iteration)).toEqual([1, 2, 3]);
  for (const { profile } of stored) expect(profile && profileMs(profile)).toBeGreaterThan(0);

  await page.keyboard.press('p');
  const take = async (name: string) => (await download(profilerOf(page), name)).text;
  const [head = '', ...lines] = (await take('Numbers as CSV')).trimEnd().split('\r\n');
  const at = head.split(',').indexOf('profile/parts/updateMs');
  expect(lines.map((line) => Number(line.split(',')[at]))).toEqual(stored.map(({ profile }) => profile?.parts.update));
  const rows = JSON.parse(await take('as JSON')) as IterationMetrics[];
  expect(rows.map(({ profile }) => profile)).toEqual(stored.map(({ profile }) => profile));
  expect(await take('for TensorBoard')).toContain('evaluation/accuracy');

  // After a reload, the stored times are shown.
  await page.keyboard.press('Escape');
  await page.reload();
  await resume(page);
  await page.keyboard.press('p');
  await profilerOf(page)
    .getByText(/Iteration [23] took/)
    .waitFor();
});

test('a run that was stored without times opens, and the profiler says why it shows none', async ({ open }) => {
  const page = await pausedPage(open);
  for (const { profile: _, ...old } of await readStore<IterationMetrics>(page, 'metrics')) {
    await writeRecord(page, 'metrics', old);
  }
  await page.reload();
  await resume(page);
  await page.keyboard.press('p');
  await profilerOf(page).getByText('This run was stored before times were recorded.').waitFor();
  await page.keyboard.press('Escape');
  const iteration = await iterationOf(page);
  await step(page, iteration + 1);
  await page.keyboard.press('p');
  await profilerOf(page)
    .getByText(new RegExp(`Iteration ${iteration + 1} took`))
    .waitFor();
});
