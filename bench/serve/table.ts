// The results of `npm run bench:serve`, and the faults among them.
import { median } from '../../src/base/stats.ts';
import type { CallName } from '../../cli/serve/worlds/service.ts';
import { factLine, milliseconds, table, type Column } from '../shared/table.ts';

/** The latency of one kind of call, in milliseconds. */
export interface Latency {
  call: CallName;
  count: number;
  p50: number;
  p95: number;
  p99: number;
  longest: number;
}

/** A round of good clients, alone or together with harmful ones. */
export interface HarmRound {
  isHarmed: boolean;
  stepsPerSecond: number;
  /** The latency of single steps. */
  step: Latency;
  /** Peak memory of the server. */
  residentMB: number;
}

export interface LoadFound {
  commit: string;
  clients: number;
  /** The steps of each client. */
  steps: number;
  stepsPerSecond: number;
  latencies: Latency[];
  /** Resident memory of the server before the first step, and the median within each tenth of the steps. */
  residentMB: { before: number; byTenth: number[] };
  errors: string[];
}

export interface HarmFound {
  commit: string;
  clients: number;
  steps: number;
  rounds: HarmRound[];
  errors: string[];
}

export interface ServeResults {
  machine: string;
  load?: LoadFound;
  beside?: HarmFound;
}

/** Growth up to this is ignored, because Node decides when it frees memory. */
const mostGrowthMB = 32;
/** Maximum ratio of the median step time with harm to that without. */
const mostSlower = 3;

/** Returns the growth from the second tenth, when the server has as many dialogues as it keeps, to the last one. */
const growthOf = ({ residentMB: { byTenth } }: LoadFound): number => (byTenth.at(-1) ?? NaN) - (byTenth[1] ?? NaN);

/** Returns the medians of one figure over the rounds, without and with harm. */
function bothOf({ rounds }: HarmFound, figure: (round: HarmRound) => number): [alone: number, harmed: number] {
  const of = (isHarmed: boolean) => median(rounds.filter((one) => one.isHarmed === isHarmed).map(figure));
  return [of(false), of(true)];
}

/** The faults, in words. */
export function faultsOf({ load, beside }: ServeResults): string[] {
  const growth = load ? growthOf(load) : 0;
  const [alone, harmed] = beside ? bothOf(beside, ({ step }) => step.p50) : [0, 0];
  return [
    ...(load?.errors ?? []),
    ...(beside?.errors ?? []),
    ...(growth <= mostGrowthMB ? [] : [`the server grew by ${growth.toFixed(0)} MB, more than ${mostGrowthMB}`]),
    ...(harmed <= alone * mostSlower
      ? []
      : [
          `with harmful clients a step takes ${harmed.toFixed(1)} ms, and without them ${alone.toFixed(1)}: more than ${mostSlower} times as long`,
        ]),
  ];
}

const columns: Column<Latency>[] = [
  ['Call', ({ call }) => call],
  ['Calls', ({ count }) => count.toLocaleString('en')],
  ['p50, ms', ({ p50 }) => milliseconds(p50)],
  ['p95', ({ p95 }) => milliseconds(p95)],
  ['p99', ({ p99 }) => milliseconds(p99)],
  ['Longest', ({ longest }) => milliseconds(longest)],
];

const besideLines: [words: string, figure: (round: HarmRound) => number][] = [
  ['p50, ms', ({ step }) => step.p50],
  ['p95', ({ step }) => step.p95],
  ['p99', ({ step }) => step.p99],
  ['Longest', ({ step }) => step.longest],
  ['Steps a second', ({ stepsPerSecond }) => stepsPerSecond],
  ['Server at most, MB', ({ residentMB }) => residentMB],
];

export function serveTable({ machine, load, beside }: ServeResults): string {
  return [factLine({ machine }), ...(load ? loadParts(load) : []), ...(beside ? besideParts(beside) : [])].join('\n\n');
}

function loadParts(load: LoadFound): string[] {
  const { commit, clients, stepsPerSecond, residentMB, errors } = load;
  const [first, ...rest] = residentMB.byTenth;
  return [
    factLine({ clients, stepsOfEach: load.steps.toLocaleString('en'), errors: errors.length, stepsPerSecond, commit }),
    table(columns, load.latencies),
    `The server uses ${residentMB.before} MB of resident memory before the first step and ${first} MB in the first tenth of the steps; in the other tenths it uses ${rest.join(', ')} MB.`,
  ];
}

function besideParts(found: HarmFound): string[] {
  const { commit, clients, steps, rounds, errors } = found;
  const head = `A step, ${clients} clients × ${steps.toLocaleString('en')}`;
  const besideColumns: Column<(typeof besideLines)[number]>[] = [
    [head, ([words]) => words],
    ['Alone', ([, figure]) => milliseconds(bothOf(found, figure)[0])],
    ['With harmful clients', ([, figure]) => milliseconds(bothOf(found, figure)[1])],
  ];
  return [factLine({ rounds: rounds.length, errors: errors.length, commit }), table(besideColumns, besideLines)];
}
