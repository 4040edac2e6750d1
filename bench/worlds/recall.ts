// How far does a memory reach? In `npm run bench:recall`, one agent is trained on texts of seven pieces and answers
// questions about texts of 7, 28 and 112 pieces, with recall of its notes and without, from the same start. It is also
// trained with recall and other weights of the outcome advantage. Options: `-- --seeds 11,12` (11,12,13),
// `--share-seeds 11,12` (11; for the other shares), `--at-once N` (2). Rows are stored in bench/results/recall.jsonl as
// they are finished, and the table is written to bench/results/recall.json. Exits with 1 if recall does not win by a
// tenth for distant evidence in texts of the trained length.
import { hashOf, machineOf, measureMissing, readRows, type RowJob } from '../shared/rowStore.ts';
import { readOptions, renewDocs, runBench, writeResults } from '../shared/runner.ts';
import { benchStart, warmStartFile } from '../shared/warmStarts.ts';
import { startBackend } from '../shared/nodeBackend.ts';
import { problemsOfText, readingConfig, readingSettings, readOnce, type Way } from './reading.ts';
import {
  leastWin,
  outcomeShares,
  recallRows,
  recallTable,
  shareRow,
  texts,
  usualShare,
  winOf,
  type ReadingResult,
  type RecallResults,
  type SeedPair,
} from './recallTable.ts';

const rowsFile = 'bench/results/recall.jsonl';

interface Job extends RowJob {
  way: Way;
  /** Whether the job makes only the warm start. */
  isWarmUp?: boolean;
}

await runBench<Job, ReadingResult | null>({
  measure: async ({ seed, way, isWarmUp }) => {
    if (!isWarmUp) return readOnce(seed, way);
    await startBackend('simd', { ours: true });
    await benchStart(readingConfig(seed, way));
    return null;
  },
  all: async (apart) => {
    const { values, wholeNumber } = readOptions({ seeds: '11,12,13', 'share-seeds': '11', 'at-once': '2' });
    const [seeds, shareSeeds] = [values.seeds, values['share-seeds']].map((text) => text.split(',').map(Number)) as [
      number[],
      number[],
    ];
    const others = outcomeShares.filter((share) => share !== usualShare);
    const isWhole = await measureMissing({
      file: rowsFile,
      jobs: [
        ...seeds.flatMap((seed) => [true, false].map((recalls) => jobOf(seed, { recalls, outcomeShare: usualShare }))),
        ...shareSeeds.flatMap((seed) => others.map((outcomeShare) => jobOf(seed, { recalls: true, outcomeShare }))),
      ],
      atOnce: wholeNumber('at-once'),
      warm: (job: Job) => apart({ ...job, isWarmUp: true }),
      measure: async (job) => (await apart(job)) as ReadingResult,
      describe: ({ before, after, right }) =>
        [before, after, ...right.map(({ accuracy }) => accuracy)].map((share) => share.toFixed(3)).join(' '),
    });
    const done = readRows<ReadingResult>(rowsFile);
    const resultOf = (seed: number, way: Way) => done.get(jobOf(seed, way).key)?.result;
    const pairs = seeds.flatMap((seed): SeedPair[] => {
      const [on, off] = [true, false].map((recalls) => resultOf(seed, { recalls, outcomeShare: usualShare }));
      return on && off ? [{ seed, on, off }] : [];
    });
    const shares = outcomeShares.map((outcomeShare) =>
      shareRow(
        outcomeShare,
        shareSeeds.flatMap((seed) => {
          const result = resultOf(seed, { recalls: true, outcomeShare });
          return result ? [{ seed, result }] : [];
        }),
      ),
    );
    const results: RecallResults = {
      machine: machineOf(done.values()),
      backend: 'simd',
      problems: problemsOfText,
      rows: recallRows(pairs),
      shares: shares.filter((row) => row.seeds.length > 0),
    };
    writeResults('recall', results);
    console.log(recallTable(results));
    renewDocs();
    const distant = results.rows.filter(({ evidence }) => evidence === 'distant');
    return isWhole && distant[0] !== undefined && winOf(distant[0]) >= leastWin;
  },
});

function jobOf(seed: number, way: Way): Job {
  const settings = readingSettings(way);
  const name = `${way.recalls ? 'recall' : 'no recall'} α ${way.outcomeShare}`;
  const key = [name, seed, hashOf([settings, texts, problemsOfText])].join(' ');
  return { name, seed, way, settings, key, warmStart: warmStartFile(readingConfig(seed, way)) };
}
