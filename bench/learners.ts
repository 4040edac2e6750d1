// Which learner learns, and at what price? `npm run bench:learners`: every row of learners/plan.ts, three seeds, the same
// number of sampled tokens. `-- grpo ppo` measures only these, `--seeds 11,12`, `--tokens N`, `--at-once N` (2).
// Rows are kept in bench/results/learners.jsonl as they are finished: a run that was broken off goes on there.
// The table goes to bench/results/learners.json. Ends with 1 where a learner did not gain enough in some seed.
import type { ConfigInput } from '../src/config/schema.ts';
import {
  benchConfig,
  learnerRowsFile,
  measuredOn,
  plannedRows,
  rowKey,
  sampledTokens,
  seeds,
  type PlannedRow,
} from './learners/plan.ts';
import { learnerRow, learnersTable, lineOf, type LearnerResult, type LearnersResults } from './learners/table.ts';
import { startBackend } from './shared/nodeBackend.ts';
import { measureMissing, readRows, type RowJob } from './shared/rowStore.ts';
import { processor, readOptions, renewDocs, runBench, writeResults } from './shared/runner.ts';
import { budgetRun } from './shared/trainUntil.ts';
import { benchStart, warmStartFile } from './shared/warmStarts.ts';

interface Job extends RowJob {
  settings: ConfigInput;
  tokens: number;
  /** Makes the warm start and nothing else. */
  isWarmUp?: boolean;
}

await runBench<Job, LearnerResult | null>({
  measure: async ({ settings, seed, tokens, isWarmUp }) => {
    await startBackend('simd', { ours: true });
    const config = benchConfig(settings, seed);
    const start = await benchStart(config);
    if (isWarmUp) return null;
    const { parameters, protocol } = config.agents;
    const measured = await budgetRun(start.checkpoint, tokens);
    return { ...measured, parameters, protocol, warmStartSteps: start.steps, warmStartSeconds: start.seconds };
  },
  all: async (apart) => {
    const usual = { seeds: seeds.join(','), tokens: String(sampledTokens), 'at-once': '2' };
    const { values, positionals, wholeNumber } = readOptions(usual);
    const wanted = positionals.length === 0 ? plannedRows : positionals.map(plannedRow);
    const wantedSeeds = values.seeds.split(',').map(Number);
    const isWhole = await measureMissing({
      file: learnerRowsFile,
      jobs: wantedSeeds.flatMap((seed) => wanted.map((row) => jobOf(row, seed, wholeNumber('tokens')))),
      atOnce: wholeNumber('at-once'),
      warm: (job: Job) => apart({ ...job, isWarmUp: true }),
      measure: async (job) => (await apart(job)) as LearnerResult,
      describe: lineOf,
    });
    return writeTable() && isWhole;
  },
});

function plannedRow(name: string): PlannedRow {
  const found = plannedRows.find((row) => row.name === name);
  if (!found) throw new Error(`no row is called ${name}; there are ${plannedRows.map((row) => row.name).join(', ')}`);
  return found;
}

function jobOf({ name, settings, tokens }: PlannedRow, seed: number, budget: number): Job {
  const job = { name, seed, settings, tokens: tokens ?? budget };
  return { ...job, key: rowKey(job), warmStart: warmStartFile(benchConfig(settings, seed)) };
}

/** The table of all rows of the plan that are there with the default budget; whether everybody gained enough. */
function writeTable(): boolean {
  const done = readRows<LearnerResult>(learnerRowsFile);
  const rows = plannedRows.flatMap((row) => {
    const found = seeds.flatMap((seed) => {
      const kept = done.get(jobOf(row, seed, sampledTokens).key);
      return kept ? [{ seed, commit: kept.commit, ...kept.result }] : [];
    });
    return found.length === 0 ? [] : [learnerRow(row, found)];
  });
  const results: LearnersResults = { ...measuredOn, machine: processor, rows };
  writeResults('learners', results);
  console.log(learnersTable(results));
  renewDocs();
  const unmet = rows.filter(({ isMet }) => !isMet).map(({ name }) => name);
  if (unmet.length > 0) console.log(`NOT met: ${unmet.join(', ')}`);
  return unmet.length === 0;
}
