// How far does a memory reach? `npm run bench:recall`: a team trained on texts of four pieces is asked about texts of 4, 16
// and 64, once able to call its notes back and once not, from the same start. `-- --seeds 11,12` (11), `--at-once N` (2).
// Rows are kept in bench/results/recall.jsonl as they are finished. The table goes to bench/results/recall.json. Ends with 1
// where recall does not win by a tenth at distant evidence of the trained length.
import { hashOf, measureMissing, readRows, type RowJob } from '../shared/rowStore.ts';
import { processor, readOptions, renewDocs, runBench, writeResults } from '../shared/runner.ts';
import { benchStart, warmStartFile } from '../shared/warmStarts.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { problemsOfText, readingConfig, readOnce } from './reading.ts';
import {
  leastWin,
  recallRows,
  recallTable,
  texts,
  winOf,
  type ReadingResult,
  type RecallResults,
  type SeedPair,
} from './recallTable.ts';

const rowsFile = 'bench/results/recall.jsonl';
const ways = [true, false];

interface Job extends RowJob {
  recalls: boolean;
  /** Makes the warm start and nothing else. */
  isWarmUp?: boolean;
}

await runBench<Job, ReadingResult | null>({
  measure: async ({ seed, recalls, isWarmUp }) => {
    if (!isWarmUp) return readOnce(seed, recalls);
    await startBackend('simd', { ours: true });
    await benchStart(readingConfig(seed));
    return null;
  },
  all: async (apart) => {
    const { values, wholeNumber } = readOptions({ seeds: '11', 'at-once': '2' });
    const seeds = values.seeds.split(',').map(Number);
    const isWhole = await measureMissing({
      file: rowsFile,
      jobs: seeds.flatMap((seed) => ways.map((recalls) => jobOf(seed, recalls))),
      atOnce: wholeNumber('at-once'),
      warm: (job: Job) => apart({ ...job, isWarmUp: true }),
      measure: async (job) => (await apart(job)) as ReadingResult,
      describe: ({ right }) => texts.map(({ evidence, pieces }, t) => `${evidence} ${pieces}: ${right[t]?.accuracy.toFixed(3)}`).join(', '), // prettier-ignore
    });
    const done = readRows<ReadingResult>(rowsFile);
    const pairs = seeds.flatMap((seed): SeedPair[] => {
      const [on, off] = ways.map((recalls) => done.get(jobOf(seed, recalls).key)?.result);
      return on && off ? [{ seed, on, off }] : [];
    });
    const results: RecallResults = {
      machine: processor,
      backend: 'simd',
      problems: problemsOfText,
      rows: recallRows(pairs),
    };
    writeResults('recall', results);
    console.log(recallTable(results));
    renewDocs();
    const isMet = results.rows.filter(({ evidence, pieces }) => evidence === 'distant' && pieces === 4).every((row) => winOf(row) >= leastWin); // prettier-ignore
    return isWhole && isMet;
  },
});

function jobOf(seed: number, recalls: boolean): Job {
  const settings = readingConfig(seed);
  const name = recalls ? 'recall' : 'no recall';
  const key = [name, seed, hashOf([settings, texts, problemsOfText])].join(' ');
  return { name, seed, recalls, settings, key, warmStart: warmStartFile(settings) };
}
