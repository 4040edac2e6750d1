// How the page does: `npm run bench:page [-- --seeds 3 --limit 300 --folder dist --long]`. The built page, served from this
// machine, opened cold in Chromium without WebGPU: seconds from navigation to training, to the first iteration, to
// +0.10 and to 0.88 held-out accuracy; main-thread tasks over 50 ms; pauses. Writes bench/results/page.json and the
// pictures of the README. With `--long` only a thousand iterations of `micro` are run; their figures are put beside the
// others in that file.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { median } from '../src/base/stats.ts';
import { serveFolder } from '../scripts/serve.mjs';
import { measureLongRun, type LongRun } from './page/longRun.ts';
import { visitPage, type PageSeed } from './page/visit.ts';

const folder = 'bench/results';
const file = `${folder}/page.json`;
const firstSeed = 11;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '3' },
    limit: { type: 'string', default: '300' },
    folder: { type: 'string', default: 'dist' },
    long: { type: 'boolean', default: false },
  },
});
const count = wholeNumber('seeds', values.seeds);
const limitS = wholeNumber('limit', values.limit);
if (!existsSync(`${values.folder}/index.html`)) {
  throw new Error(`${values.folder} holds no built page: run \`npm run build\` first`);
}

mkdirSync(folder, { recursive: true });
const served = await serveFolder({ folder: values.folder, port: 4373 });
try {
  if (values.long) await runLong(served.url);
  else await runSeeds(served.url);
} finally {
  await served.close();
}
console.log(`Written to ${file}.`);

/** What the file holds already: each of the two measurements leaves the other's figures. */
function written(): Record<string, unknown> {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>) : {};
}

async function runLong(origin: string): Promise<void> {
  const long = await measureLongRun(origin, firstSeed);
  console.log(longLine(long));
  writeFileSync(file, `${JSON.stringify({ ...written(), long }, null, 2)}\n`);
}

async function runSeeds(origin: string): Promise<void> {
  const seeds: PageSeed[] = [];
  let browser = '';
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const pictures = seed === firstSeed ? folder : undefined;
    const visit = await visitPage(origin, { seed, limitS, pictures });
    const { browser: used, ...measured } = visit;
    browser = used;
    seeds.push(measured);
    console.log(line(`seed ${seed}`, measured));
  }
  const middle = medians(seeds);
  console.log(line('median', middle));
  const machine = `${cpus()[0]?.model ?? 'unknown processor'}, ${cpus().length} cores`;
  const figures = { preset: 'default', backend: 'CPU path', machine, browser, median: middle, seeds };
  writeFileSync(file, `${JSON.stringify({ ...written(), ...figures }, null, 2)}\n`);
}

function longLine({ iterations, indexedDbBytes, firstHundred, lastHundred, slowedBy }: LongRun): string {
  return [
    `${iterations} iterations of micro: ${(indexedDbBytes / 1e6).toFixed(1)} MB in IndexedDB`,
    `${firstHundred.toFixed(2)} iterations/s in the first hundred, ${lastHundred.toFixed(2)} in the last`,
    slowedBy > 0 ? `${(100 * slowedBy).toFixed(1)} % slower` : 'no slower',
  ].join(' · ');
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1) throw new Error(`--${name}: expected a whole number, got ${text}`);
  return value;
}

type Row = Omit<PageSeed, 'seed' | 'state' | 'longTasks'>;

/** Of each number over the seeds; null as soon as one seed did not get there. */
function medians(runs: readonly PageSeed[]): Row {
  const of = (name: keyof PageSeed): number | null => {
    const found = runs.map((run) => run[name] as number | null);
    return found.includes(null) ? null : median(found as number[]);
  };
  const sure = (name: keyof PageSeed) => of(name) ?? 0;
  return {
    navigationToTrainingS: of('navigationToTrainingS'),
    firstIterationS: of('firstIterationS'),
    secondsToPlus010: of('secondsToPlus010'),
    secondsTo088: of('secondsTo088'),
    iterationsPerSecond: sure('iterationsPerSecond'),
    accuracyFirst: of('accuracyFirst'),
    accuracyLast: of('accuracyLast'),
    iterations: sure('iterations'),
    longTasksWhileTraining: sure('longTasksWhileTraining'),
    longestTaskMs: sure('longestTaskMs'),
    pauseMs: [median(runs.map(({ pauseMs }) => Math.max(...pauseMs)))],
    scriptAndStyleBytes: sure('scriptAndStyleBytes'),
    wasmAndWeightBytes: sure('wasmAndWeightBytes'),
  };
}

function line(title: string, run: Row): string {
  const at = (s: number | null) => (s === null ? 'not within the limit' : `${s.toFixed(1)} s`);
  const share = (x: number | null) => (x === null ? '–' : x.toFixed(3));
  return [
    `${title}: training after ${at(run.navigationToTrainingS)}`,
    `first iteration ${at(run.firstIterationS)}`,
    `+0.10 ${at(run.secondsToPlus010)}`,
    `0.88 ${at(run.secondsTo088)}`,
    `accuracy ${share(run.accuracyFirst)} to ${share(run.accuracyLast)} in ${run.iterations} iterations`,
    `${run.iterationsPerSecond.toFixed(2)} iterations/s`,
    `${run.longTasksWhileTraining} long tasks, longest ${run.longestTaskMs} ms`,
    `pause at most ${Math.max(...run.pauseMs)} ms`,
    `${(run.scriptAndStyleBytes / 1000).toFixed(0)} kB scripts and styles`,
    `${(run.wasmAndWeightBytes / 1000).toFixed(0)} kB wasm and weights`,
  ].join(' · ');
}
