// The results of `npm run bench:learn -- --levels` and `-- --cross`, as tables.
import { lowTemperature, type AnswersOf } from '../../src/records/metrics.ts';
import { worldForms } from '../../src/config/worlds/registry.ts';
import { factLine, table, type Column } from '../shared/table.ts';
import type { CrossResult, LevelResult } from './levels.ts';

/** The minimum gain of a level over its warm start, required in every seed. */
const leastGain = 0.15;

export interface LevelRow extends LevelResult {
  level: number;
  seed: number;
}

export interface LevelsResults {
  machine: string;
  backend: string;
  rows: LevelRow[];
}

export interface CrossResults extends CrossResult {
  machine: string;
  backend: string;
}

/** Returns the rows that gained too little, as text. */
export const gainedTooLittle = ({ rows }: LevelsResults): string[] =>
  rows
    .filter(({ before, after }) => after.accuracy - before.accuracy < leastGain)
    .map(({ level, seed }) => `level ${level}, seed ${seed}`);

const at = (answers: readonly AnswersOf[], k: number) => answers[0]?.at.find((shares) => shares.k === k);
const fromTo = (before: number | undefined, after: number | undefined) =>
  `${before?.toFixed(3) ?? '–'} → ${after?.toFixed(3) ?? '–'}`;

const columns: Column<LevelRow>[] = [
  ['Level', ({ level }) => level],
  ['Seed', ({ seed }) => seed],
  ['Right', ({ before, after }) => fromTo(before.accuracy, after.accuracy)],
  ['95 % interval after', ({ after: { low, high } }) => `${low.toFixed(3)} to ${high.toFixed(3)}`],
  // Rows of earlier versions do not have this.
  [
    `at temperature ${lowTemperature}`,
    ({ lowBefore, lowAfter }) => (lowBefore ? fromTo(lowBefore.accuracy, lowAfter?.accuracy) : null),
  ],
  ...(['pass', 'majority'] as const).map((kind): Column<LevelRow> => [
    `${kind}@16`,
    ({ answersBefore, answersAfter }) => fromTo(at(answersBefore, 16)?.[kind], at(answersAfter, 16)?.[kind]),
  ]),
  ['harder', ({ harderBefore, harderAfter }) => fromTo(harderBefore, harderAfter)],
  ['level above', ({ nextBefore, nextAfter }) => nextBefore !== null && fromTo(nextBefore, nextAfter ?? undefined)],
  ['Iterations', ({ iterations }) => iterations],
  ['Seconds', ({ seconds }) => Math.round(seconds)],
];

/** Accuracy by rule after training, means over the seeds of a level. */
function sliceTable({ rows }: LevelsResults): string {
  const levels = [...new Set(rows.map(({ level }) => level))];
  const slices = Object.entries(worldForms.houseRule.slices.words);
  const lines = levels.flatMap((level) => slices.map(([slice, word]) => ({ level, slice, word })));
  const of = (line: (typeof lines)[0], k: number, kind: 'pass' | 'majority') => {
    const found = rows
      .filter(({ level }) => level === line.level)
      .flatMap(({ answersAfter }) => answersAfter.filter(({ slice }) => slice === line.slice))
      .flatMap(({ at: shares }) => shares.filter((one) => one.k === k).map((one) => one[kind]));
    return found.length > 0 && (found.reduce((sum, one) => sum + one, 0) / found.length).toFixed(3);
  };
  return table(
    [
      ['Level', ({ level }) => level],
      ['Rule', ({ word }) => word],
      ['pass@1', (line) => of(line, 1, 'pass')],
      ['pass@4', (line) => of(line, 4, 'pass')],
      ['pass@16', (line) => of(line, 16, 'pass')],
      ['majority@4', (line) => of(line, 4, 'majority')],
      ['majority@16', (line) => of(line, 16, 'majority')],
    ] satisfies Column<(typeof lines)[0]>[],
    lines,
  );
}

export const levelsTable = (results: LevelsResults): string =>
  [
    factLine({ machine: results.machine, backend: results.backend }),
    table(columns, results.rows),
    'The accuracy after training for each rule (means over seeds):',
    sliceTable(results),
  ].join('\n\n');

export function crossTable({ machine, backend, seeds, accuracy }: CrossResults): string {
  const name = (seed: number | null) => (seed === null ? 'warm start' : `seed ${seed}`);
  const columnsOf: Column<number>[] = [
    ['Planner', (row) => name(seeds[row] ?? null)],
    ...seeds.map((seed, i): Column<number> => [`reasoner: ${name(seed)}`, (row) => accuracy[row]?.[i]?.toFixed(3)]),
  ];
  return [factLine({ machine, backend }), table(columnsOf, [...seeds.keys()])].join('\n\n');
}
