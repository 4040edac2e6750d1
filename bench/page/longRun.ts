// Measures a long run of the first preset in the page: whether it slows down, its memory, and its stored data, for each
// tenth of the run. Speed is measured in seconds of processor time, which other programs on the machine increase less
// than wall-clock time.
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { firstPreset } from '../../src/config/presets.ts';
import { inChromium, processesOf, untilRun } from '../shared/chromium.ts';

export type LongRun = Awaited<ReturnType<typeof measureLongRun>>;

/** The maximum of the setting `run.iterations`. */
const mostIterations = 100_000;
const parts = 10;
const pageBytes = 4096;

/** A sample at one moment. */
interface Sample {
  iteration: number;
  /** Processor time of all processes of the browser, since it started. */
  processorS: number;
  /** Total memory of the process that renders the page and trains: page, workers, and their computing memory. */
  residentMB: number;
  /** JavaScript memory of the page itself, after a garbage collection. */
  heapMB: number;
  storeMB: number;
}

const tenths = (value: number) => Number(value.toFixed(1));
const megabytes = (bytes: number) => tenths(bytes / 1e6);

async function sample(browser: Browser, page: Page): Promise<Sample> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devTools.send('Runtime.getHeapUsage');
  await devTools.detach();
  const iteration = await page.evaluate(() => Number(document.documentElement.dataset['iteration'] ?? 0));
  const processes = await processesOf(browser);
  // Chromium keeps a spare process for the next page, which has used no processor time.
  const [own] = processes.filter(({ type }) => type === 'renderer').sort((a, b) => b.cpuTime - a.cpuTime);
  if (!own) throw new Error('the browser names no process that draws a page');
  const [, resident] = readFileSync(`/proc/${own.id}/statm`, 'utf8').split(' ');
  return {
    iteration,
    processorS: processes.reduce((sum, { cpuTime }) => sum + cpuTime, 0),
    residentMB: megabytes(Number(resident) * pageBytes),
    heapMB: megabytes(usedSize),
    storeMB: megabytes(await indexedDbBytes(page)),
  };
}

async function indexedDbBytes(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  const { usageBreakdown } = await devTools.send('Storage.getUsageAndQuota', { origin });
  await devTools.detach();
  return usageBreakdown.find(({ storageType }) => storageType === 'indexeddb')?.usage ?? 0;
}

/** Runs in the page. Returns means of the stored metrics over the iterations between each two neighbours in `ends`. */
function meansBetween(page: Page, ends: readonly number[]): Promise<{ tokensADialogue: number; solved: number }[]> {
  return page.evaluate(async (bounds) => {
    const opened = indexedDB.open('cothink');
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      opened.onsuccess = () => resolve(opened.result);
      opened.onerror = () => reject(new Error('the store cannot be opened'));
    });
    const sums = bounds.slice(1).map(() => ({ tokens: 0, solved: 0, count: 0 }));
    const walk = database.transaction('metrics').objectStore('metrics').openCursor();
    await new Promise<void>((resolve) => {
      walk.onsuccess = () => {
        const cursor = walk.result;
        if (!cursor) return resolve();
        const { iteration, values } = cursor.value as { iteration: number; values: Record<string, number> };
        const sum = sums[bounds.findIndex((end) => iteration <= end) - 1];
        if (sum) {
          sum.tokens += (values['charts/turns'] ?? 0) * (values['charts/tokens_per_turn'] ?? 0);
          sum.solved += values['charts/training_accuracy'] ?? Number.NaN;
          sum.count++;
        }
        cursor.continue();
      };
    });
    database.close();
    return sums.map(({ tokens, solved, count }) => ({ tokensADialogue: tokens / count, solved: solved / count }));
  }, ends);
}

/** Trains the first preset for this many minutes in a new browser. */
export function measureLongRun(origin: string, seed: number, minutes: number) {
  return inChromium(async (profile, browser) => {
    const page = await profile.newPage();
    // The guard is off, so the run continues even if the team collapses.
    await page.goto(`${origin}/?backend=cpu&autostart=1&run.guard=false&seed=${seed}&iterations=${mostIterations}`);
    await untilRun(page, ['training'], 120_000);
    const startMs = Date.now();
    const samples = [await sample(browser, page)];
    for (let part = 1; part <= parts; part++) {
      await page.waitForTimeout(startMs + (part / parts) * minutes * 60_000 - Date.now());
      samples.push(await sample(browser, page));
      console.error(`tenth ${part} of ${parts}: ${JSON.stringify(samples.at(-1))}`);
    }
    const state = await page.evaluate(() => document.documentElement.dataset['runState']);
    if (state !== 'training') throw new Error(`the run is ${state} before ${minutes} minutes are over`);
    await page.keyboard.press(' ');
    await untilRun(page, ['paused'], 60_000);
    const means = await meansBetween(
      page,
      samples.map(({ iteration }) => iteration),
    );
    const byTenth = samples.slice(1).map(({ iteration, processorS, ...held }, i) => {
      const before = samples[i] as Sample;
      const done = iteration - before.iteration;
      return {
        iterations: done,
        /** Milliseconds of processor time per iteration. */
        processorMs: tenths((1000 * (processorS - before.processorS)) / done),
        tokensADialogue: tenths(means[i]?.tokensADialogue ?? Number.NaN),
        /** Share right of the sampled training dialogues. */
        solved: Number((means[i]?.solved ?? Number.NaN).toFixed(3)),
        ...held,
      };
    });
    return { preset: firstPreset, minutes, iterations: samples.at(-1)?.iteration ?? 0, byTenth };
  });
}
