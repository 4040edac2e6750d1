// The results of `npm run bench:learn`, as tables and compared with the goals of the team.
import { tInterval } from '../../src/base/intervals.ts';
import { mean } from '../../src/base/stats.ts';
import { lowTemperature } from '../../src/records/metrics.ts';
import type { Share } from '../shared/trainUntil.ts';
import { factLine, spread, table, type Column } from '../shared/table.ts';
import type { Learned, Unheard } from './once.ts';

export interface LearnResults {
  preset: string;
  backend: string;
  machine: string;
  seeds: Learned[];
  ownWarmStart: Learned[];
  unheard: Unheard[];
  summary: { shipped: Summary; ownWarmStart: Summary };
}

interface Summary {
  meanAfter: number;
  /** 95 % t-interval over seeds. */
  low: number;
  high: number;
  isMet: boolean;
}

/** The goals of the team: a clear gain, a high mean, and proof that the plan is read. */
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

type Run = Pick<Learned, 'seed' | 'iterations' | 'before' | 'after' | 'lowBefore' | 'lowAfter' | 'seconds'>;

/** Returns the columns that all runs have, with the columns of one kind of run. */
const columnsWith = <Row extends Run>(...own: Column<Row>[]): Column<Row>[] => [
  ['Seed', ({ seed }) => seed],
  ['Iterations', ({ iterations }) => iterations],
  ['Before', ({ before }) => share(before)],
  ['After', ({ after }) => share(after)],
  [`Before at ${lowTemperature}`, ({ lowBefore }) => lowBefore && share(lowBefore)],
  [`After at ${lowTemperature}`, ({ lowAfter }) => lowAfter && share(lowAfter)],
  ...own,
  ['Seconds', ({ seconds }) => Math.round(seconds)],
];

export const learnColumns = columnsWith<Learned>(
  ['Suddenly unheard', ({ maskedMessage }) => maskedMessage.toFixed(3)],
  ['Single agent', ({ singleAgent }) => singleAgent.toFixed(3)],
);

export const unheardColumns = columnsWith<Unheard>(['Constant best guess', ({ bestGuess }) => bestGuess?.toFixed(3)]);

export function learnTables({ preset, backend, machine, seeds, ownWarmStart, unheard }: LearnResults): string {
  return [
    factLine({ preset, backend, machine }),
    table(learnColumns, seeds),
    `Runs that start from a separate warm start for each seed:\n\n${table(learnColumns, ownWarmStart)}`,
    'Runs in which the reasoner never hears the planner, neither in training nor in the measurement; each run starts from a warm start of its own:',
    table(unheardColumns, unheard),
  ].join('\n\n');
}

/** One row per team: means over seeds, at temperature 1 with the t-interval and at low temperature. */
export function learnShortTable({ machine, backend, seeds, ownWarmStart, unheard }: LearnResults): string {
  const alone = (runs: readonly Learned[]) =>
    runs.map(({ singleAgentBefore, singleAgentAfter, singleAgentLow: { before, after } }) => ({
      ...{ before: singleAgentBefore, after: singleAgentAfter, lowBefore: before, lowAfter: after },
    }));
  const rows: { team: string; runs: readonly Pick<Learned, 'before' | 'after' | 'lowBefore' | 'lowAfter'>[] }[] = [
    { team: 'planner and reasoner, shipped warm start', runs: seeds },
    { team: 'planner and reasoner, a warm start of their own', runs: ownWarmStart },
    { team: 'one agent that sees everything, same number of tokens', runs: alone(seeds) },
    { team: 'team in which nobody ever hears the planner', runs: unheard },
  ];
  const of = (value: (run: (typeof rows)[0]['runs'][0]) => Share | null) => (row: (typeof rows)[0]) =>
    spread(tInterval(row.runs.flatMap((run) => value(run)?.accuracy ?? [])));
  const columns: Column<(typeof rows)[0]>[] = [
    ['Team', ({ team }) => team],
    ['Seeds', ({ runs }) => runs.length],
    ['Before', of(({ before }) => before)],
    ['After', of(({ after }) => after)],
    [`Before, temperature ${lowTemperature}`, of(({ lowBefore }) => lowBefore)],
    [`After, temperature ${lowTemperature}`, of(({ lowAfter }) => lowAfter)],
  ];
  const guess = unheard[0]?.bestGuess;
  const [run] = seeds;
  const bounds =
    run && guess
      ? `Without any message, the accuracy is at most ${run.ceiling.toFixed(3)} on average over the rules. An agent that always uses the rule that is right most often has an accuracy of ${guess.toFixed(3)} on the measured problems.`
      : '';
  const cost = `Training a team takes ${Math.round(mean(seeds.map(({ seconds }) => seconds)))} seconds of processor time.`;
  return [factLine({ machine, backend }), table(columns, rows), [bounds, cost].join(' ')].join('\n\n');
}
