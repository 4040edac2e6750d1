// Runs a bench of rows: each row is measured in a separate process and stored in bench/results/NAME.jsonl as soon as it
// is finished, so that an interrupted bench can be resumed. Then the table of all rows is written to
// bench/results/NAME.json and to the docs.
import { startBackend } from './nodeBackend.ts';
import { measureMissing, readRows, seeds, type RowJob, type StoredRow } from './rowStore.ts';
import { readOptions, renewDocs, runBench, writeResults } from './runner.ts';

interface RowBench<Options extends Record<string, string>, Job extends RowJob, Result, Results extends object> {
  name: string;
  /** Options with default values, in addition to `--seeds` and `--at-once`, whose defaults may be changed here. */
  options: Options;
  /** The jobs to be measured for a seed. */
  jobsOf: (seed: number, given: ReturnType<typeof readOptions<Options>>) => Job[];
  /**
   * Returns further jobs that depend on what was measured so far. It is called again after these jobs were measured,
   * until it returns none that is missing.
   */
  further?: (done: Map<string, StoredRow<Result>>, given: ReturnType<typeof readOptions<Options>>) => Job[];
  /** Makes the warm start of a job, if several jobs share it. */
  warm: (job: Job) => Promise<unknown>;
  measure: (job: Job) => Promise<Result>;
  /** A finished row as one line. */
  describe: (result: Result) => string;
  /** The data of the table, from all existing rows, by their keys. */
  results: (done: Map<string, StoredRow<Result>>) => Results;
  table: (results: Results) => string;
  /** Returns the rows that did not gain enough, as text; absent if every outcome counts as a result. */
  unmet?: (results: Results) => string[];
}

/** Runs the bench and exits the process, with 1 if a row could not be measured or did not gain enough. */
export function runRows<Options extends Record<string, string>, Job extends RowJob, Result, Results extends object>(
  bench: RowBench<Options, Job, Result, Results>,
): Promise<never> {
  const file = `bench/results/${bench.name}.jsonl`;
  return runBench<{ job: Job; isWarmUp: boolean }, Result | null>({
    measure: async ({ job, isWarmUp }) => {
      await startBackend('simd', { ours: true });
      if (!isWarmUp) return bench.measure(job);
      await bench.warm(job);
      return null;
    },
    all: async (apart) => {
      const given = readOptions({ seeds: seeds.join(), 'at-once': '2', ...bench.options });
      const wanted = given.values.seeds.split(',').map(Number);
      const measureAll = (jobs: readonly Job[]) =>
        measureMissing({
          ...{ file, jobs, atOnce: given.wholeNumber('at-once') },
          warm: (job: Job) => apart({ job, isWarmUp: true }),
          measure: async (job) => (await apart({ job, isWarmUp: false })) as Result,
          describe: bench.describe,
        });
      let isWhole = await measureAll(wanted.flatMap((seed) => bench.jobsOf(seed, given)));
      const missing = () => {
        const done = readRows<Result>(file);
        return (bench.further?.(done, given) ?? []).filter(({ key }) => !done.has(key));
      };
      for (let jobs = missing(); isWhole && jobs.length > 0; jobs = missing()) isWhole = await measureAll(jobs);
      const results = bench.results(readRows(file));
      writeResults(bench.name, results);
      console.log(bench.table(results));
      renewDocs();
      const unmet = bench.unmet?.(results) ?? [];
      if (unmet.length > 0) console.log(`NOT met: ${unmet.join(', ')}`);
      return isWhole && unmet.length === 0;
    },
  });
}
