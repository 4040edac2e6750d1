// Measures whether a run is slower after an hour: two runs of the first preset alternate, each in a separate browser,
// and one of them has stored as much as a run of an hour stores.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { tInterval } from '../../src/base/intervals.ts';
import { inChromium, processorSeconds, untilRun } from '../shared/chromium.ts';
import { lengthen } from './busy.ts';

export type Aged = Awaited<ReturnType<typeof measureAged>>;

/** The iterations of an hour at five per second. */
const iterations = 18_000;
const rounds = 10;
const roundMs = 12_000;

interface Paused {
  browser: Browser;
  page: Page;
}

/** A paused run with this many completed iterations. */
async function pausedAfter(profile: BrowserContext, browser: Browser, address: string, age: number): Promise<Paused> {
  const page = await profile.newPage();
  await page.goto(address);
  await untilRun(page, ['idle'], 120_000);
  await page.keyboard.press('s');
  await untilRun(page, ['paused'], 120_000);
  if (age > 1) {
    await lengthen(page, age, 200);
    await page.reload();
    await page.getByRole('button', { name: 'Open paused' }).first().click();
    await untilRun(page, ['paused'], 120_000);
  }
  return { browser, page };
}

interface Pace {
  iterationsPerSecond: number;
  /** Processor time of all processes of the browser: other programs increase it less than wall-clock time. */
  processorMs: number;
}

/** Measures the time of an iteration after the run is warmed up. */
async function paceOf({ browser, page }: Paused): Promise<Pace> {
  const iteration = () => page.evaluate(() => Number(document.documentElement.dataset['iteration']));
  await page.keyboard.press(' ');
  await untilRun(page, ['training'], 60_000);
  await page.waitForTimeout(roundMs / 4);
  const [from, began, before] = [await iteration(), performance.now(), await processorSeconds(browser)];
  await page.waitForTimeout(roundMs);
  const used = (await processorSeconds(browser)) - before;
  const [done, ms] = [(await iteration()) - from, performance.now() - began];
  await page.keyboard.press(' ');
  await untilRun(page, ['paused'], 60_000);
  return { iterationsPerSecond: (1000 * done) / ms, processorMs: (1000 * used) / done };
}

/** Measures the time of the old run relative to that of the young run, round by round. */
export function measureAged(origin: string, seed: number) {
  const address = `${origin}/?backend=cpu&seed=${seed}&iterations=100000`;
  return inChromium((profile, browser) =>
    inChromium(async (otherProfile, otherBrowser) => {
      const young = await pausedAfter(profile, browser, address, 1);
      const old = await pausedAfter(otherProfile, otherBrowser, address, iterations);
      const paces: { young: Pace; old: Pace }[] = [];
      for (let i = 0; i < rounds; i++) {
        const isYoungFirst = i % 2 === 0;
        const first = await paceOf(isYoungFirst ? young : old);
        const second = await paceOf(isYoungFirst ? old : young);
        paces.push(isYoungFirst ? { young: first, old: second } : { young: second, old: first });
        console.error(JSON.stringify(paces.at(-1)));
      }
      return {
        iterations,
        paces,
        time: tInterval(paces.map((one) => one.young.iterationsPerSecond / one.old.iterationsPerSecond)),
        processor: tInterval(paces.map((one) => one.old.processorMs / one.young.processorMs)),
      };
    }),
  );
}
