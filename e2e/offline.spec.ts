// On a host that sends no headers, the service worker isolates the page, stores it for offline use, and installs a newer
// version when the visitor accepts it.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { serveBare } from './bareHost.ts';
import { test } from './browser.ts';
import { iterationOf, untilIteration, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { shippedWarmStarts } from '../src/config/warmStarts.ts';

const base = '/a/b/';
const query = '?backend=cpu&iterations=2000&autostart=1';
/** Without a connection, the browser reports that it cannot look for a newer service worker. */
const unreachable = [/ERR_CONNECTION_REFUSED|ERR_INTERNET_DISCONNECTED|Failed to update|404/];

const isIsolated = (page: Page) => page.evaluate(() => crossOriginIsolated);

/** The reasons why the browser cannot install the page, except that a test uses a private window. */
async function hindrances(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page);
  const { installabilityErrors } = await session.send('Page.getInstallabilityErrors');
  const { errors } = await session.send('Page.getAppManifest');
  const ids = installabilityErrors.map(({ errorId }) => errorId).filter((id) => id !== 'in-incognito');
  return [...ids, ...errors.map(({ message }) => message)];
}

/** Waits until all code and all shipped warm starts are stored, so that a preset that was never visited opens offline. */
async function untilKept(page: Page): Promise<void> {
  const kept = () =>
    page.evaluate(async () => {
      const isThere = await caches.match('index.html', { ignoreSearch: true });
      return isThere ? (await (await caches.open('warm-starts')).keys()).length : 'not whole';
    });
  await expect.poll(kept, { timeout: 60_000 }).toBe(shippedWarmStarts.length);
}

test('in a folder of a bare host the page becomes isolated, trains with threads, and also works offline', async ({
  visit,
}) => {
  const host = await serveBare(base);
  try {
    const { page, context } = await visit(base + query, { origin: host.origin, offline: true, tolerate: unreachable });
    await untilIteration(page, 2);
    expect(await isIsolated(page)).toBe(true);
    await page
      .getByText(/[2-9] threads used/)
      .first()
      .waitFor({ state: 'attached' });
    // The page was loaded exactly twice: the second time to be isolated.
    expect(host.asked.filter((path) => path === base).length).toBe(2);
    // Files that a run does not need at its start are loaded after it has started.
    const later = () => host.asked.some((path) => path.includes('/Experiments-'));
    expect(later()).toBe(false);
    await untilKept(page);
    expect(later()).toBe(true);
    await page.close();
    await host.close();

    const again = await visit(base + query, { context, origin: host.origin, tolerate: unreachable });
    await untilIteration(again.page, 2); // from the shipped warm start
    expect(await isIsolated(again.page)).toBe(true);
    await again.page.getByRole('button', { name: 'Experiments' }).click(); // a chunk that was never opened before
    await again.page.getByRole('dialog').getByRole('heading').first().waitFor();
    await expect.poll(() => again.page.getByText('could not be loaded').count()).toBe(0);
  } finally {
    await host.close();
  }
});

test('a page that its host isolates is stored for offline use too', async ({ visit }) => {
  const { page, context } = await visit('/?backend=cpu&iterations=2&autostart=1', {
    offline: true,
    tolerate: unreachable,
  });
  await untilState(page, ['done']);
  await untilKept(page);
  expect(await hindrances(page)).toEqual([]);
  await context.setOffline(true);
  await page.goto(`${page.url().split('?')[0]}?backend=cpu&iterations=2&seed=4&autostart=1`);
  await untilState(page, ['done']);
  // This browser has never opened this preset.
  await page.goto(
    `${page.url().split('?')[0]}?preset=story&backend=cpu&iterations=1&evaluation.problems=16&autostart=1`,
  );
  await untilState(page, ['done']);
  expect(await isIsolated(page)).toBe(true);
});

test('a newer version is loaded only on request, after the end of the iteration, and the run continues', async ({
  visit,
}) => {
  let version = 1;
  const host = await serveBare(base, {
    alter: (name, body) => {
      if (version === 1) return body;
      if (name === 'index.html') return body.toString().replace('<head>', '<head><meta name="version" content="2">');
      if (name !== 'service.worker.js') return body;
      return body
        .toString()
        .replace(/("revision":")\w+(","url":"index\.html")|("url":"index\.html","revision":")\w+/, '$1$3second$2');
    },
  });
  try {
    const { page } = await visit(`${base}${query}&preset=default&warmStart.source=none`, {
      origin: host.origin,
      offline: true,
      tolerate: unreachable,
    });
    await untilIteration(page, 2);
    await untilKept(page);
    version = 2;
    await page.evaluate(async () => (await navigator.serviceWorker.ready).update());
    const take = page.getByRole('button', { name: 'Reload with it' });
    await take.waitFor();
    await expect.poll(() => page.locator('meta[name=version]').count()).toBe(0);
    const before = await iterationOf(page);
    await take.click();
    await page.locator('meta[name=version]').waitFor({ state: 'attached' });
    await untilState(page, ['training']); // autostart also continues the run
    expect(await iterationOf(page)).toBeGreaterThanOrEqual(before);
    expect(await isIsolated(page)).toBe(true);
    const kept = (await readStore<{ iteration: number }>(page, 'metrics')).map(({ iteration }) => iteration);
    expect(kept).toEqual([...kept.keys()].map((at) => at + 1));
    expect(await readStore(page, 'runs')).toHaveLength(1);
  } finally {
    await host.close();
  }
});

test('a request of the service worker to another origin is noticed like one of the page', async ({ visit }) => {
  const host = await serveBare(base);
  const elsewhere = 'http://127.0.0.1:9/';
  try {
    const { page, context, problems } = await visit(base + query, {
      origin: host.origin,
      offline: true,
      tolerate: [...unreachable, /^foreign request: http:\/\/127\.0\.0\.1:9\/$/],
    });
    await untilState(page, ['training']);
    expect(problems.filter((problem) => problem.startsWith('foreign'))).toEqual([]);
    await context.serviceWorkers()[0]?.evaluate(
      (url) =>
        fetch(url)
          .catch(() => null)
          .then(() => null),
      elsewhere,
    );
    await expect.poll(() => problems).toContain(`foreign request: ${elsewhere}`);
  } finally {
    await host.close();
  }
});

test('the page also starts if the host lacks the service worker', async ({ visit }) => {
  const host = await serveBare('/', { without: /service\.worker/ });
  try {
    const { page } = await visit('/?preset=micro&backend=cpu&iterations=2&autostart=1', {
      origin: host.origin,
      offline: true,
      tolerate: [/404/],
    });
    await untilState(page, ['done']);
    expect(await isIsolated(page)).toBe(false);
  } finally {
    await host.close();
  }
});
