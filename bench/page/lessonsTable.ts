// The table of `npm run bench:lessons`.
import { mean, median } from '../../src/base/stats.ts';
import { factLine, table } from '../shared/table.ts';

/** One walk through a lesson. */
export interface LessonWalk {
  /** From navigation to the passed check, or to the failure. */
  seconds: number;
  /** Processor time of the browser. */
  processorS: number;
  /** Title of the step that was not passed; null if all were. */
  failedAt: string | null;
}

export interface LessonRow {
  lesson: string;
  number: number;
  language: string;
  /** The median of the first five seeds. */
  medianS: number;
  /** The maximum of all. */
  maxS: number;
  processorS: number;
  passed: number;
  seeds: number;
}

export interface LessonResults {
  machine: string;
  browser: string;
  rows: LessonRow[];
}

const timed = 5;

/** Returns the row for all walks through a lesson in one language, in the order of their seeds. */
export function rowOf(
  named: Pick<LessonRow, 'lesson' | 'number' | 'language'>,
  walks: readonly LessonWalk[],
): LessonRow {
  const tenths = (value: number) => Number(value.toFixed(1));
  return {
    ...named,
    medianS: tenths(median(walks.slice(0, timed).map(({ seconds }) => seconds))),
    maxS: tenths(Math.max(...walks.map(({ seconds }) => seconds))),
    processorS: tenths(mean(walks.map(({ processorS }) => processorS))),
    passed: walks.filter(({ failedAt }) => failedAt === null).length,
    seeds: walks.length,
  };
}

export function lessonsTable({ rows, ...facts }: LessonResults): string {
  return [
    factLine({ ...facts }),
    table(
      [
        ['Lesson', ({ number, lesson }) => `${number} ${lesson}`],
        ['Language', ({ language }) => language],
        ['Median s', ({ medianS }) => medianS],
        ['Longest s', ({ maxS }) => maxS],
        ['Processor s', ({ processorS }) => processorS],
        ['Passed', ({ passed, seeds }) => `${passed} of ${seeds}`],
      ],
      rows,
    ),
  ].join('\n\n');
}
