// A store that is full, absent, unresponsive or refusing, and a worker that is missing: the page trains, or reports the
// problem and offers a way to continue; it never waits forever without a message.
import type { Page } from 'playwright-core';
import { serveFolder } from '../../scripts/serve.mjs';
import { everywhere, iterationOf, Lab, untilState } from './lab.ts';
import type { AttackRow } from './report.ts';

const query = 'preset=micro&backend=cpu&iterations=400&autostart=1';

interface Trouble {
  what: string;
  prepare: (page: Page, origin: string) => Promise<unknown>;
  /** Iterations that must be completed nevertheless; 0 if reporting the problem is all that is possible. */
  atLeast: number;
}

const troubles: readonly Trouble[] = [
  {
    what: 'no IndexedDB',
    prepare: (page) =>
      everywhere(page.context(), 'Object.defineProperty(globalThis, "indexedDB", { value: undefined });'),
    atLeast: 10,
  },
  {
    what: 'an IndexedDB that throws',
    prepare: (page) =>
      everywhere(
        page.context(),
        'IDBFactory.prototype.open = () => { throw new DOMException("refused", "SecurityError"); };',
      ),
    atLeast: 10,
  },
  {
    what: 'an IndexedDB that never answers',
    prepare: (page) => everywhere(page.context(), 'IDBFactory.prototype.open = () => new EventTarget();'),
    atLeast: 0,
  },
  {
    what: 'a quota of 4 MB',
    prepare: async (page, origin) => {
      const session = await page.context().newCDPSession(page);
      await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 4e6 });
    },
    atLeast: 400,
  },
  {
    what: 'a worker that is not there',
    prepare: (page) => page.route(/page\.worker-/, (route) => route.abort()),
    atLeast: 0,
  },
];

export async function* attackStore(): AsyncGenerator<AttackRow> {
  const server = await serveFolder({ folder: 'dist', port: 4473 });
  try {
    for (const trouble of troubles) yield await visit(trouble, server.url);
  } finally {
    await server.close();
  }
}

async function visit({ what, prepare, atLeast }: Trouble, origin: string): Promise<AttackRow> {
  const lab = new Lab(origin);
  const faults: string[] = [];
  let note = '';
  try {
    const page = await lab.visit(query, (opened) => prepare(opened, origin));
    const state = await untilState(page, 'done').catch(() => 'waiting without an end');
    const iterations = await iterationOf(page);
    note = `${state} at iteration ${iterations}`;
    const words = (await page.locator('[role=alert], [role=status], .bar').allInnerTexts()).join(' ').trim();
    if (state !== 'done' && (state !== 'failed' || words === '')) faults.push(`${note}, and nothing is said`);
    if (iterations < atLeast) faults.push(`${note}, expected at least ${atLeast}: ${words.slice(0, 160)}`);
    faults.push(...lab.errors);
  } catch (error) {
    faults.push(String(error).slice(0, 200));
  } finally {
    await lab.dispose();
  }
  return { part: 'store', what, count: 1, note, faults };
}
