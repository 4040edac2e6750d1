// Whether a run of an hour is slower than a young one: two runs of the first preset by turns in one browser, of which one has
// stored as much as an hour leaves behind.
import type { Browser, CDPSession, Page } from 'playwright-core';
import { tInterval } from '../../src/base/intervals.ts';
import { inChromium, untilRun } from '../shared/chromium.ts';
import { lengthen } from './busy.ts';

export type Aged = Awaited<ReturnType<typeof measureAged>>;

/** Five a second. */
const iterations = 18_000;
const rounds = 10;
const roundMs = 12_000;

/** A run that stands still, with so many iterations behind it. */
async function pausedAfter(browser: Browser, address: string, age: number): Promise<Page> {
  const page = await (await browser.newContext()).newPage();
  await page.goto(address);
  await untilRun(page, ['idle'], 120_000);
  await page.keyboard.press('s');
  await untilRun(page, ['paused'], 120_000);
  if (age <= 1) return page;
  await lengthen(page, age, 200);
  await page.reload();
  await page.getByRole('button', { name: 'Open paused' }).first().click();
  await untilRun(page, ['paused'], 120_000);
  return page;
}

interface Pace {
  iterationsPerSecond: number;
  /** Of all processes of the browser: other programs lengthen it less than they do the clock. */
  processorMs: number;
}

/** What an iteration takes, once the run is under way. */
async function paceOf(page: Page, browser: CDPSession): Promise<Pace> {
  const processorMs = async () =>
    1000 * (await browser.send('SystemInfo.getProcessInfo')).processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  const iteration = () => page.evaluate(() => Number(document.documentElement.dataset['iteration']));
  await page.bringToFront();
  await page.keyboard.press(' ');
  await untilRun(page, ['training'], 60_000);
  await page.waitForTimeout(roundMs / 4);
  const [from, began, before] = [await iteration(), performance.now(), await processorMs()];
  await page.waitForTimeout(roundMs);
  const [done, ms, used] = [(await iteration()) - from, performance.now() - began, (await processorMs()) - before];
  await page.keyboard.press(' ');
  await untilRun(page, ['paused'], 60_000);
  return { iterationsPerSecond: (1000 * done) / ms, processorMs: used / done };
}

/** What the old run takes as a share of what the young one does, round by round. */
export function measureAged(origin: string, seed: number) {
  return inChromium(async (browser) => {
    const address = `${origin}/?backend=cpu&seed=${seed}&iterations=100000`;
    const young = await pausedAfter(browser, address, 1);
    const old = await pausedAfter(browser, address, iterations);
    const session = await browser.newBrowserCDPSession();
    const paces: { young: Pace; old: Pace }[] = [];
    for (let i = 0; i < rounds; i++) {
      const isYoungFirst = i % 2 === 0;
      const first = await paceOf(isYoungFirst ? young : old, session);
      const second = await paceOf(isYoungFirst ? old : young, session);
      paces.push(isYoungFirst ? { young: first, old: second } : { young: second, old: first });
      console.error(JSON.stringify(paces.at(-1)));
    }
    return {
      iterations,
      paces,
      time: tInterval(paces.map((one) => one.young.iterationsPerSecond / one.old.iterationsPerSecond)),
      processor: tInterval(paces.map((one) => one.old.processorMs / one.young.processorMs)),
    };
  });
}
