// Every failure is reported, also uncaught errors and workers that end, and a finished run releases the screen lock.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, step, untilIteration, untilOpen, untilState } from './contract.ts';
import { readStore } from './database.ts';
import { download, libraryOf } from './visitor.ts';

/** A page without code of Cothink, which only prepares the next one, has no icon. */
const iconless = /404 \(Not Found\)/;
const link = '/?preset=micro&backend=cpu&seed=5';

/** Records every worker that the page starts, with its name, so that a test can end it as the system could. */
const holdWorkers = () => {
  const workers: { name: string | undefined; worker: Worker }[] = [];
  const Real = Worker;
  window.Worker = class extends Real {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      workers.push({ name: given[1]?.name, worker: this });
    }
  };
  Object.assign(window, { workers });
};
const killTrainer = (page: Page) =>
  page.evaluate(() =>
    (window as unknown as Held).workers.findLast(({ name }) => name === 'trainer')?.worker.terminate(),
  );

interface Held {
  workers: { name: string | undefined; worker: Worker }[];
}

test('a trainer that ends during training is restarted once, from the last checkpoint', async ({ visit }) => {
  const { page } = await visit('/manifest.webmanifest', { tolerate: [iconless] });
  await page.addInitScript(holdWorkers);
  // Iterations take long enough that the second end follows soon after the first.
  await page.goto(`${new URL(page.url()).origin}${link}&iterations=5000&learning.problemsPerIteration=64&autostart=1`);
  await untilIteration(page, 11); // beyond the first scheduled checkpoint
  await killTrainer(page);
  await page.getByText(/continues from its last checkpoint, iteration \d+/).waitFor();
  await untilState(page, ['training']);
  await killTrainer(page);
  expect(await readStore(page, 'runs')).toHaveLength(1);
  const bar = page.getByRole('region', { name: 'The run has stopped' });
  await bar.waitFor();
  await page
    .getByText(/the trainer ended unexpectedly/)
    .first()
    .waitFor();
  await bar.getByRole('button', { name: /Go back to checkpoint/ }).click();
  await bar.waitFor({ state: 'detached' });
  await untilState(page, ['paused']);
  const from = await iterationOf(page);
  await page.getByRole('button', { name: 'Train' }).click();
  await untilIteration(page, from + 2);
});

test('if the worker that packs a run ends, the page says so, and another worker handles the next request', async ({
  visit,
}) => {
  const { page } = await visit('/manifest.webmanifest', { tolerate: [iconless] });
  await page.addInitScript(holdWorkers);
  await page.goto(new URL(page.url()).origin + link);
  await untilState(page, ['idle']);
  await step(page, 1);
  const library = await libraryOf(page);
  const save = library.getByRole('button', { name: /^Save the run archive of/ });
  const name = (await save.getAttribute('aria-label')) ?? '';
  expect((await download(library, name)).bytes.length).toBeGreaterThan(1000);
  await save.evaluate((button: HTMLElement) => {
    const { workers } = window as unknown as Held;
    button.click();
    workers.findLast((one) => one.name === 'archive')?.worker.terminate();
  });
  await page.getByText(/the worker that reads the stored data has stopped \(the worker ended unexpectedly/).waitFor();
  expect((await download(library, name)).bytes.length).toBeGreaterThan(1000);
});

const entry = /page\.worker-/;
const part = /trainer-[\w-]+\.js/;
const missing = { status: 404, body: 'not here' };
const throwing = { status: 200, body: 'throw new Error("no trainer today");' };
for (const { what, script, status, body } of [
  { what: 'entry that is missing', script: entry, ...missing },
  { what: 'part that throws while it loads', script: part, ...throwing },
]) {
  test(`the trainer’s ${what} is reported, and another try can succeed`, async ({ visit }) => {
    const told = [/404/, /no trainer today/, /dynamically imported module/];
    const { page } = await visit('/manifest.webmanifest', { tolerate: told });
    await page.route(script, (route) => route.fulfill({ status, body, contentType: 'text/javascript' }));
    await page.goto(`${new URL(page.url()).origin}${link}`);
    const bar = page.getByRole('region', { name: 'The run has stopped' });
    await bar.waitFor();
    await page
      .getByText(/the trainer (could not be loaded|has stopped)/)
      .first()
      .waitFor();
    await page.unroute(script);
    await bar.getByRole('button', { name: 'Try again' }).click();
    await untilOpen(page);
    await page.getByRole('button', { name: 'Train' }).click();
    await untilIteration(page, 1);
  });
}

test('the page reports an uncaught error and an unhandled rejection', async ({ open }) => {
  const page = await open(link, { tolerate: [/thrown in a task/, /rejected unheard/] });
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

test('the screen lock is released when a run is finished', async ({ visit }) => {
  const { page } = await visit('/manifest.webmanifest', { tolerate: [iconless] });
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
