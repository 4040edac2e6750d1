// Whether a run of hours is slower than a young one: two runs of micro by turns in one browser, of which one has stored as
// many iterations as hours leave behind.
import type { Browser, Page } from 'playwright-core';
import { tInterval } from '../../src/base/intervals.ts';
import { inChromium, untilRun } from '../shared/chromium.ts';
import { lengthen } from './busy.ts';

export type Aged = Awaited<ReturnType<typeof measureAged>>;

const iterations = 90_000;
const rounds = 10;
const roundMs = 8000;

/** A run that stands still, with so many iterations behind it. */
async function pausedAfter(browser: Browser, address: string, age: number): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await untilRun(page, ['idle'], 120_000);
  await page.keyboard.press('s');
  await untilRun(page, ['paused'], 120_000);
  if (age <= 1) return page;
  await lengthen(page, age);
  await page.reload();
  await page.getByRole('button', { name: 'Open paused' }).first().click();
  await untilRun(page, ['paused'], 120_000);
  return page;
}

/** Iterations a second, once it is under way. */
async function speedOf(page: Page): Promise<number> {
  await page.bringToFront();
  await page.keyboard.press(' ');
  await untilRun(page, ['training'], 60_000);
  await page.waitForTimeout(roundMs / 4);
  const speed = await page.evaluate(async (ms) => {
    const iteration = () => Number(document.documentElement.dataset['iteration']);
    const [from, began] = [iteration(), performance.now()];
    await new Promise((resolve) => setTimeout(resolve, ms));
    return (1000 * (iteration() - from)) / (performance.now() - began);
  }, roundMs);
  await page.keyboard.press(' ');
  await untilRun(page, ['paused'], 60_000);
  return speed;
}

/** The speed of the old run as a share of the young one’s, round by round. */
export function measureAged(origin: string, seed: number) {
  return inChromium(async (browser) => {
    const address = `${origin}/?preset=micro&learning.problemsPerIteration=8&backend=cpu&seed=${seed}&iterations=100000&run.checkpointEvery=100`;
    const young = await pausedAfter(browser, address, 1);
    const old = await pausedAfter(browser, address, iterations);
    const speeds: { young: number; old: number }[] = [];
    for (let i = 0; i < rounds; i++) {
      const isYoungFirst = i % 2 === 0;
      const first = await speedOf(isYoungFirst ? young : old);
      const second = await speedOf(isYoungFirst ? old : young);
      speeds.push(isYoungFirst ? { young: first, old: second } : { young: second, old: first });
      console.error(speeds.at(-1));
    }
    return { iterations, speeds, share: tInterval(speeds.map((one) => one.old / one.young)) };
  });
}
