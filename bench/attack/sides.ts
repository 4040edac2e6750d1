// What else is broken off: preparing, deleting, forking, exporting, and the first visit to a database of a former version.
// Afterwards what is stored belongs to a run, none of it is lost, and the page trains.
import type { Page } from 'playwright-core';
import { readStore } from '../../e2e/database.ts';
import type { Draws } from '../../src/base/random.ts';
import { killed, Lab, untilState } from './lab.ts';
import { drawsOf } from './mutate.ts';
import type { Round, RoundPlan } from './round.ts';

const sides = ['preparing', 'deleting', 'forking', 'exporting', 'migrating'] as const;
type Row = Record<string, unknown> & { runId?: string };

export async function sidesRound({ origin, seed, left, untilMs }: RoundPlan): Promise<Round> {
  const round: Round = { name: 'sides', kills: {}, compared: 0, repeated: 0, faults: [] };
  const lab = new Lab(origin);
  try {
    for (const [i, side] of [...sides, ...sides].slice(0, left).entries()) {
      if (Date.now() > untilMs + 60_000) break;
      const found = await breakOff(lab, side, drawsOf(seed, 99, i)).catch((error: unknown) => [
        `in ${side}: ${String(error).slice(0, 200)}`,
      ]);
      round.faults.push(...found);
      round.kills[`in ${side}`] = (round.kills[`in ${side}`] ?? 0) + 1;
    }
    round.faults.push(...lab.errors);
  } finally {
    await lab.dispose();
  }
  return round;
}

/** Breaks off one verb; answers what is wrong afterwards. */
async function breakOff(lab: Lab, side: (typeof sides)[number], draws: Draws): Promise<string[]> {
  const query = 'preset=micro&backend=cpu&iterations=2000';
  let before: readonly string[] = [];
  if (side === 'preparing') {
    await lab.visit(`${query}&warmStart.source=train&warmStart.steps=2000`);
    await lab.page.waitForTimeout(draws.below(1500));
  } else {
    const page = await aPausedRun(lab, query);
    if (side === 'forking') await page.getByRole('button', { name: 'Separate networks' }).click({ noWaitAfter: true });
    if (side === 'exporting') await exportNewest(page);
    if (side === 'deleting') await deleteOther(lab, query);
    if (side === 'migrating') before = await visitFormer(lab, query);
    await lab.page.waitForTimeout(draws.below(side === 'deleting' ? 40 : 600));
  }
  const how = await killed(lab, draws);
  const page = await lab.visit(query);
  const words = `in ${side}, ${how}`;
  if ((await untilState(page, 'idle')) === 'failed') return [`${words}: the page opens no run afterwards`];
  const ids = (await readStore<{ id: string }>(page, 'runs')).map(({ id }) => id);
  const lost = before.filter((id) => !ids.includes(id)).map((id) => `the run ${id} is lost`);
  const astray = [...lost, ...(await orphans(page))];
  await page.getByRole('button', { name: 'Train' }).click();
  await page.waitForFunction(() => Number(document.documentElement.dataset['iteration']) > 0);
  return astray.map((orphan) => `${words}: ${orphan}`);
}

async function aPausedRun(lab: Lab, query: string): Promise<Page> {
  const page = await lab.visit(query);
  await untilState(page, 'idle');
  await page.getByRole('button', { name: 'Step' }).click();
  await untilState(page, 'paused');
  return page;
}

/** Deletes a run that is not the open one. */
async function deleteOther(lab: Lab, query: string): Promise<void> {
  const page = await lab.visit(query);
  await untilState(page, 'idle');
  await page.getByRole('button', { name: 'Library of runs' }).click();
  const verbs = page.getByRole('dialog').getByRole('button', { name: /^Delete/ });
  await verbs.first().click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).first().click();
}

/** Records of runs that are not there, and gaps in the metrics of those that are. */
async function orphans(page: Page): Promise<string[]> {
  const ids = new Set((await readStore<{ id: string }>(page, 'runs')).map(({ id }) => id));
  const found: string[] = [];
  for (const store of ['checkpoints', 'metrics', 'evaluations', 'iterations', 'iterationRows', 'shown'] as const) {
    const astray = (await readStore<Row>(page, store)).filter(({ runId = '' }) => !ids.has(runId));
    if (astray.length > 0) found.push(`${store}: ${astray.length} records of no run`);
  }
  return found;
}

async function exportNewest(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Library of runs' }).click();
  const archive = page.getByRole('dialog').getByRole('button', { name: /^Save the run archive/ });
  await archive.first().click({ noWaitAfter: true });
}

/** Makes the database that of version 1, with all that it held of what that version knew, and visits it. Answers the runs in it. */
async function visitFormer(lab: Lab, query: string): Promise<readonly string[]> {
  await lab.page.goto(`${new URL(lab.page.url()).origin}/licences.txt`); // a page without code of ours
  const runs = await lab.page.evaluate(async (names) => {
    const asked = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error as Error);
      });
    const newest = await asked(indexedDB.open('cothink'));
    const held: [string, unknown[], IDBValidKey[]][] = [];
    for (const name of names) {
      const store = newest.transaction(name).objectStore(name);
      held.push([name, await asked(store.getAll()), await asked(store.getAllKeys())]);
    }
    newest.close();
    await asked(indexedDB.deleteDatabase('cothink'));
    const opening = indexedDB.open('cothink', 1);
    opening.onupgradeneeded = () => {
      for (const [name, records, keys] of held) {
        const keyPath = name === 'preferences' ? {} : { keyPath: name === 'runs' ? 'id' : ['runId', 'iteration'] };
        const store = opening.result.createObjectStore(name, keyPath);
        records.forEach((record, i) => (store.keyPath ? store.put(record) : store.put(record, keys[i])));
      }
    };
    (await asked(opening)).close();
    return (held[0]?.[1] as { id: string }[]).map(({ id }) => id);
  }, formerStores);
  await lab.visit(query);
  return runs;
}

/** Of version 1. */
const formerStores = ['runs', 'checkpoints', 'metrics', 'evaluations', 'iterations', 'iterationRows', 'shown', 'preferences']; // prettier-ignore
