// Results of `npm run words` as tables of docs/results.md and the world's page.
import type { Estimate } from '../../src/base/intervals.ts';
import { mean } from '../../src/base/stats.ts';
import { lowTemperature } from '../../src/records/metrics.ts';
import { spread, table } from '../shared/table.ts';
import type { HeldOutTrajectory, InPage, WordsResult } from './once.ts';

/** One recipe with its seeds. */
export interface WordsRow {
  model: string;
  rung: 'passItOn';
  stage: 'rlAlone' | 'unheard' | 'page' | 'reference';
  seeds: number[];
  before: Estimate;
  after: Estimate;
  lowAfter: Estimate | null;
  iterations: number;
  /** From the start of the program to its end, including both evaluations. */
  seconds: number;
  iterationSeconds: number;
  peakMiB: number | null;
  threads: number;
  machine: string;
  commit: string;
  runs: { seed: number; result: WordsResult }[];
}

const stageNames = {
  rlAlone: 'reinforcement learning alone',
  unheard: 'the same, but nobody hears the planner',
  page: 'the same in the page, which is reloaded half-way',
  reference: 'the recipe in PyTorch and PEFT, temperature 0.8',
};

/** The first held-out dialogues before and after, sampled at temperature 1. */
export function wordsTrajectories(rows: readonly WordsRow[]): string | undefined {
  const run = rows.flatMap(({ runs }) => runs).find(({ result }) => result.dialogues);
  const said = (turns: readonly string[]) => turns.map((text) => `“${text.trim()}”`).join(' → ');
  return (
    run &&
    table<HeldOutTrajectory>(
      [
        ['Question', ({ question }) => question],
        ['Secret', ({ answer }) => answer],
        ['Before', ({ before }) => said(before)],
        ['After', ({ after }) => said(after)],
      ],
      run.result.dialogues ?? [],
    )
  );
}

/** The runs in the page: how long a visitor waits, and whether PEFT agrees with the adapter that the page saved. */
export function wordsPageTable(rows: readonly WordsRow[]): string | undefined {
  const shown = rows.flatMap(({ runs }) =>
    runs.flatMap(({ seed, result }) => (result.inPage ? [{ seed, ...result.inPage }] : [])),
  );
  const difference = (value: number | undefined) => value !== undefined && value.toPrecision(2);
  return shown.length === 0
    ? undefined
    : table<InPage & { seed: number }>(
        [
          ['Seed', ({ seed }) => seed],
          ['Model ready after', ({ openedSeconds }) => `${openedSeconds.toFixed(1)} s`],
          ['First word after Train', ({ firstWordSeconds }) => `${firstWordSeconds.toFixed(1)} s`],
          ['Reloaded after iteration', ({ reloadedAt }) => reloadedAt],
          ['Tokens compared with PEFT', ({ peft }) => peft && peft.tokens],
          ['Largest difference of a log-probability', ({ peft }) => difference(peft?.farthest)],
          ['Without the adapter', ({ peft }) => difference(peft?.farthestWithout)],
        ],
        shown,
      );
}

const processorMinutes = (seconds: readonly (number | null)[]) =>
  !seconds.includes(null) && (mean(seconds as number[]) / 60).toFixed(1);

export function wordsTable(rows: readonly WordsRow[]): string {
  return table<WordsRow>(
    [
      ['Pass it on', ({ stage }) => stageNames[stage]],
      ['Seeds', ({ seeds }) => seeds.join(', ')],
      ['Iterations', ({ iterations }) => iterations],
      ['Before', ({ before }) => spread(before)],
      ['After', ({ after }) => spread(after)],
      [`After at ${lowTemperature}`, ({ lowAfter }) => lowAfter && spread(lowAfter)],
      ['Seconds an iteration', ({ iterationSeconds }) => iterationSeconds.toFixed(1)],
      ['Minutes in total', ({ seconds }) => (seconds / 60).toFixed(1)],
      ['Processor minutes', ({ runs }) => processorMinutes(runs.map(({ result }) => result.cpuSeconds))],
      ['Peak memory', ({ peakMiB }) => peakMiB !== null && `${peakMiB} MiB`],
    ],
    rows,
  );
}
