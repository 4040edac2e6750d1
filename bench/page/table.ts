// The table of `npm run bench:page`: one line for each figure, and columns for the median and for each seed.
import { median } from '../../src/base/stats.ts';
import { factLine, spread, table, type Column } from '../shared/table.ts';
import type { Aged } from './aged.ts';
import type { BusyPage } from './busy.ts';
import type { Intervened } from './intervene.ts';
import type { LongRun } from './longRun.ts';
import type { BesideProgram } from './program.ts';
import type { PageSeed } from './visit.ts';

export type PageFigures = Omit<PageSeed, 'seed' | 'state' | 'longTasks'>;

export interface PageResults {
  preset: string;
  backend: string;
  machine: string;
  browser: string;
  median: PageFigures;
  seeds: PageSeed[];
  /** The page of another commit, which was visited alternately with this one; absent if none was visited. */
  beside?: { commit: string; median: PageFigures } | undefined;
  long?: LongRun;
  busy?: BusyPage;
  aged?: Aged;
  intervened?: Intervened;
  program?: BesideProgram;
}

const lines: [words: string, of: (run: PageFigures) => string | number | null][] = [
  ['from navigation to training, s', ({ navigationToTrainingS }) => navigationToTrainingS],
  ['first iteration, s', ({ firstIterationS }) => firstIterationS],
  ['accuracy up by 0.10, s', ({ secondsToPlus010 }) => secondsToPlus010],
  ['accuracy at 0.88, s', ({ secondsTo088 }) => secondsTo088],
  ['iterations a second', ({ iterationsPerSecond }) => iterationsPerSecond],
  ['accuracy before', ({ accuracyFirst }) => accuracyFirst?.toFixed(3) ?? null],
  ['accuracy at the end', ({ accuracyLast }) => accuracyLast?.toFixed(3) ?? null],
  ['iterations', ({ iterations }) => iterations],
  ['main-thread tasks over 50 ms while training', ({ longTasksWhileTraining }) => longTasksWhileTraining],
  ['longest wait for a pause, ms', ({ pauseMs }) => Math.max(...pauseMs)],
  ['scripts and styles, kB received', ({ scriptAndStyleBytes }) => Math.round(scriptAndStyleBytes / 1000)],
  ['wasm and weights, kB received', ({ wasmAndWeightBytes }) => Math.round(wasmAndWeightBytes / 1000)],
];

export function pageTable({ median: middle, seeds, beside, ...facts }: PageResults): string {
  type Line = (typeof lines)[0];
  const column = (head: string, run: PageFigures): Column<Line> => [head, ([, of]) => of(run)];
  const columns: Column<Line>[] = [
    ['', ([words]) => words],
    column('Median', middle),
    ...(beside ? [column(`Median at ${beside.commit}`, beside.median)] : []),
    ...seeds.map((run) => column(`Seed ${run.seed}`, run)),
  ];
  return [
    factLine({ preset: facts.preset, backend: facts.backend, machine: facts.machine, browser: facts.browser }),
    table(columns, lines),
    ...aloneLines(facts).map((line) => `${line}.`),
    ...(facts.long ? [table(tenthColumns, [...facts.long.byTenth.entries()])] : []),
  ].join('\n\n');
}

/** Returns one line for each of the separate measurements. */
export const aloneLines = ({ program, intervened, busy, aged, long }: Partial<PageResults>): string[] => [
  ...(program ? [programLine(program)] : []),
  ...(intervened ? [intervenedLine(intervened)] : []),
  ...(busy ? [busyLine(busy)] : []),
  ...(aged ? [agedLine(aged)] : []),
  ...(long ? [longLine(long)] : []),
];

const tenthColumns: Column<[number, LongRun['byTenth'][number]]>[] = [
  ['Tenth', ([i]) => i + 1],
  ['iterations', ([, tenth]) => tenth.iterations],
  ['processor ms per iteration', ([, tenth]) => tenth.processorMs],
  ['tokens a dialogue', ([, tenth]) => tenth.tokensADialogue],
  ['dialogues solved', ([, tenth]) => tenth.solved],
  ['heap of the page, MB', ([, tenth]) => tenth.heapMB],
  ['its process, MB', ([, tenth]) => tenth.residentMB],
  ['IndexedDB, MB', ([, tenth]) => tenth.storeMB],
];

/** Returns the median of each number over the seeds, or null if a seed did not reach it. */
export function medians(runs: readonly PageSeed[]): PageFigures {
  const { seed: _, state: __, longTasks: ___, pauseMs: ____, ...figures } = runs[0] as PageSeed;
  const middles = (Object.keys(figures) as (keyof typeof figures)[]).map((name) => {
    const found = runs.map((run) => run[name]);
    return [name, found.includes(null) ? null : Number(median(found as number[]).toFixed(3))];
  });
  const pauseMs = [median(runs.map((run) => Math.max(...run.pauseMs)))];
  return { ...(Object.fromEntries(middles) as typeof figures), pauseMs };
}

/** Returns the increase of processor time per iteration from the first tenth to the last; negative if it decreased. */
const slowed = ({ byTenth: tenths }: LongRun): number =>
  (tenths.at(-1)?.processorMs ?? Number.NaN) / (tenths[0]?.processorMs ?? Number.NaN) - 1;

function longLine(long: LongRun): string {
  const { preset, minutes, iterations, byTenth } = long;
  const [first, last] = [byTenth[0], byTenth.at(-1)];
  return [
    `In ${minutes} minutes, ${iterations} iterations of the preset ${preset} are trained`,
    `An iteration takes ${first?.processorMs} ms of processor time in the first tenth and ${last?.processorMs} ms in the last tenth, which is ${(100 * slowed(long)).toFixed(1)} % more`,
    `The heap of the page has ${first?.heapMB} MB after the first tenth and ${last?.heapMB} MB after the last tenth; the process of the page uses ${first?.residentMB} MB and ${last?.residentMB} MB`,
    `At the end, ${last?.storeMB} MB are stored in IndexedDB`,
  ].join('. ');
}

function busyLine({ iterations, drawingMs, scrollingMs }: BusyPage): string {
  return [
    `The longest task of the main thread in eight rounds takes ${drawingMs} ms of processor time in a run of ${iterations} iterations with all charts open`,
    `While ten thousand dialogues are scrolled, the longest task takes ${scrollingMs} ms`,
  ].join('. ');
}

function intervenedLine({ share, shares, answeredPerSecond }: Intervened): string {
  return [
    `While two teams answer ${answeredPerSecond.toFixed(1)} problems per second in interventions, the speed of training is ${spread(share)} of its usual value`,
    `The values of the single rounds are ${shares.map((one) => one.toFixed(2)).join(', ')}`,
  ].join('. ');
}

function programLine({ seeds, atOnce }: BesideProgram): string {
  const times = seeds.map(({ page, program }) => `${program.secondsTo088} and ${page.secondsTo088}`);
  const ends = seeds.map(
    ({ page, program }) => `${program.accuracyLast.toFixed(3)} and ${page.accuracyLast?.toFixed(3)}`,
  );
  return [
    `With seeds ${seeds.map(({ seed }) => seed).join(', ')}, the accuracy reaches 0.88 on the command line and on the page after ${times.join(', ')} s`,
    `At the end, the accuracy is ${ends.join(', ')}`,
    `On the command line, ${atOnce.seeds} seeds that are trained at the same time take ${atOnce.seconds} s and keep ${atOnce.cores} cores busy`,
  ].join('. ');
}

function agedLine({ iterations, time, processor, paces }: Aged): string {
  const rates = paces.map(
    ({ old, young }) => `${old.iterationsPerSecond.toFixed(1)} and ${young.iterationsPerSecond.toFixed(1)}`,
  );
  return [
    `An iteration after ${iterations} others takes ${spread(processor)} times the processor time of an iteration in a new run, and ${spread(time)} times the wall-clock time`,
    `Iterations per second of the old run and the new run, measured alternately, are ${rates.join(', ')}`,
  ].join('. ');
}
