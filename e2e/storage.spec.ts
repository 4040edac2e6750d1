// Stored records are kept: a closed page continues from its newest checkpoint with the same bits, and a damaged record
// is named and never deleted without a request.
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { test, type OpenPage } from './browser.ts';
import { iterationOf, runState, step, untilIteration, untilState } from './contract.ts';
import { flipBit, readStore, writeRecord } from './database.ts';

const iterations = 60;
const link = `/?preset=micro&backend=cpu&seed=5&iterations=${iterations}&run.checkpointEvery=7`;

interface OfRun {
  runId: string;
  iteration: number;
}
interface Metrics extends OfRun {
  values: Record<string, number>;
}
interface Run {
  id: string;
  iteration: number;
  isDone: boolean;
}

const train = (page: Page) => page.getByRole('button', { name: 'Train' }).click();

/** Returns the metrics of each iteration of the only run. */
const trainedRows = async (page: Page) =>
  (await readStore<Metrics>(page, 'metrics')).filter(({ iteration }) => iteration > 0);

/** Returns all records of the only run, without times and speeds of the machine. */
async function history(page: Page) {
  // The checksum also covers the id.
  const withoutId = <T extends OfRun & { checksum?: number }>({ runId: _, checksum: __, ...rest }: T) => rest;
  const isClock = (name: string) => name.startsWith('time/') || name === 'charts/SPS';
  const metrics = (await trainedRows(page)).map(({ iteration, values }) => ({
    iteration,
    values: Object.fromEntries(Object.entries(values).filter(([name]) => !isClock(name))),
  }));
  const newest = (await readStore<OfRun>(page, 'checkpoints')).filter(({ iteration }) => iteration === iterations);
  return {
    metrics,
    evaluations: (await readStore<OfRun>(page, 'evaluations')).map(withoutId),
    dialogues: (await readStore<OfRun>(page, 'iterations')).map(withoutId),
    weights: newest.map(withoutId),
  };
}

/** Opens a page of the same origin that runs no code of Cothink, to read and change the store. */
async function besides(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(`${inject('origin')}/manifest.webmanifest`);
  return page;
}

test('a run whose page was closed resumes at its newest checkpoint and gives the same bits', async ({
  open,
  visit,
}) => {
  const whole = await visit(`${link}&autostart=1`);
  await untilState(whole.page, ['done']);
  const expected = await history(whole.page);
  expect(expected.metrics.at(-1)?.iteration).toBe(iterations);
  expect(expected.weights).toHaveLength(1);

  const page = await open(link);
  const context = page.context();
  await train(page);
  await untilIteration(page, 21);
  await page.close();

  const witness = await besides(context);
  const stored = await readStore<OfRun>(witness, 'checkpoints');
  const rows = await trainedRows(witness);
  const newest = stored.at(-1)?.iteration ?? -1;
  expect(newest).toBeGreaterThanOrEqual(14);
  expect(newest).toBeLessThan(iterations);
  // All iterations before the last one that the page reported are stored completely; the last one may not be stored yet.
  expect(rows.map(({ iteration }) => iteration)).toEqual(rows.map((_, i) => i + 1));
  expect(rows.length).toBeGreaterThanOrEqual(20);
  await witness.close();

  const again = await visit(link, { context });
  const bar = again.page.getByRole('region', { name: 'An unfinished run' });
  await bar.waitFor();
  await expect.poll(() => bar.innerText()).toContain(`stopped at iteration ${newest} of ${iterations}`);
  await bar.getByRole('button', { name: 'Open paused' }).click();
  await untilState(again.page, ['paused']);
  expect(await iterationOf(again.page)).toBe(newest);
  await train(again.page);
  await untilState(again.page, ['done']);
  expect(await iterationOf(again.page)).toBe(iterations);

  const resumed = await history(again.page);
  expect(resumed.metrics).toEqual(expected.metrics);
  expect(resumed.evaluations).toEqual(expected.evaluations);
  expect(JSON.stringify(resumed.dialogues) === JSON.stringify(expected.dialogues)).toBe(true);
  expect(JSON.stringify(resumed.weights) === JSON.stringify(expected.weights)).toBe(true);
  const [run] = (await readStore<Run>(again.page, 'runs')).filter(({ iteration }) => iteration > 0);
  expect(run?.isDone).toBe(true);
});

test('a page with autostart continues its run after a reload', async ({ visit }) => {
  const { page } = await visit(`${link}&autostart=1`);
  await untilIteration(page, 8);
  await page.reload();
  await untilState(page, ['done']);
  const runs = await readStore<Run>(page, 'runs');
  expect(runs.map(({ iteration, isDone }) => ({ iteration, isDone }))).toEqual([
    { iteration: iterations, isDone: true },
  ]);
});

test('a finished run is shown again after a reload, with its result, and can be opened from the library', async ({
  visit,
}) => {
  const { page } = await visit('/?backend=cpu&seed=5&iterations=2&evaluation.problems=16&autostart=1');
  await untilState(page, ['done']);
  const end = page.getByRole('button', { name: 'An experiment: change one thing' });
  await end.waitFor();
  await page.reload();
  await untilState(page, ['done']);
  await end.waitFor();
  expect(await iterationOf(page)).toBe(2);
  const [run] = await readStore<Run & { name: string }>(page, 'runs');
  await expect.poll(() => page.locator('header .pill.run').innerText()).toContain(run?.name);
  const trainButton = page.locator('header').getByRole('button', { name: 'Train' });
  await expect.poll(() => trainButton.getAttribute('title')).toContain('All iterations are done');

  // Another link starts a new run, and the library lists the finished one.
  await page.goto(page.url().replace('iterations=2', 'iterations=3').replace('&autostart=1', ''));
  await untilState(page, ['idle']);
  await page.getByRole('button', { name: 'Library of runs' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Open', exact: true }).click();
  await untilState(page, ['done']);
  await end.waitFor();
  expect(await readStore(page, 'runs')).toHaveLength(1);
});

test('if site data are cleared during a run, the visitor is told, and the rest of the run is stored', async ({
  open,
}) => {
  const page = await open(link);
  await train(page);
  await untilIteration(page, 5);
  const session = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' });
  await page.getByText(/The stored records of .+ are gone from this browser/).waitFor();
  await untilState(page, ['done']);
  const [run] = await readStore<Run>(page, 'runs');
  const rows = await trainedRows(page);
  expect([run?.iteration, run?.isDone, rows.at(-1)?.iteration]).toEqual([iterations, true, iterations]);
  expect(rows[0]?.iteration).toBeGreaterThan(1);
  // The checkpoint to continue from belongs to this run.
  const newest = (await readStore<OfRun>(page, 'checkpoints')).at(-1);
  expect([newest?.runId, newest?.iteration]).toEqual([run?.id, iterations]);
});

test('after a reload the visitor can also start fresh, and the unfinished run stays in the library', async ({
  open,
}) => {
  const page = await open(link);
  const context = page.context();
  await step(page, 1);
  await page.reload();
  const bar = page.getByRole('region', { name: 'An unfinished run' });
  const resume = bar.getByRole('button', { name: 'Resume', exact: true });
  const fresh = bar.getByRole('button', { name: 'Start fresh' });
  // Only one button is the main one, and both buttons are in one line.
  const weighs = (button: Locator) => button.evaluate((one) => getComputedStyle(one).backgroundColor);
  const train = page.locator('header').getByRole('button', { name: 'Train', exact: true });
  expect(await weighs(train)).not.toBe(await weighs(resume));
  const heights = async () =>
    (await Promise.all([fresh, resume].map((button) => button.boundingBox()))).map((box) => box?.y);
  await expect.poll(async () => new Set(await heights()).size).toBe(1);
  await fresh.click();
  await expect.poll(() => bar.count()).toBe(0);
  await untilState(page, ['idle']);
  // A step stores the run at its iteration; after a pause, this run might be stored at iteration 1, like the other one.
  await step(page, 1, 2);
  const runs = await readStore<Run>(page, 'runs');
  expect(runs.filter(({ iteration, isDone }) => iteration === 1 && !isDone)).toHaveLength(1);
  await page.getByRole('button', { name: 'Library of runs' }).click();
  await expect
    .poll(() =>
      page
        .getByRole('dialog')
        .getByText(new RegExp(`(?<!\\d)1 of ${iterations}`))
        .count(),
    )
    .toBe(1);
  await context.close();
});

test('damaged runs are listed as damaged, stay unchanged until they are deleted, and affect no other run', async ({
  open,
  visit,
}) => {
  const page = await open('/?preset=micro');
  const context = page.context();
  await page.close();
  const witness = await besides(context);
  const foreign = { id: 'from-tomorrow', format: 99 };
  const damaged = { id: 'damaged', format: 1, name: 7, preset: 'micro', config: {}, changes: [] };
  await writeRecord(witness, 'runs', foreign);
  await writeRecord(witness, 'runs', damaged);

  const again = await visit('/?preset=micro', { context });
  await untilState(again.page, ['idle']);
  await train(again.page);
  await untilIteration(again.page, 1);
  await again.page.getByRole('button', { name: 'Library of runs' }).click();
  const library = again.page.getByRole('dialog');
  await library.getByText(/run from-tomorrow: format: expected at most \d, got 99/).waitFor();
  await library.getByText('run damaged: name: expected string, got 7').waitFor();
  const runs = await readStore<{ id: string }>(witness, 'runs');
  expect(runs).toContainEqual(foreign);
  expect(runs).toContainEqual(damaged);
  await library.getByRole('button', { name: 'Delete damaged' }).click();
  await library.getByText('run damaged').waitFor({ state: 'detached' });
  // The run stays in the store until its deletion can no longer be undone.
  const left = async () => (await readStore<{ id: string }>(witness, 'runs')).map(({ id }) => id);
  expect(await left()).toContain('damaged');
  await again.page.keyboard.press('Escape');
  await expect.poll(left).not.toContain('damaged');
  expect(await left()).toContain('from-tomorrow');
});

/** Trains a run for one iteration and closes its page. Returns its checkpoints and a page that can damage them. */
async function stoppedRun(open: OpenPage) {
  const page = await open(link);
  const context = page.context();
  await step(page, 1);
  await page.close();
  const witness = await besides(context);
  const checkpoints = await readStore<OfRun & { networks: unknown }>(witness, 'checkpoints');
  return { context, witness, checkpoints };
}

test('a run whose newest checkpoint is damaged continues from the one before it, and the page says so', async ({
  open,
  visit,
}) => {
  const { context, witness, checkpoints } = await stoppedRun(open);
  const newest = checkpoints.at(-1) as OfRun;
  await flipBit(witness, [newest.runId, newest.iteration]);
  const again = await visit(link, { context });
  await again.page.getByRole('button', { name: 'Open paused' }).click();
  await again.page
    .getByText(/Records after iteration 0 cannot .*checkpoint 1 of run .*: the checksum does not match/)
    .waitFor();
  await untilState(again.page, ['paused']);
  expect(await iterationOf(again.page)).toBe(0);
  await train(again.page);
  await untilIteration(again.page, 2);
});

test('a run whose checkpoints are all damaged is refused by name, and the open run stays open', async ({
  open,
  visit,
}) => {
  const { context, witness, checkpoints } = await stoppedRun(open);
  // The checkpoints have no checksum, as those of earlier versions.
  for (const { checksum: _, ...checkpoint } of checkpoints as (OfRun & { checksum?: number })[])
    await writeRecord(witness, 'checkpoints', { ...checkpoint, networks: 'gone' });
  const again = await visit(link, { context });
  await again.page.getByRole('button', { name: 'Resume' }).click();
  await again.page.getByText(/checkpoint 1 of run .*: networks: expected \w+, got "gone"/).waitFor();
  expect(await runState(again.page)).toBe('idle');
  await train(again.page);
  await untilIteration(again.page, 1);
  expect(await readStore<OfRun & { networks: unknown }>(witness, 'checkpoints')).toContainEqual(
    expect.objectContaining({ iteration: 1, networks: 'gone' }),
  );
});
