// A long run of the micro preset in the page: what it leaves in the browser's store, and whether it slows down. Read
// from the public contract on the page's own clock, and from the browser's own account of the origin's IndexedDB.
import type { Page } from 'playwright-core';
import { inChromium, untilRun } from '../shared/chromium.ts';

export type LongRun = Awaited<ReturnType<typeof measureLongRun>>;

const iterations = 1000;
const marksKey = '__marks';

/** Runs in the page, before its own code: notes when each iteration was first seen. */
function startMarks(key: string): void {
  const marks: [iteration: number, atMs: number][] = [];
  (globalThis as unknown as Record<string, typeof marks>)[key] = marks;
  setInterval(() => {
    const iteration = Number(document.documentElement.dataset['iteration'] ?? 0);
    if (iteration !== (marks.at(-1)?.[0] ?? 0)) marks.push([iteration, performance.now()]);
  }, 20);
}

/** Iterations a second between the first sight of `from` and of `to`, or of those next after them. */
function pace(marks: readonly (readonly [number, number])[], from: number, to: number): number {
  const at = (wanted: number) => marks.find(([iteration]) => iteration >= wanted) ?? marks.at(-1) ?? [0, 0];
  const [[first, startMs], [last, endMs]] = [at(from), at(to)];
  return (1000 * (last - first)) / (endMs - startMs);
}

async function indexedDbBytes(page: Page): Promise<number> {
  const devTools = await page.context().newCDPSession(page);
  const { origin } = new URL(page.url());
  const { usageBreakdown } = await devTools.send('Storage.getUsageAndQuota', { origin });
  return usageBreakdown.find(({ storageType }) => storageType === 'indexeddb')?.usage ?? 0;
}

/** Trains `micro` for a thousand iterations with a fresh browser. */
export function measureLongRun(origin: string, seed: number) {
  return inChromium(async (browser) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(startMarks, marksKey);
    await page.goto(`${origin}/?preset=micro&backend=cpu&autostart=1&seed=${seed}&iterations=${iterations}`);
    await untilRun(page, ['done', 'failed'], 3_600_000, 500);
    const marks = await page.evaluate(
      (key) => (globalThis as unknown as Record<string, [number, number][]>)[key] ?? [],
      marksKey,
    );
    const reached = marks.at(-1)?.[0] ?? 0;
    if (reached < iterations) throw new Error(`the run ended after ${reached} of ${iterations} iterations`);
    const [first, last] = [pace(marks, 1, 101), pace(marks, iterations - 100, iterations)];
    return {
      iterations,
      /** As the browser counts it, after the run. */
      indexedDbBytes: await indexedDbBytes(page),
      /** Iterations a second. */
      firstHundred: Number(first.toFixed(2)),
      lastHundred: Number(last.toFixed(2)),
      /** Share of the speed of the first hundred that the last hundred have lost; negative where they are faster. */
      slowedBy: Number((1 - last / first).toFixed(3)),
    };
  });
}
