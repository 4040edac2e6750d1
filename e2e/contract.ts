// Reads the page through its public contract (docs/hosting.md, "Controlling the page by link"): the state and iteration
// of the run as attributes of the root element, and the headline metrics.
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export type RunState = 'idle' | 'preparing' | 'training' | 'paused' | 'done' | 'failed';

/** The longest time that a few iterations may take on a machine with busy cores, in milliseconds. */
const patienceMs = 120_000;

export const runState = (page: Page) => page.evaluate(() => document.documentElement.dataset['runState']);

/** Returns the number of finished iterations. */
export const iterationOf = (page: Page) => page.evaluate(() => Number(document.documentElement.dataset['iteration']));

/** Returns the value of a headline metric, or NaN while the page shows none. */
export async function metric(page: Page, name: string): Promise<number> {
  return Number.parseFloat((await page.locator(`output[data-metric="${name}"]`).textContent()) ?? '');
}

/** Waits for one of the states. If the run fails meanwhile, throws an error with the text that the page shows. */
export async function untilState(page: Page, states: RunState[], timeoutMs = patienceMs): Promise<RunState> {
  // This is the state that ended the wait. It is not read again, because an edit may reopen the run in between.
  const seen = await page.waitForFunction(
    (wanted) => {
      const now = document.documentElement.dataset['runState'] ?? '';
      return [...wanted, 'failed'].includes(now) && now;
    },
    states as string[],
    { timeout: timeoutMs },
  );
  const state = (await seen.jsonValue()) as RunState;
  const words = states.includes(state) ? '' : (await page.locator('main').innerText()).slice(0, 1000);
  expect(states, words).toContain(state);
  return state;
}

/** After a failure: waits until another run is open. */
export async function untilOpen(page: Page): Promise<void> {
  await page.waitForFunction(() => document.documentElement.dataset['runState'] === 'idle', null, {
    timeout: patienceMs,
  });
}

/** Waits until at least this many iterations are finished. */
export async function untilIteration(page: Page, iteration: number, timeoutMs = patienceMs): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      Number(document.documentElement.dataset['iteration']) >= wanted ||
      document.documentElement.dataset['runState'] === 'failed',
    iteration,
    { timeout: timeoutMs },
  );
  expect(await runState(page)).not.toBe('failed');
}

/** Waits until a headline metric shows a number of at least `atLeast` or the run has ended, and returns the value. */
export async function untilMetric(
  page: Page,
  name: string,
  { atLeast = -Infinity, timeoutMs = patienceMs }: { atLeast?: number; timeoutMs?: number } = {},
): Promise<number> {
  await page.waitForFunction(
    ([metricName, least]) => {
      const shown = document.querySelector(`output[data-metric="${metricName}"]`)?.textContent ?? '';
      const isOver = ['failed', 'done'].includes(document.documentElement.dataset['runState'] ?? '');
      // If there is no bound, `least` is null in the page.
      return isOver || Number.parseFloat(shown) >= (least ?? -Infinity);
    },
    [name, Number.isFinite(atLeast) ? atLeast : null] as [string, number | null],
    { timeout: timeoutMs },
  );
  return metric(page, name);
}

/** Presses the key for one step once for each of these iterations, and waits until the run is paused there. */
export async function step(page: Page, ...iterations: number[]): Promise<void> {
  await page.locator('main').waitFor();
  for (const iteration of iterations) {
    await page.keyboard.press('s');
    await untilIteration(page, iteration);
    await untilState(page, ['paused']);
  }
}

/** Waits until the run is open again after the last edit. An earlier click may hit a button that is just being disabled. */
export async function untilReopened(page: Page): Promise<void> {
  await page.getByText('This estimate is for the previous settings').waitFor({ state: 'detached' });
  await untilState(page, ['idle']);
}

/** Opens the run that an earlier visit left unfinished. */
export async function resume(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Open paused' }).first().click();
  await untilState(page, ['paused']);
}
