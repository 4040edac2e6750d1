// The host gets a newer version while the page is open. Parts that are not loaded yet are missing; the page says why.
import { expect } from 'vitest';
import { test } from './browser.ts';
import { untilIteration, untilState } from './contract.ts';

const training = '/?preset=micro&backend=cpu&warmStart.source=none&evaluation.problems=16&iterations=5000&autostart=1';
const gone = /404|Failed to fetch dynamically imported module/;

test('without a service worker, a missing part means a newer version, and one click loads it', async ({ visit }) => {
  const { page } = await visit(training, { tolerate: [gone] });
  await untilIteration(page, 2);
  // In the newer version all chunks have other names, also the first one.
  const isOwn = (url: URL) => url.pathname.startsWith('/assets/');
  await page.route(isOwn, (route) => route.fulfill({ status: 404, body: '' }));
  await page.route(/\/$/, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/assets/other.js">' }),
  );
  await page.getByRole('button', { name: 'Library of runs' }).click();
  await page.getByRole('dialog').getByText('A part of the page could not be loaded; reload the page.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByText('A newer version of this page is available.').waitFor();
  await untilIteration(page, 4);
  await page.unroute(isOwn);
  await page.unroute(/\/$/);
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload with it' }).click()]);
  // The page continues its run and reports no newer version.
  await untilState(page, ['training']);
  await expect.poll(() => page.getByText('A newer version of this page is available.').count()).toBe(0);
});

test('if only a part is missing and the start page is the same, no newer version is reported', async ({ visit }) => {
  const { page } = await visit(training, { tolerate: [gone] });
  await untilIteration(page, 2);
  await page.route(/Library-/, (route) => route.fulfill({ status: 404, body: '' }));
  const looked = page.waitForResponse((response) => new URL(response.url()).pathname === '/');
  await page.getByRole('button', { name: 'Library of runs' }).click();
  await page.getByRole('dialog').getByText('A part of the page could not be loaded; reload the page.').waitFor();
  await looked;
  await expect.poll(() => page.getByText('A newer version of this page is available.').count()).toBe(0);
});
