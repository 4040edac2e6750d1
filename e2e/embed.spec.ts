// A frame on another site shows the stage, and nothing else of the page. Nothing runs and nothing is stored before the
// visitor presses its button.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import AxeBuilder from '@axe-core/playwright';
import type { Frame, Page } from 'playwright-core';
import { expect, inject, onTestFinished } from 'vitest';
import { serveBare } from './bareHost.ts';
import { test, type OpenVisit } from './browser.ts';

/**
 * The number of things that a frame has stored so far: databases, entries of the two storages, caches and service
 * workers.
 */
const storedIn = (frame: Frame) =>
  frame.evaluate(async () => [
    (await indexedDB.databases()).length,
    localStorage.length,
    sessionStorage.length,
    (await caches.keys()).length,
    (await navigator.serviceWorker.getRegistrations()).length,
  ]);

/**
 * Opens a page of another origin with this HTML, and returns its first frame. If it belongs to another site too, the
 * browser lets the frame store nothing.
 */
async function frameIn(html: string, visit: OpenVisit, host = 'localhost'): Promise<{ page: Page; frame: Frame }> {
  const site = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(`<!doctype html><html lang="en"><title>Another site</title><body>${html}</body></html>`);
  });
  await new Promise<void>((resolve) => void site.listen(0, host, resolve));
  onTestFinished(() => void site.close());
  const origin = `http://${host}:${(site.address() as AddressInfo).port}`;
  // A refused frame and blocked scripts are logged as errors.
  const tolerate = [
    /^foreign request: http:\/\/localhost:/,
    /Framing|frame-ancestors|Blocked script|CORS policy|net::ERR_/,
  ];
  const { page } = await visit('/', { origin, tolerate });
  const [, frame] = page.frames();
  if (!frame) throw new Error('the page of the other site has no frame');
  return { page, frame };
}

/** The line of HTML that the page itself offers for this link. */
async function lineOf(link: string, visit: OpenVisit): Promise<string> {
  const { page } = await visit(link);
  await page.getByRole('button', { name: 'Share', exact: true }).first().click();
  return page.getByLabel('Line of HTML', { exact: true }).inputValue();
}

test('the line of HTML from Share shows the stage elsewhere, and stores nothing before the press', async ({
  visit,
}) => {
  const line = await lineOf(
    '/?preset=micro&iterations=5000&backend=cpu&warmStart.source=none&seed=5&view=stage',
    visit,
  );
  const { page, frame } = await frameIn(line, visit);
  await frame.getByRole('button', { name: 'Let them learn' }).waitFor();
  expect(await storedIn(frame)).toEqual([0, 0, 0, 0, 0]);
  expect(page.workers()).toEqual([]);
  const link = frame.getByRole('link', { name: 'Open Cothink in a tab' });
  await expect.poll(() => link.getAttribute('href')).toMatch(/^http:\/\/localhost:\d+\/\?.*preset=micro.*view=stage/);
  const { violations } = await new AxeBuilder({ page }).include(['iframe', 'main']).analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);

  await frame.getByRole('button', { name: 'Let them learn' }).click();
  const iteration = async () => Number(await frame.locator('html').getAttribute('data-iteration'));
  await expect.poll(iteration, { timeout: 60_000 }).toBeGreaterThan(2);
  await frame.getByRole('button', { name: 'Pause' }).click();
  // There is no way into the laboratory, neither by a button nor by a key.
  await page.keyboard.press('Escape');
  await page.keyboard.press('v');
  await frame.locator('main.first-minute').getByRole('button', { name: 'Let them learn' }).waitFor();
  await expect.poll(() => frame.getByRole('navigation').getByRole('button').count()).toBe(0);
  await expect.poll(() => link.getAttribute('href')).toMatch(/\/\?.*preset=micro.*view=stage/);
  expect((await storedIn(frame)).slice(3)).toEqual([0, 0]);
});

test('on another site, where a frame cannot store anything, the team learns all the same', async ({ visit }) => {
  const address = `${inject('origin')}/embed.html?preset=micro&backend=cpu&warmStart.source=none`;
  const { frame } = await frameIn(`<iframe src="${address}" title="x"></iframe>`, visit, '127.0.0.1');
  await frame.getByRole('button', { name: 'Let them learn' }).click();
  await expect
    .poll(async () => Number(await frame.locator('html').getAttribute('data-iteration')), { timeout: 60_000 })
    .toBeGreaterThan(2);
  await frame.getByText('This browser stores nothing here, so earlier answers are not kept.').first().waitFor();
});

test('the element cothink-run shows a run in a page of another site, and another one when its attributes change', async ({
  visit,
}) => {
  const origin = inject('origin');
  const element = `<cothink-run preset="micro" settings="backend=cpu&amp;warmStart.source=none&amp;run.seed=5" style="height: 500px"></cothink-run>`;
  const { page, frame } = await frameIn(`<script src="${origin}/cothink-run.js"></script>${element}`, visit);
  await frame.getByRole('button', { name: 'Let them learn' }).click();
  const iteration = async () => Number(await frame.locator('html').getAttribute('data-iteration'));
  await expect.poll(iteration, { timeout: 60_000 }).toBeGreaterThan(0);
  const shown = page.locator('cothink-run');
  expect(Math.round((await shown.boundingBox())?.height ?? 0)).toBe(500);
  await expect.poll(() => shown.locator('iframe').getAttribute('title')).toBe('Cothink');
  const { violations } = await new AxeBuilder({ page }).include('cothink-run').analyze();
  expect(violations.map(({ id }) => id)).toEqual([]);
  await shown.evaluate((one) => {
    one.setAttribute('lang', 'de');
    one.setAttribute('settings', 'backend=cpu&warmStart.source=none&run.seed=6');
  });
  await page.frameLocator('cothink-run iframe').getByRole('button', { name: 'Lernen lassen' }).waitFor();
});

test('the address of the page with view=embed may be framed too, and other views may not', async ({ visit }) => {
  const origin = inject('origin');
  const { frame } = await frameIn(`<iframe src="${origin}/?view=embed&lang=de" title="x"></iframe>`, visit);
  await frame.getByRole('button', { name: 'Lernen lassen' }).waitFor();
  const { frame: refused } = await frameIn(`<iframe src="${origin}/?view=lab" title="x"></iframe>`, visit);
  await expect.poll(() => refused.url()).toContain('chrome-error:');
});

test('on a host without headers, the laboratory in a frame of another site is only a link', async ({ visit }) => {
  const host = await serveBare('/');
  onTestFinished(() => host.close());
  const { page, frame } = await frameIn(`<iframe src="${host.origin}/?view=lab" title="x"></iframe>`, visit);
  await frame.getByText('The laboratory opens only in a tab of its own.').waitFor();
  await expect.poll(() => frame.getByRole('button').count()).toBe(0);
  expect(await storedIn(frame)).toEqual([0, 0, 0, 0, 0]);
  expect(page.workers()).toEqual([]);
});

test.for(['', 'allow-scripts'])(
  'a frame with sandbox="%s" shows a still picture and a link',
  async (rule, { visit }) => {
    const address = `${inject('origin')}/embed.html`;
    const { frame } = await frameIn(`<iframe sandbox="${rule}" src="${address}" title="x"></iframe>`, visit);
    await frame.getByRole('img', { name: /planner and a reasoner/ }).waitFor();
    await frame.getByRole('link', { name: /^Cothink/ }).waitFor();
  },
);
