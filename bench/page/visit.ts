// One measured visit: a new browser without WebGPU opens the page by a link that names no preset, and trains.
// Everything is read from the public contract (docs/hosting.md, "Controlling the page by link") on the page's own clock,
// which starts at navigation.
import type { Page } from 'playwright-core';
import { inChromium, untilRun } from '../shared/chromium.ts';

const longMs = 50;
/** The held-out accuracy to wait for. */
export const target = 0.88;

/** The measurements of one visit; times are null for events that did not happen within the limit. */
export type PageSeed = Omit<Awaited<ReturnType<typeof visitPage>>, 'browser'>;

/** The page's own performance marks, in milliseconds since navigation. */
interface Watch {
  states: [atMs: number, state: string, iteration: number, accuracy: number][];
  tasks: [startMs: number, durationMs: number][];
}
const watchKey = '__watch';

/**
 * Runs in the page, before its own code: records every change of state, iteration and accuracy, and every long task.
 */
function startWatch(key: string): void {
  const watch: Watch = { states: [], tasks: [] };
  (globalThis as unknown as Record<string, Watch>)[key] = watch;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) watch.tasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  setInterval(() => {
    const { runState = '', iteration = '0' } = document.documentElement.dataset;
    const shown = document.querySelector('output[data-metric="accuracy"]')?.textContent ?? '';
    const now = [runState, Number(iteration), Number.parseFloat(shown)] as const;
    if (String(watch.states.at(-1)?.slice(1)) !== String(now)) watch.states.push([performance.now(), ...now]);
  }, 50);
}

const readWatch = (page: Page) =>
  page.evaluate((key) => (globalThis as unknown as Record<string, Watch>)[key] as Watch, watchKey);

const seconds = (ms: number | undefined) => (ms === undefined ? null : Number((ms / 1000).toFixed(2)));

/** Adds up the bytes transferred until `stop` is called, including the worker's requests. */
function countBytes(page: Page) {
  const counted = { scripts: 0, others: 0 };
  let isOver = false;
  page.on('response', (response) => {
    if (isOver) return;
    const bytes = Number(response.headers()['content-length'] ?? 0);
    if (/\.(wasm|safetensors)$/.test(new URL(response.url()).pathname)) counted.others += bytes;
    else counted.scripts += bytes;
  });
  return { counted, stop: () => (isOver = true) };
}

const untilTraining = (page: Page, limitMs: number) => untilRun(page, ['training'], limitMs, 20);

/** Measures five pauses at irregular moments of a second run with the same seed, so that the first is not disturbed. */
async function measurePauses(page: Page, address: string): Promise<number[]> {
  await page.goto(`${address}&iterations=100000`);
  await untilTraining(page, 60_000);
  const pauses: number[] = [];
  for (const waitMs of [1500, 370, 810, 1190, 640]) {
    await page.waitForTimeout(waitMs);
    const ms = await page.evaluate(async () => {
      const root = document.documentElement;
      const button = [...document.querySelectorAll('button')].find((one) => /Pause/.test(one.textContent ?? ''));
      const started = performance.now();
      const stopped = new Promise<number>((resolve) => {
        const observer = new MutationObserver(() => {
          if (root.dataset['runState'] !== 'paused') return;
          observer.disconnect();
          resolve(performance.now() - started);
        });
        observer.observe(root, { attributes: true });
      });
      button?.click();
      return stopped;
    });
    pauses.push(Math.round(ms));
    await page.getByRole('button', { name: 'Train' }).click();
    await untilTraining(page, 10_000);
  }
  return pauses;
}

/** Takes the pictures of the page in the middle of a run for the README: `-light` and `-dark`. */
async function takePictures(page: Page, address: string, folder: string): Promise<void> {
  await page.goto(address);
  await page.waitForFunction(() => Number(document.documentElement.dataset['iteration']) >= 36, null, {
    timeout: 300_000,
    polling: 50,
  });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.waitForTimeout(400); // charts are drawn a few times a second
    await page.screenshot({ path: `${folder}/page-${colorScheme}.png` });
  }
}

export interface Visit {
  seed: number;
  /** Limits the measured run, starting at navigation. */
  limitS: number;
  /** Folder for pictures; without it none are taken. */
  pictures?: string | undefined;
}

/** Visits the page once with a new browser; pictures and pauses are taken in separate ones. */
export async function visitPage(origin: string, { seed, limitS, pictures }: Visit) {
  const address = `${origin}/?autostart=1&seed=${seed}`;
  const visited = await inChromium(async (profile, browser) => {
    const page = await profile.newPage();
    await page.addInitScript(startWatch, watchKey);
    const bytes = countBytes(page);
    await page.goto(address);
    const began = Date.now();
    await untilTraining(page, limitS * 1000);
    bytes.stop();
    const leftMs = Math.max(1, limitS * 1000 - (Date.now() - began));
    // If the limit is reached, everything observed until then counts.
    await untilRun(page, ['done', 'failed'], leftMs).catch(() => undefined);
    return {
      browser: `Chromium ${browser.version()}`,
      ...summary(seed, await readWatch(page)),
      /** Bytes transferred before training started. */
      scriptAndStyleBytes: bytes.counted.scripts,
      wasmAndWeightBytes: bytes.counted.others,
    };
  });
  if (pictures) await inChromium(async (profile) => takePictures(await profile.newPage(), address, pictures));
  /** From a click on Pause to the state `paused`, five times. */
  const pauseMs = await inChromium(async (profile) => measurePauses(await profile.newPage(), address));
  return { ...visited, pauseMs };
}

function summary(seed: number, { states, tasks }: Watch) {
  const first = (is: (state: string, iteration: number, accuracy: number) => boolean) =>
    states.find(([, ...now]) => is(...now))?.[0];
  const start = first((state) => state === 'training');
  const one = states.find(([, , iteration]) => iteration >= 1);
  const last = states.at(-1);
  const before = states.find(([, , , accuracy]) => accuracy >= 0)?.[3];
  const ends = states.find(([, state]) => state === 'done')?.[0] ?? Infinity;
  const long = tasks.filter(([at, ms]) => ms > longMs && at > (start ?? Infinity) && at < ends);
  return {
    seed,
    /** Since navigation, in seconds. */
    navigationToTrainingS: seconds(start),
    firstIterationS: seconds(one?.[0]),
    secondsToPlus010: seconds(first((_, __, accuracy) => accuracy >= (before ?? Infinity) + 0.1)),
    secondsTo088: seconds(first((_, __, accuracy) => accuracy >= target)),
    iterationsPerSecond: one && last ? Number(((1000 * (last[2] - one[2])) / (last[0] - one[0])).toFixed(2)) : 0,
    accuracyFirst: before ?? null,
    accuracyLast: last && last[3] >= 0 ? last[3] : null,
    iterations: last?.[2] ?? 0,
    state: last?.[1] ?? '',
    /** Main-thread tasks over 50 ms that started during training. */
    longTasksWhileTraining: long.length,
    longestTaskMs: Math.round(Math.max(0, ...long.map(([, ms]) => ms))),
    /** Each of them: start in seconds after navigation, duration in milliseconds. */
    longTasks: long.map(([at, ms]): [number, number] => [seconds(at) ?? 0, Math.round(ms)]),
  };
}
