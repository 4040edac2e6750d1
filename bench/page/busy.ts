// The page at its busiest: a run of 20,000 iterations goes on, all its charts are open, and a list of ten thousand dialogues
// is scrolled. The longest main-thread task of each round; other programs lengthen any task, so the best round counts.
import type { Page } from 'playwright-core';
import { inChromium, untilRun } from '../shared/chromium.ts';

export type BusyPage = Awaited<ReturnType<typeof measureBusyPage>>;

const iterations = 20_000;
const rounds = 8;

/** In the page: writes the only iteration of the stored run over and over, as a long run would have left it. */
async function lengthen(page: Page, end: number): Promise<void> {
  await page.evaluate(async (last) => {
    const opened = indexedDB.open('cothink');
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      opened.onsuccess = () => resolve(opened.result);
      opened.onerror = () => reject(new Error('the store cannot be opened'));
    });
    const names = ['metrics', 'evaluations', 'iterations', 'iterationRows', 'checkpoints', 'runs'];
    const transaction = database.transaction(names, 'readwrite');
    const newest = async (name: string) => {
      const all = transaction.objectStore(name).getAll();
      await new Promise((resolve) => (all.onsuccess = resolve));
      return (all.result as Record<string, unknown>[]).at(-1);
    };
    const row = await newest('metrics');
    const values = Object.entries(row?.['values'] as Record<string, number>);
    const vary = (i: number) => 1 + ((i * 7919) % 100) / 500;
    for (let i = 2; i <= last; i++) {
      const varied = Object.fromEntries(values.map(([name, value]) => [name, value * vary(i)]));
      transaction.objectStore('metrics').put({ ...row, values: varied, iteration: i });
    }
    const evaluation = await newest('evaluations');
    for (let i = 10; i <= last; i += 10)
      transaction.objectStore('evaluations').put({ ...evaluation, accuracy: 0.4 * vary(i), iteration: i });
    for (const name of ['iterations', 'iterationRows']) {
      const record = await newest(name);
      for (let i = 1; i <= 40; i++) transaction.objectStore(name).put({ ...record, iteration: i * 400 });
    }
    for (const name of ['checkpoints', 'runs']) {
      const record = await newest(name);
      transaction.objectStore(name).put({ ...record, iteration: last });
    }
    await new Promise((resolve) => (transaction.oncomplete = resolve));
    database.close();
  }, end);
}

/** The longest task of each round, in milliseconds; 0 where none took over 50. */
async function longestTasks(page: Page, round: () => Promise<void>): Promise<number[]> {
  const longest: number[] = [];
  for (let i = 0; i < rounds; i++) {
    await page.evaluate(() => Object.assign(window, { longTasks: [] }));
    await round();
    longest.push(await page.evaluate(() => Math.max(0, ...(window as unknown as { longTasks: number[] }).longTasks)));
  }
  return longest;
}

/** Milliseconds, the best of eight rounds and all of them: charts drawn while it trains, and dialogues scrolled besides. */
export function measureBusyPage(origin: string, seed: number) {
  return inChromium(async (browser) => {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    const few = 'evaluation.problems=16&evaluation.every=100000&run.checkpointEvery=1&iterations=100000';
    await page.goto(`${origin}/?preset=default&backend=cpu&seed=${seed}&${few}`);
    await untilRun(page, ['idle'], 120_000);
    await page.keyboard.press('s');
    await untilRun(page, ['paused'], 120_000);
    await lengthen(page, iterations);
    await page.reload();
    await page.getByRole('button', { name: 'Open paused' }).first().click();
    await untilRun(page, ['paused'], 120_000);
    await page.evaluate(() => {
      new PerformanceObserver((list) =>
        (window as unknown as { longTasks: number[] }).longTasks.push(
          ...list.getEntries().map((task) => task.duration),
        ),
      ).observe({ type: 'longtask' });
      Object.assign(window, { longTasks: [] });
    });
    await page.getByText(/^More:/).click();
    await page.keyboard.press(' ');
    await untilRun(page, ['training'], 60_000);
    const drawing = await longestTasks(page, () => page.waitForTimeout(1500));
    await page.keyboard.press('d');
    const list = page.getByRole('listbox', { name: 'Dialogues' });
    await list.waitFor();
    await page.getByText(/^[\d,]+ dialogues$/).waitFor({ timeout: 120_000 });
    const scrolling = await longestTasks(page, () =>
      list.evaluate(async (element) => {
        element.scrollTop = 0;
        for (let i = 0; i < 20; i++) {
          element.scrollTop += 4000;
          await new Promise(requestAnimationFrame);
        }
      }),
    );
    return { iterations, drawingMs: Math.min(...drawing), scrollingMs: Math.min(...scrolling), drawing, scrolling };
  });
}
