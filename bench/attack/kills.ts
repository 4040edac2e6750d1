// Kills: a run is trained to its end through many deaths, and its store must equal that of an undisturbed run, to the
// bit: metrics except for times and speeds, evaluations, trajectories, and the weights and moments of the last
// checkpoint. Round after round; besides training, the kills hit every other writer (sides.ts), and the program
// (program.ts).
import { serveFolder } from '../../scripts/serve.mjs';
import { readStore, type StoreName } from '../../e2e/database.ts';
import type { Draws } from '../../src/base/random.ts';
import type { Page } from 'playwright-core';
import { iterationOf, killed, Lab, says, stateOf, untilState } from './lab.ts';
import { drawsOf } from './mutate.ts';
import { programRound } from './program.ts';
import type { AttackRow } from './report.ts';
import { killsOf, type Round, type RoundPlan } from './round.ts';
import { sidesRound } from './sides.ts';

interface Plan {
  seed: number;
  kills: number;
  untilMs: number;
  /** Rounds that are already finished, by number; their kills count. */
  done?: ReadonlyMap<number, Round>;
  /** Called after each finished round. */
  onRound?: (number: number, round: Round) => void;
}

/** The runs trained through the kills: `micro` is fast, the default settings have a shipped warm start. */
const long = [
  { preset: 'micro', iterations: 600, atMostMs: 900 },
  { preset: 'default', iterations: 20, atMostMs: 2500 },
] as const;
const storing = 'a checkpoint is being stored';
/** Time limit for the next checkpoint, after which the kill happens anyway. */
const patienceMs = 20_000;
/** Slows down storing a checkpoint, as a slow disk does, and announces it. No stored value depends on this. */
const slowCheckpoints = `{
  const put = IDBObjectStore.prototype.put;
  IDBObjectStore.prototype.put = function (...given) {
    const request = put.apply(this, given);
    if (this.name !== 'checkpoints') return request;
    console.debug(${JSON.stringify(storing)});
    const endMs = performance.now() + 250;
    const hold = () => performance.now() < endMs && (this.count().onsuccess = hold);
    hold();
    return request;
  };
}`;
/** Maximum number of kills in one round of training; after that, the run trains to its end. */
const mostOfRound = 24;
type Row = Record<string, unknown> & { runId?: string; iteration?: number };

const rounds: readonly ((at: RoundPlan) => Promise<Round>)[] = [
  (at) => trainingRound(at, long[0]),
  (at) => sidesRound(at),
  (at) => programRound(at),
  (at) => trainingRound(at, long[1]),
];

/** Makes this many kills, or as many as the time allows, round after round. The same seed gives the same rounds. */
export async function attackKills({ seed, kills, untilMs, done = new Map(), onRound }: Plan): Promise<AttackRow[]> {
  const served = await serveFolder({ folder: 'dist', port: 4473 });
  const all = new Map(done);
  const total = () => [...all.values()].reduce((sum, round) => sum + killsOf(round), 0);
  try {
    for (let number = 0; total() < kills && Date.now() < untilMs; number++) {
      if (all.has(number)) continue;
      const left = Math.min(mostOfRound, kills - total());
      const play = rounds[number % rounds.length] as (typeof rounds)[number];
      const round = await play({ origin: served.url, seed: seed + number, left, untilMs });
      all.set(number, round);
      onRound?.(number, round);
    }
    return (['training', 'sides', 'program'] as const).flatMap((name) => rowOf(name, [...all.values()]));
  } finally {
    await served.close();
  }
}

const whats = {
  training: 'killed in training, storing checkpoints and resuming',
  sides: 'killed in preparing, deleting, forking, exporting and taking over a former database',
  program: 'the program killed in training, storing checkpoints, exporting and importing',
};

function rowOf(name: Round['name'], all: readonly Round[]): AttackRow[] {
  const own = all.filter((round) => round.name === name);
  if (own.length === 0) return [];
  const sum = (of: (round: Round) => number) => own.reduce((total, round) => total + of(round), 0);
  const kinds = [...new Set(own.flatMap(({ kills }) => Object.keys(kills)))].sort();
  const note = [
    ...(name === 'sides'
      ? []
      : [`${sum((one) => one.compared)} iterations compared, ${sum((one) => one.repeated)} repeated`]),
    kinds.map((kind) => `${kind} ${sum(({ kills }) => kills[kind] ?? 0)}`).join(', '),
  ].join('; ');
  const faults = own.flatMap((round) => round.faults);
  return [{ part: 'kills', what: whats[name], count: sum(killsOf), note, faults }];
}

async function trainingRound({ origin, seed, left, untilMs }: RoundPlan, plan: (typeof long)[number]): Promise<Round> {
  const query = `preset=${plan.preset}&backend=cpu&seed=${seed}&iterations=${plan.iterations}`;
  const round: Round = { name: 'training', kills: {}, compared: 0, repeated: 0, faults: [] };
  const count = (how: string) => (round.kills[how] = (round.kills[how] ?? 0) + 1);
  const isLeft = () => killsOf(round) < left && Date.now() < untilMs;
  const lab = new Lab(origin, slowCheckpoints);
  try {
    const draws = drawsOf(seed, 100, 0);
    round.repeated = await surviveToTheEnd({ lab, query, draws, atMostMs: plan.atMostMs, isLeft, count });
    const differences = differing(await stored(lab.page), await undisturbed(origin, query));
    round.compared = plan.iterations;
    round.faults = [...differences, ...lab.errors].map((words) => `${query}: ${words}`);
  } catch (error) {
    round.faults.push(`${query}: ${String(error).slice(0, 200)}`);
  } finally {
    await lab.dispose();
  }
  return round;
}

interface Survival {
  lab: Lab;
  query: string;
  draws: Draws;
  atMostMs: number;
  isLeft: () => boolean;
  count: (name: string) => void;
}

/** Trains to the end through kills; returns the number of iterations that had to be repeated. */
async function surviveToTheEnd({ lab, query, draws, atMostMs, isLeft, count }: Survival): Promise<number> {
  let repeated = 0;
  let told = 0;
  for (let i = 0; ; i++) {
    const page = await lab.visit(query);
    if ((await untilState(page, 'idle')) === 'failed') throw new Error('the page opens no run');
    // A run that was killed before its first checkpoint starts again.
    const isKept = (await readStore<Row>(page, 'checkpoints')).some(({ iteration = 0 }) => iteration > 0);
    if (told > 0 && !isKept) repeated += told;
    if (isKept) {
      await page.getByRole('button', { name: 'Resume', exact: true }).first().click();
      if (isLeft() && draws.below(4) === 0) {
        await page.waitForTimeout(draws.below(400));
        count(await killed(lab, draws));
        continue;
      }
      // The last kill may have happened after the end was stored.
      if ((await untilState(page, 'training', 'done')) === 'failed') throw new Error('the run cannot be resumed');
      repeated += Math.max(0, told - (await iterationOf(page)));
    }
    // Resuming continues training automatically.
    if ((await stateOf(page)) === 'idle') await page.getByRole('button', { name: 'Train' }).click();
    const from = await iterationOf(page);
    const isNear = from > 0.8 * Number(/iterations=(\d+)/.exec(query)?.[1]);
    if (!isLeft() || isNear) {
      if ((await untilState(page, 'done')) === 'failed') throw new Error('the run failed before its end');
      return repeated;
    }
    await page.waitForFunction((at) => Number(document.documentElement.dataset['iteration']) > at, from);
    // Every second kill happens while a checkpoint is being written: within the transaction, which is held open for a
    // moment.
    const isAimed = draws.below(2) === 0;
    const isHit = isAimed && (await says(page, storing, patienceMs));
    if (!isAimed) await page.waitForTimeout(draws.below(atMostMs));
    told = await iterationOf(page);
    const how = await killed(lab, draws);
    count(isHit ? `${how} in storing a checkpoint` : how);
  }
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

/** The stored records of a page's finished run, without names and timestamps. */
async function stored(page: Page): Promise<Stored> {
  const runs = await readStore<{ id: string; iteration: number; isDone: boolean }>(page, 'runs');
  const run = runs.find(({ isDone }) => isDone);
  const of = async (store: StoreName, keep: (row: Row) => unknown = (row) => row) => {
    const rows = (await readStore<Row>(page, store)).filter(({ runId }) => runId === run?.id);
    // The checksum also covers the id.
    const nameless = { runId: '', checksum: 0 };
    return new Map(
      rows.map((row) => [row.iteration as number, JSON.stringify({ ...(keep(row) as object), ...nameless })]),
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

/** The differences of two stores, in words. Thinned records are compared if both stores keep them. */
function differing(ours: Stored, expected: Stored): string[] {
  return (Object.keys(expected) as (keyof Stored)[]).flatMap((name) => {
    const wanted = [...expected[name]].filter(([at]) => name !== 'iterations' || ours[name].has(at));
    const wrong = wanted.filter(([at, text]) => ours[name].get(at) !== text).map(([at]) => at);
    const nothing = wanted.length === 0 ? [`${name}: nothing to compare`] : [];
    return wrong.length > 0 ? [`${name} of iteration ${wrong.slice(0, 5).join(', ')} are not equal`] : nothing;
  });
}
