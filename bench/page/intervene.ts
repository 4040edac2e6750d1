// Measures training during interventions: the warm start and the current team are asked two problems per second, which
// is more than anybody reads. Periods without questions of the same length alternate with this.
import type { Page } from 'playwright-core';
import { tInterval } from '../../src/base/intervals.ts';
import { inChromium, untilRun } from '../shared/chromium.ts';

export type Intervened = Awaited<ReturnType<typeof measureIntervened>>;

const rounds = 8;
const roundMs = 10_000;
const askedEveryMs = 500;

/**
 * Runs in the page. Trains for this long, with continuous questions or none. Returns the iterations per second and the
 * number of answered problems.
 */
function trainFor(page: Page, ms: number, asks: boolean) {
  return page.evaluate(
    async ([lengthMs, isAsking, everyMs]) => {
      const number = document.querySelector<HTMLInputElement>('dialog[open] input[type=number]');
      const draw = number?.form?.querySelector('button');
      if (!draw || !number) throw new Error('the page shows no form for a problem of a number');
      const iteration = () => Number(document.documentElement.dataset['iteration']);
      let [answered, nextMs] = [0, 0];
      const [from, began] = [iteration(), performance.now()];
      while (performance.now() < began + lengthMs) {
        if (isAsking && !draw.disabled && performance.now() >= nextMs) {
          nextMs = performance.now() + everyMs;
          number.value = String((Number(number.value) % 9000) + 1);
          number.dispatchEvent(new Event('input'));
          draw.click();
          answered++;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { perSecond: (1000 * (iteration() - from)) / (performance.now() - began), answered };
    },
    [ms, asks, askedEveryMs] as const,
  );
}

/** Measures the iterations per second with interventions relative to those without, in each of eight rounds. */
export function measureIntervened(origin: string, seed: number) {
  return inChromium(async (profile) => {
    const page = await profile.newPage();
    await page.goto(`${origin}/?preset=default&backend=cpu&seed=${seed}&autostart=1&iterations=100000`);
    await untilRun(page, ['training'], 120_000);
    await page.getByRole('button', { name: 'Ask your own problem' }).click();
    await page.getByRole('table', { name: 'Both dialogues compared' }).waitFor();
    await trainFor(page, roundMs, true); // warms up both workers
    const shares: number[] = [];
    let answered = 0;
    for (let i = 0; i < rounds; i++) {
      const alone = await trainFor(page, roundMs, false);
      const beside = await trainFor(page, roundMs, true);
      shares.push(beside.perSecond / alone.perSecond);
      answered += beside.answered;
    }
    const answeredPerSecond = answered / ((rounds * roundMs) / 1000);
    return { share: tInterval(shares), shares, answeredPerSecond };
  });
}
