// Kills: a run is trained to its end through many deaths, and its store must hold what an undisturbed run stores, to the
// bit: metrics but for times and speeds, evaluations, trajectories, and the weights and moments of the last checkpoint.
// Beside it preparing, deleting and forking are broken off: what is stored belongs to a run, and the page trains.
import { serveFolder } from '../../scripts/serve.mjs';
import { readStore, type StoreName } from '../../e2e/database.ts';
import type { Draws } from '../../src/base/random.ts';
import type { Page } from 'playwright-core';
import { iterationOf, killings, Lab, stateOf, untilState, type Killing } from './lab.ts';
import { drawsOf } from './mutate.ts';
import type { AttackRow } from './report.ts';

interface Plan {
  seed: number;
  kills: number;
  untilMs: number;
}

/** What is trained through the kills: `micro` is fast, the default has a shipped warm start. */
const long = [
  { preset: 'micro', iterations: 600, atMostMs: 900 },
  { preset: 'micro', iterations: 600, atMostMs: 900 },
  { preset: 'default', iterations: 20, atMostMs: 2500 },
] as const;
const sides = ['preparing', 'deleting', 'forking'] as const;
type Row = Record<string, unknown> & { runId?: string; iteration?: number };

export async function attackKills({ seed, kills, untilMs }: Plan): Promise<AttackRow[]> {
  const served = await serveFolder({ folder: 'dist', port: 4473 });
  const tally = new Map<string, number>();
  const count = (name: string) => tally.set(name, (tally.get(name) ?? 0) + 1);
  const total = () => [...tally.values()].reduce((sum, n) => sum + n, 0);
  const faults: Record<'training' | 'sides', string[]> = { training: [], sides: [] };
  let repeated = 0;
  let compared = 0;
  try {
    const sideKills = Math.floor(kills / 5);
    for (let round = 0; total() < kills - sideKills && Date.now() < untilMs; round++) {
      const draws = drawsOf(seed, 100 + round, 0);
      const plan = long[round % long.length] as (typeof long)[number];
      const query = `preset=${plan.preset}&backend=cpu&seed=${seed + round}&iterations=${plan.iterations}`;
      const lab = new Lab(served.url);
      try {
        const isLeft = () => total() < kills - sideKills && Date.now() < untilMs;
        repeated += await surviveToTheEnd({ lab, query, draws, atMostMs: plan.atMostMs, isLeft, count });
        const expected = await undisturbed(served.url, query);
        const differences = differing(await stored(lab.page), expected);
        compared += plan.iterations;
        faults.training.push(...[...differences, ...lab.errors].map((words) => `${query}: ${words}`));
      } catch (error) {
        faults.training.push(`${query}: ${String(error).slice(0, 200)}`);
      } finally {
        await lab.dispose();
      }
    }
    const trained = total();
    const lab = new Lab(served.url);
    try {
      for (let i = 0; i < sideKills && Date.now() < untilMs + 60_000; i++) {
        const side = sides[i % sides.length] as (typeof sides)[number];
        faults.sides.push(
          ...(await breakOff(lab, side, drawsOf(seed, 99, i)).catch((error: unknown) => [String(error)])),
        );
        count(`in ${side}`);
      }
      faults.sides.push(...lab.errors);
    } finally {
      await lab.dispose();
    }
    const kinds = [...tally].map(([name, n]) => `${name} ${n}`);
    return [
      {
        part: 'kills',
        what: 'killed in training and resuming',
        count: trained,
        note: `${compared} iterations compared, ${repeated} repeated; ${kinds.filter((kind) => !kind.startsWith('in ')).join(', ')}`,
        faults: faults.training,
      },
      {
        part: 'kills',
        what: 'killed in preparing, deleting and forking',
        count: total() - trained,
        note: kinds.filter((kind) => kind.startsWith('in ')).join(', '),
        faults: faults.sides,
      },
    ];
  } finally {
    await served.close();
  }
}

interface Survival {
  lab: Lab;
  query: string;
  draws: Draws;
  atMostMs: number;
  isLeft: () => boolean;
  count: (name: string) => void;
}

/** Trains to the end through kills; answers how many iterations had to be done again. */
async function surviveToTheEnd({ lab, query, draws, atMostMs, isLeft, count }: Survival): Promise<number> {
  let repeated = 0;
  let told = 0;
  for (let i = 0; ; i++) {
    const page = await lab.visit(query);
    if ((await untilState(page, 'idle')) === 'failed') throw new Error('the page opens no run');
    // A run that was killed before its first checkpoint begins anew.
    const isKept = (await readStore<Row>(page, 'checkpoints')).some(({ iteration = 0 }) => iteration > 0);
    if (told > 0 && !isKept) repeated += told;
    if (isKept) {
      await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
      if (isLeft() && draws.below(4) === 0) {
        await page.waitForTimeout(draws.below(400));
        count(await killed(lab, draws));
        continue;
      }
      // The last kill may have come after the end was stored.
      if ((await untilState(page, 'training', 'done')) === 'failed') throw new Error('the run cannot be resumed');
      repeated += Math.max(0, told - (await iterationOf(page)));
    }
    // Resuming trains on by itself.
    if ((await stateOf(page)) === 'idle') await page.getByRole('button', { name: 'Train' }).click();
    const from = await iterationOf(page);
    const isNear = from > 0.8 * Number(/iterations=(\d+)/.exec(query)?.[1]);
    if (!isLeft() || isNear) {
      if ((await untilState(page, 'done')) === 'failed') throw new Error('the run failed before its end');
      return repeated;
    }
    await page.waitForFunction((at) => Number(document.documentElement.dataset['iteration']) > at, from);
    await page.waitForTimeout(draws.below(atMostMs));
    told = await iterationOf(page);
    count(await killed(lab, draws));
  }
}

async function killed(lab: Lab, draws: Draws): Promise<Killing> {
  const how = draws.pick(killings);
  await lab.kill(how);
  return how;
}

async function undisturbed(origin: string, query: string): Promise<Stored> {
  const lab = new Lab(origin);
  try {
    const page = await lab.visit(`${query}&autostart=1`);
    if ((await untilState(page, 'done')) === 'failed') throw new Error('the undisturbed run failed');
    return await stored(page);
  } finally {
    await lab.dispose();
  }
}

type Stored = Record<'metrics' | 'evaluations' | 'iterations' | 'checkpoint', Map<number, string>>;

/** What the finished run of a page has stored, without what names it and what the clock gave. */
async function stored(page: Page): Promise<Stored> {
  const runs = await readStore<{ id: string; iteration: number; isDone: boolean }>(page, 'runs');
  const run = runs.find(({ isDone }) => isDone);
  const of = async (store: StoreName, keep: (row: Row) => unknown = (row) => row) => {
    const rows = (await readStore<Row>(page, store)).filter(({ runId }) => runId === run?.id);
    return new Map(
      rows.map((row) => [row.iteration as number, JSON.stringify({ ...(keep(row) as object), runId: '' })]),
    );
  };
  const checkpoints = await of('checkpoints');
  const timeless = ({ iteration, values }: Row) => {
    const kept = Object.entries(values as object).filter(([name]) => !/^time\/|SPS/.test(name));
    return { iteration, values: kept.sort(([a], [b]) => a.localeCompare(b)) };
  };
  return {
    metrics: await of('metrics', timeless),
    evaluations: await of('evaluations'),
    iterations: await of('iterations'),
    checkpoint: new Map([...checkpoints].filter(([at]) => at === run?.iteration)),
  };
}

/** In words: what one store has otherwise than the other. Of what is thinned the records that both keep are compared. */
function differing(ours: Stored, expected: Stored): string[] {
  return (Object.keys(expected) as (keyof Stored)[]).flatMap((name) => {
    const wanted = [...expected[name]].filter(([at]) => name !== 'iterations' || ours[name].has(at));
    const wrong = wanted.filter(([at, text]) => ours[name].get(at) !== text).map(([at]) => at);
    const nothing = wanted.length === 0 ? [`${name}: nothing to compare`] : [];
    return wrong.length > 0 ? [`${name} of iteration ${wrong.slice(0, 5).join(', ')} are not equal`] : nothing;
  });
}

/** Breaks off one verb; answers what is wrong afterwards. */
async function breakOff(lab: Lab, side: (typeof sides)[number], draws: Draws): Promise<string[]> {
  const query = 'preset=micro&backend=cpu&iterations=2000';
  if (side === 'preparing') {
    await lab.visit(`${query}&warmStart.source=train&warmStart.steps=2000`);
    await lab.page.waitForTimeout(draws.below(1500));
  } else {
    const page = await aPausedRun(lab, query);
    if (side === 'forking') await page.getByRole('button', { name: 'Separate networks' }).click({ noWaitAfter: true });
    else await deleteOther(lab, query);
    await lab.page.waitForTimeout(draws.below(side === 'forking' ? 600 : 40));
  }
  const how = await killed(lab, draws);
  const page = await lab.visit(query);
  const words = `in ${side}, ${how}`;
  if ((await untilState(page, 'idle')) === 'failed') return [`${words}: the page opens no run afterwards`];
  const astray = await orphans(page);
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
