// Kills the page at other work than training: preparing, deleting, forking, saving the archive of a long run, and
// upgrading a database from an earlier version, within its transaction. Afterwards every stored record belongs to a
// run, none is lost, no file under its final name is partial, and the page trains. Work that ended before the kill is
// counted separately.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { readStore } from '../../e2e/database.ts';
import type { Draws } from '../../src/base/random.ts';
import { readRunArchive } from '../../src/formats/runArchive.ts';
import { archivedRun, isEntryName, wholeRun } from '../../src/storage/archive/archivedRun.ts';
import { killed, Lab, says, untilState } from './lab.ts';
import { drawsOf } from './mutate.ts';
import type { Round, RoundPlan } from './round.ts';

const sides = ['preparing', 'deleting', 'forking', 'exporting', 'migrating'] as const;
type Row = Record<string, unknown> & { runId?: string; iteration?: number };

const upgrading = 'a former database is being upgraded';
/** Slows down the upgrade of an existing database, as a slow disk does, and announces its start. */
const slowUpgrade = `{
  const open = IDBFactory.prototype.open;
  IDBFactory.prototype.open = function (...given) {
    const request = open.apply(this, given);
    request.addEventListener('upgradeneeded', ({ oldVersion }) => {
      if (oldVersion === 0) return;
      console.debug(${JSON.stringify(upgrading)});
      const store = request.transaction.objectStore('runs');
      const endMs = performance.now() + 700;
      const hold = () => performance.now() < endMs && (store.count().onsuccess = hold);
      hold();
    });
    return request;
  };
}`;
/** Iterations of the run whose archive is saved. */
const longRun = 150;

export async function sidesRound({ origin, seed, left, untilMs }: RoundPlan): Promise<Round> {
  const round: Round = { name: 'sides', kills: {}, compared: 0, repeated: 0, faults: [] };
  const lab = new Lab(origin, slowUpgrade);
  try {
    for (const [i, side] of [...sides, ...sides].slice(0, left).entries()) {
      if (Date.now() > untilMs + 60_000) break;
      const { faults, isLate } = await breakOff(lab, side, drawsOf(seed, 99, i)).catch((error: unknown) => ({
        faults: [`in ${side}: ${String(error).slice(0, 200)}`],
        isLate: true,
      }));
      round.faults.push(...faults);
      const when = `${isLate ? 'after' : 'in'} ${side}`;
      round.kills[when] = (round.kills[when] ?? 0) + 1;
    }
    round.faults.push(...lab.errors);
  } finally {
    await lab.dispose();
  }
  return round;
}

interface Broken {
  faults: string[];
  /** The work to be interrupted had already ended. */
  isLate: boolean;
}

/** Interrupts one action; returns the resulting faults. */
async function breakOff(lab: Lab, side: (typeof sides)[number], draws: Draws): Promise<Broken> {
  const query = `preset=micro&backend=cpu&iterations=${side === 'exporting' ? longRun : 2000}`;
  let before: ReadonlyMap<string, string> = new Map();
  let isLate = false;
  if (side === 'preparing') {
    await lab.visit(`${query}&warmStart.source=train&warmStart.steps=2000`);
    await lab.page.waitForTimeout(draws.below(1500));
  } else if (side === 'exporting') {
    const page = await aDoneRun(lab, query);
    page.on('download', () => (isLate = true));
    await exportNewest(page);
    await page.waitForTimeout(draws.below(400));
  } else {
    const page = await aPausedRun(lab, query);
    if (side === 'forking') await page.getByRole('button', { name: 'Separate networks' }).click({ noWaitAfter: true });
    if (side === 'deleting') await deleteOther(lab, query);
    if (side === 'migrating') {
      before = await recordsOf(page);
      isLate = !(await visitFormer(lab, query));
    }
    await lab.page.waitForTimeout(draws.below(side === 'deleting' ? 40 : side === 'migrating' ? 300 : 600));
  }
  const how = await killed(lab, draws);
  const page = await lab.visit(query);
  const words = `in ${side}, ${how}`;
  if ((await untilState(page, 'idle', 'done')) === 'failed')
    return { faults: [`${words}: the page opens no run afterwards`], isLate };
  const after = await recordsOf(page);
  const lost = [...before]
    .filter(([key, record]) => after.get(key) !== record)
    .map(([key]) => `${key} is lost or another`);
  const astray = [...lost, ...(await orphans(page)), ...(await partial(lab))];
  if (side !== 'exporting') {
    await page.getByRole('button', { name: 'Train' }).click();
    await page.waitForFunction(() => Number(document.documentElement.dataset['iteration']) > 0);
  }
  return { faults: astray.map((orphan) => `${words}: ${orphan}`), isLate };
}

/** Returns all records by their keys. A run's own record counts only as existing, because each visit may rewrite it. */
async function recordsOf(page: Page): Promise<Map<string, string>> {
  const records = new Map<string, string>();
  for (const store of formerStores.filter((name) => name !== 'preferences'))
    for (const { id, runId, iteration, ...record } of await readStore<Row>(page, store))
      records.set(
        `${store} ${String(id ?? runId)} ${iteration ?? ''}`.trim().replace(/^(runs \S+).*/, '$1'),
        store === 'runs' ? '' : JSON.stringify(record),
      );
  return records;
}

/** Saved files under their final names that are not complete archives. Unfinished files of the browser are removed. */
async function partial(lab: Lab): Promise<string[]> {
  const found: string[] = [];
  for (const name of readdirSync(lab.downloads)) {
    const file = path.join(lab.downloads, name);
    const wrong = await wholeRun(archivedRun(readRunArchive(readFileSync(file), isEntryName)))
      .then(
        () => null,
        (error: unknown) => error,
      )
      .catch((error: unknown) => error);
    if (wrong !== null && !name.endsWith('.crdownload'))
      found.push(`a saved file is not whole: ${String(wrong).slice(0, 120)}`);
    rmSync(file);
  }
  return found;
}

async function aDoneRun(lab: Lab, query: string): Promise<Page> {
  const page = await lab.visit(`${query}&autostart=1`);
  if ((await untilState(page, 'done')) === 'failed') throw new Error('the run to be saved failed');
  return page;
}

async function aPausedRun(lab: Lab, query: string): Promise<Page> {
  const page = await lab.visit(query);
  await untilState(page, 'idle');
  await page.getByRole('button', { name: 'Step' }).click();
  await untilState(page, 'paused');
  return page;
}

/** Deletes a run that is not open: its records leave the store when the library is closed. */
async function deleteOther(lab: Lab, query: string): Promise<void> {
  const page = await lab.visit(query);
  await untilState(page, 'idle');
  await page.getByRole('button', { name: 'Library of runs' }).click();
  const verbs = page.getByRole('dialog').getByRole('button', { name: /^Delete/ });
  await verbs.first().click();
  await page.keyboard.press('Escape');
}

/** Returns the faults about records of runs that do not exist. */
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

/**
 * Turns the database into one of version 1, with all its data that version 1 supports, and visits the page. Returns
 * whether the start of the upgrade was observed.
 */
async function visitFormer(lab: Lab, query: string): Promise<boolean> {
  await lab.page.goto(`${new URL(lab.page.url()).origin}/licences.txt`); // a page without code of Cothink
  await lab.page.evaluate(async (names) => {
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
  }, formerStores);
  // The upgrade may start before the page has loaded, so the test listens for it from the beginning.
  let isBegun: Promise<boolean> = Promise.resolve(false);
  const visited = lab.visit(query, (page) => Promise.resolve(void (isBegun = says(page, upgrading, 20_000))));
  await visited;
  return isBegun;
}

/** The stores of version 1. */
const formerStores = [
  'runs',
  'checkpoints',
  'metrics',
  'evaluations',
  'iterations',
  'iterationRows',
  'shown',
  'preferences',
] as const;
