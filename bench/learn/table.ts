// What `npm run bench:learn` found, as tables and against what the team must reach.
import { tInterval } from '../../src/base/intervals.ts';
import { mean } from '../../src/base/stats.ts';
import type { Share } from '../shared/trainUntil.ts';
import { factLine, table, type Column } from '../shared/table.ts';
import type { Learned } from './once.ts';

export interface LearnResults {
  preset: string;
  backend: string;
  machine: string;
  seeds: Learned[];
  ownWarmStart: Learned[];
  summary: { shipped: Summary; ownWarmStart: Summary };
}

interface Summary {
  meanAfter: number;
  /** 95 % t-interval over seeds. */
  low: number;
  high: number;
  isMet: boolean;
}

/** What the team must reach: a clear gain, high in the mean, and proof that the plan is read. */
export function summary(runs: readonly Learned[]): Summary {
  const after = runs.map(({ after: { accuracy } }) => accuracy);
  return {
    meanAfter: mean(after),
    ...tInterval(after),
    isMet:
      runs.every((run) => run.after.accuracy - run.before.accuracy >= 0.2) &&
      mean(after) >= 0.88 &&
      runs.every((run) => run.after.low > run.ceiling),
  };
}

const share = ({ accuracy, low, high }: Share) => `${accuracy.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`;

export const learnColumns: Column<Learned>[] = [
  ['Seed', ({ seed }) => seed],
  ['Iterations', ({ iterations }) => iterations],
  ['Before', ({ before }) => share(before)],
  ['After', ({ after }) => share(after)],
  ['Message masked', ({ maskedMessage }) => maskedMessage.toFixed(3)],
  ['Single agent', ({ singleAgent }) => singleAgent.toFixed(3)],
  ['Seconds', ({ seconds }) => Math.round(seconds)],
];

export function learnTables({ preset, backend, machine, seeds, ownWarmStart }: LearnResults): string {
  const own = `Own warm start:\n\n${table(learnColumns, ownWarmStart)}`;
  return [factLine({ preset, backend, machine }), table(learnColumns, seeds), own].join('\n\n');
}

/** One row for each start: means over seeds. */
export function learnShortTable({ machine, backend, seeds, ownWarmStart }: LearnResults): string {
  const rows = [
    { start: 'the shipped one', runs: seeds },
    { start: 'its own', runs: ownWarmStart },
  ];
  const of = (value: (run: Learned) => number) => (row: (typeof rows)[0]) => mean(row.runs.map(value)).toFixed(3);
  const columns: Column<(typeof rows)[0]>[] = [
    ['Warm start', ({ start }) => start],
    ['Seeds', ({ runs }) => runs.length],
    ['Before', of(({ before }) => before.accuracy)],
    ['After', of(({ after }) => after.accuracy)],
    ['Message masked', of(({ maskedMessage }) => maskedMessage)],
    ['Single agent', of(({ singleAgent }) => singleAgent)],
    ['Seconds', ({ runs }) => Math.round(mean(runs.map(({ seconds }) => seconds)))],
  ];
  return [factLine({ machine, backend }), table(columns, rows)].join('\n\n');
}
