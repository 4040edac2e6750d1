// Shows the results of `npm run words` as tables of docs/results.md and of the world's page.
import type { Estimate } from '../../src/base/intervals.ts';
import { mean } from '../../src/base/stats.ts';
import { lowTemperature } from '../../src/records/metrics.ts';
import { spread, table } from '../shared/table.ts';
import { demonstrationsOf, rungs, type RungName, type Stage } from './rungs.ts';
import type { HeldOutTrajectory, InPage, WordsResult } from './once.ts';

/** One recipe with its seeds. */
export interface WordsRow {
  model: string;
  rung: RungName;
  stage: Stage;
  seeds: number[];
  before: Estimate;
  after: Estimate | null;
  lowAfter: Estimate | null;
  iterations: number;
  /** Seconds from the start of the program to its end, including both evaluations. */
  seconds: number;
  iterationSeconds: number | null;
  peakMiB: number | null;
  threads: number;
  machine: string;
  commit: string;
  runs: { seed: number; result: WordsResult }[];
}

const stageNames: Readonly<Record<Stage, string>> = {
  rlAlone: 'reinforcement learning alone',
  sftRl: 'imitation of demonstrations, then reinforcement learning',
  unheard: 'the same, but nobody hears the planner',
  single: 'the same for one agent that sees everything',
  fewShot: 'not trained, four solved examples in each prompt',
  page: 'reinforcement learning alone in the page, which is reloaded half-way',
  reference: 'the recipe in PyTorch and PEFT, temperature 0.8',
  trl: 'the same problems and prompts by GRPOTrainer of TRL, temperature 0.8',
};

/** Returns the table of the first held-out dialogues of a rung before and after, sampled at temperature 1. */
export function wordsTrajectories(all: readonly WordsRow[], rung: RungName): string | undefined {
  const rows = all.filter((row) => row.rung === rung);
  const run = rows.flatMap(({ runs }) => runs).find(({ result }) => result.dialogues);
  const said = (turns: readonly string[]) => turns.map((text) => `“${text.trim()}”`).join(' → ');
  return (
    run &&
    table<HeldOutTrajectory>(
      [
        ['Question', ({ question }) => question],
        ['Answer', ({ answer }) => answer],
        ['Before', ({ before }) => said(before)],
        ['After', ({ after }) => said(after)],
      ],
      run.result.dialogues ?? [],
    )
  );
}

/**
 * Returns the table of the runs in the page: how long a visitor waits, and whether PEFT agrees with the saved adapter.
 */
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

const tokensOf = (counts: readonly (number | null)[]) =>
  !counts.includes(null) && Math.round(mean(counts as number[])).toLocaleString('en-US');

const processorMinutes = (seconds: readonly (number | null)[]) =>
  !seconds.includes(null) && (mean(seconds as number[]) / 60).toFixed(1);

export function wordsTable(rows: readonly WordsRow[]): string {
  return table<WordsRow>(
    [
      ['Rung', ({ rung }) => rungs[rung].label],
      [
        'Stage',
        ({ rung, stage }) =>
          stageNames[stage].replace('of demonstrations', `of ${demonstrationsOf(rungs[rung])} demonstrations`),
      ],
      ['Seeds', ({ seeds }) => seeds.join(', ')],
      ['Iterations', ({ iterations }) => iterations],
      ['Before', ({ before }) => spread(before)],
      ['After', ({ after }) => after && spread(after)],
      [`After at ${lowTemperature}`, ({ lowAfter }) => lowAfter && spread(lowAfter)],
      ['Tokens sampled', ({ runs }) => tokensOf(runs.map(({ result }) => result.tokens ?? null))],
      ['Seconds an iteration', ({ iterationSeconds }) => iterationSeconds !== null && iterationSeconds.toFixed(1)],
      ['Minutes in total', ({ seconds }) => (seconds / 60).toFixed(1)],
      ['Processor minutes', ({ runs }) => processorMinutes(runs.map(({ result }) => result.cpuSeconds))],
      ['Peak memory', ({ peakMiB }) => peakMiB !== null && `${peakMiB} MiB`],
    ],
    rows,
  );
}
