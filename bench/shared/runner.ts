// The common parts of the benches: their options, their jobs in separate processes, a few at a time, and the files in
// bench/results from which the tables of README.md and docs are made.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { fastestModule } from '../../src/engine/simd/fusedProducts.ts';

export const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
/** The machine without the kernels, for computations in a browser, which reports its own kernels. */
export const hardware = `${processor}, ${cpus().length} cores`;
/** The kind of CPU kernels that this Node can run. Times of the two kinds differ by a quarter. */
export const kernels = fastestModule(readFileSync('src/engine/simd/kernels.wasm')).isFused
  ? 'fused multiply-add'
  : 'no fused multiply-add';
export const machine = `${hardware}, Node ${process.versions.node}, ${kernels}`;

const folder = 'bench/results';

/** Returns the options of the program, which have these default values, and the names before and after them. */
export function readOptions<Options extends Record<string, string | boolean>>(usual: Options) {
  const options = Object.fromEntries(
    Object.entries(usual).map(([name, value]) =>
      typeof value === 'string'
        ? [name, { type: 'string' as const, default: value }]
        : [name, { type: 'boolean' as const, default: value }],
    ),
  );
  const { values: given, positionals } = parseArgs({ allowPositionals: true, options });
  const values = given as Options;
  const wholeNumber = (name: keyof Options & string): number => {
    const value = Number(values[name]);
    if (Number.isSafeInteger(value) && value > 0) return value;
    throw new Error(`--${name}: expected a whole number, got ${String(values[name])}`);
  };
  return { values, positionals, wholeNumber };
}

/** The results in `bench/results/NAME.json`; undefined if the bench has not run. */
export function readResults<Results>(name: string, file = `${folder}/${name}.json`): Results | undefined {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : undefined;
}

/** Writes `bench/results/NAME.json`, and the tables of README.md and docs that depend on it. */
export function writeResults(name: string, results: object): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/${name}.json`, `${JSON.stringify(results, null, 2)}\n`);
}

/** Regenerates the tables of README.md and docs from bench/results. */
export function renewDocs(): void {
  execFileSync(process.execPath, ['scripts/docs.mjs'], { stdio: 'inherit' });
}

interface Bench<Job, Result> {
  /** Measures one job, in a separate process. */
  measure: (job: Job) => Promise<Result>;
  /** Runs all jobs from the main process; `apart` measures one. Resolves with whether everything succeeded. */
  all: (apart: (job: Job) => Promise<Result>) => Promise<boolean>;
}

/** Runs a bench to its end and exits the process: with 1 if not everything succeeded. */
export async function runBench<Job, Result>({ measure, all }: Bench<Job, Result>): Promise<never> {
  const [mode, job] = process.argv.slice(2);
  let isGood = true;
  if (mode === 'job') console.log(JSON.stringify(await measure(JSON.parse(job as string) as Job)));
  else isGood = await all(measureApart);
  // The exit is explicit, because native modules may keep a handle open.
  process.exit(isGood ? 0 : 1);
}

/** Starts this program again for one job; resolves with the JSON of its last printed line. */
function measureApart<Result>(job: unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    const program = [...process.execArgv, process.argv[1] as string, 'job', JSON.stringify(job)];
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.on('data', (bytes: Buffer) => (printed += bytes.toString()));
    child.on('error', reject);
    child.on('exit', (code) => {
      if (code !== 0) return reject(new Error(`bench: ${JSON.stringify(job)} ended with code ${code}`));
      resolve(JSON.parse(printed.trim().split('\n').at(-1) as string) as Result);
    });
  });
}

/**
 * Runs all jobs, `atOnce` at a time, in their order. A failed job is reported and the others continue; returns false
 * then.
 */
export async function inTurns<Job>(
  jobs: readonly Job[],
  atOnce: number,
  work: (job: Job) => Promise<unknown>,
): Promise<boolean> {
  let next = 0;
  let isWhole = true;
  const worker = async () => {
    while (next < jobs.length) {
      const job = jobs[next++] as Job;
      await work(job).catch((error: unknown) => {
        isWhole = false;
        console.error(String(error));
      });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return isWhole;
}
