// A long warm start is estimated and waits for the visitor. It can be stopped, its weights are stored, also those of an
// unfinished one, and it never blocks a run that can be resumed.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './browser.ts';
import { iterationOf, untilIteration, untilState } from './contract.ts';
import { readStore } from './database.ts';

const long = '/?preset=micro&backend=cpu&world.level=2&warmStart.steps=4000';
const short = '/?preset=micro&backend=cpu&world.level=2&warmStart.steps=30';

interface Kept {
  step: number;
  savedMs: number;
}

const standing = (page: Page) => page.locator('.standing').innerText();
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('a long warm start shows its duration, waits for the visitor, and continues where it was stopped', async ({
  open,
}) => {
  const page = await open(long);
  expect(await standing(page)).toMatch(
    /Not prepared\s+First the agents learn from example dialogues \(about \d+ (s|min).*only once\)/s,
  );
  await expect.poll(() => page.getByText('Measuring on this machine').count()).toBe(0);
  await button(page, 'Prepare').click();
  await untilState(page, ['preparing']);
  await page.getByText(/^about .* left$/).waitFor();
  // Meanwhile the page shows what is imitated and how well the agents do it.
  await page.getByText(/^Attempt after \d+ steps of imitation$/).waitFor();
  await expect.poll(() => page.getByText('the first problem is drawn when training starts').count()).toBe(0);
  await expect.poll(() => page.getByText('Measuring on this machine').count()).toBe(0);
  await expect.poll(() => readStore<Kept>(page, 'warmStarts'), { timeout: 100_000 }).toHaveLength(1);
  await button(page, 'Stop').click();
  await untilState(page, ['idle']);
  expect(await standing(page)).toMatch(
    /Not prepared\s+\d+ % of the learning from examples is done\. “Train” continues from there, about/,
  );
  // The partly trained weights are kept after a reload, and a reload starts nothing by itself.
  await page.reload();
  await untilState(page, ['idle']);
  expect(await standing(page)).toMatch(/[1-9]\d* % of the learning from examples/);
  await button(page, 'Continue preparing').click();
  await untilState(page, ['preparing']);
  const bar = page.getByRole('progressbar', { name: 'Warm start' });
  const share = () => bar.evaluate((element) => (element as HTMLProgressElement).value);
  await expect.poll(share, { timeout: 30_000 }).toBeGreaterThan(0); // the share is reported after the first step
  await button(page, 'Stop').click();
  await untilState(page, ['idle']);
});

test('a warm start that was trained in this browser is not trained again', async ({ open }) => {
  const page = await open(short);
  const trained = await readStore<Kept>(page, 'warmStarts');
  expect(trained.map(({ step }) => step)).toEqual([30]);
  await page.reload();
  await untilState(page, ['idle']);
  await page.goto(page.url().replace('warmStart.steps=30', 'warmStart.steps=30&optimiser.learningRate=0.001'));
  await untilState(page, ['idle']);
  expect(await readStore<Kept>(page, 'warmStarts')).toEqual(trained);
  await button(page, 'Step').click();
  await untilIteration(page, 1);
});

test('an unfinished run is offered next to a waiting warm start and can be resumed', async ({ open, visit }) => {
  const page = await open('/?preset=micro&backend=cpu&run.checkpointEvery=1');
  const context = page.context();
  for (let i = 1; i <= 2; i++) {
    await button(page, 'Step').click();
    await untilIteration(page, i);
    await untilState(page, ['paused']);
  }
  await page.close();
  const { page: next } = await visit(long, { context });
  await button(next, 'Resume').waitFor();
  await untilState(next, ['idle']);
  await button(next, 'Resume').click();
  await untilState(next, ['paused', 'training', 'done']);
  expect(await iterationOf(next)).toBeGreaterThanOrEqual(2); // the run may have continued, even to its end
});
