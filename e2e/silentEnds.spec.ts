// Nothing ends in silence: errors that nobody caught are told, and what a run held is let go when it ends.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilState } from './contract.ts';

const link = '/?preset=micro&backend=cpu&seed=5';

test('an error that nobody caught, and a promise that nobody heard, are told on the page', async ({ visit }) => {
  const { page } = await visit(link, { tolerate: [/thrown in a task/, /rejected unheard/] });
  await untilState(page, ['idle']);
  await page.evaluate(() => {
    setTimeout(() => {
      throw new RangeError('thrown in a task');
    });
    void Promise.reject(new TypeError('rejected unheard'));
  });
  const alerts = page.getByRole('alert');
  await alerts.nth(1).waitFor();
  const told = (await alerts.allInnerTexts()).join('\n');
  expect(told).toContain('thrown in a task');
  expect(told).toContain('rejected unheard');
});

test('the screen may sleep again when a run has ended by itself', async ({ visit }) => {
  const { page } = await visit('/manifest.webmanifest');
  await page.addInitScript(() => {
    const sentinels: { released: boolean }[] = [];
    const request = () => {
      const sentinel = {
        released: false,
        release: () => {
          sentinel.released = true;
          return Promise.resolve();
        },
      };
      sentinels.push(sentinel);
      return Promise.resolve(sentinel);
    };
    Object.defineProperty(navigator, 'wakeLock', { value: { request } });
    Object.assign(window, { sentinels });
  });
  await page.goto(`${new URL(page.url()).origin}${link}&iterations=6&autostart=1`);
  await untilState(page, ['done']);
  const released = () =>
    page.evaluate(() => (window as unknown as { sentinels: { released: boolean }[] }).sentinels.map((s) => s.released));
  await expect.poll(released).toEqual([true]);
});
