// Measures the page at its busiest: a run of 20,000 iterations continues, all its charts are open, and a list of ten
// thousand dialogues is scrolled. The result is the longest main-thread task in processor time of the worst round.
import type { Page } from 'playwright-core';
import { inChromium, untilRun } from '../shared/chromium.ts';

export type BusyPage = Awaited<ReturnType<typeof measureBusyPage>>;

const iterations = 20_000;
const rounds = 8;

/**
 * Runs in the page. Stores the only iteration of the stored run again for all iterations up to `end`, as a long run
 * would have stored them, with dialogues for `dialoguesOf` of them.
 */
export async function lengthen(page: Page, end: number, dialoguesOf: number): Promise<void> {
  await page.evaluate(
    async ([last, kept]) => {
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
      // The checksum also covers the iteration; a record without one is read as a record of an earlier version.
      const unsummed = { checksum: undefined };
      for (const name of ['iterations', 'iterationRows']) {
        const record = await newest(name);
        for (let i = 1; i <= kept; i++)
          transaction.objectStore(name).put({ ...record, ...unsummed, iteration: Math.floor((i * last) / kept) });
      }
      for (const name of ['checkpoints', 'runs']) {
        const record = await newest(name);
        transaction.objectStore(name).put({ ...record, ...unsummed, iteration: last });
      }
      await new Promise((resolve) => (transaction.oncomplete = resolve));
      database.close();
    },
    [end, dialoguesOf] as const,
  );
}

/** A task of the main thread, with its wall-clock and processor time in milliseconds. */
interface Task {
  clockMs: number;
  processorMs: number;
}

interface TraceEvent {
  name: string;
  ph: string;
  pid: number;
  tid: number;
  /** The duration in microseconds. */
  dur?: number;
  tdur?: number;
  args?: { name?: string };
}

/**
 * Returns the longest task of each round in processor time. Other programs increase this time only a little, and the
 * wall-clock time much more.
 */
async function longestTasks(page: Page, round: () => Promise<void>): Promise<Task[]> {
  const browser = page.context().browser();
  if (!browser) throw new Error('the page belongs to no browser');
  const longest: Task[] = [];
  for (let i = 0; i < rounds; i++) {
    await browser.startTracing(page, { categories: ['toplevel'] });
    await round();
    const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
    const mains = new Set(
      traceEvents.flatMap(({ name, pid, tid, args }) =>
        name === 'thread_name' && args?.name === 'CrRendererMain' ? [`${pid}/${tid}`] : [],
      ),
    );
    const tasks = traceEvents.filter(({ name, pid, tid }) => /RunTask$/.test(name) && mains.has(`${pid}/${tid}`));
    if (tasks.length === 0) throw new Error('the trace has no tasks of the page');
    const [most] = tasks
      .map(({ dur = 0, tdur = 0 }) => ({ clockMs: Math.round(dur / 1000), processorMs: Math.round(tdur / 1000) }))
      .sort((one, other) => other.processorMs - one.processorMs);
    if (most) longest.push(most);
  }
  return longest;
}

/**
 * Measures the longest task in milliseconds of processor time, for the worst of eight rounds and for all of them: while
 * charts are drawn during training, and while dialogues are scrolled as well.
 */
export function measureBusyPage(origin: string, seed: number) {
  return inChromium(async (profile) => {
    const page = await profile.newPage();
    const few = 'evaluation.problems=16&evaluation.every=100000&run.checkpointEvery=1&iterations=100000';
    await page.goto(`${origin}/?preset=default&backend=cpu&seed=${seed}&${few}`);
    await untilRun(page, ['idle'], 120_000);
    await page.keyboard.press('s');
    await untilRun(page, ['paused'], 120_000);
    await lengthen(page, iterations, 40);
    await page.reload();
    await page.getByRole('button', { name: 'Open paused' }).first().click();
    await untilRun(page, ['paused'], 120_000);
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
    const most = (tasks: readonly Task[]) => Math.max(...tasks.map(({ processorMs }) => processorMs));
    return { iterations, drawingMs: most(drawing), scrollingMs: most(scrolling), drawing, scrolling };
  });
}
