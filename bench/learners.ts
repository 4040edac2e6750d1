// Which learner learns, and at what price? `npm run bench:learners`: every row of learners/plan.ts, three seeds, the same
// number of sampled tokens. `-- grpo ppo` measures only these, `--seeds 11,12`, `--tokens N`, `--at-once N` (2).
// Rows are kept in bench/results/learners.jsonl as they are finished: a run that was broken off goes on there.
// The table goes to bench/results/learners.json. Ends with 1 where a learner did not gain enough in some seed.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ConfigInput } from '../src/config/schema.ts';
import { benchStart, warmStartFile } from './shared/warmStarts.ts';
import { budgetRun } from './shared/budgetRun.ts';
import { learnerTable, lineOf, type LearnerResult } from './learners/table.ts';
import {
  benchConfig,
  learnerRowsFile,
  plannedRows,
  rowKey,
  measuredOn,
  sampledTokens,
  seeds,
  type PlannedRow,
} from './learners/plan.ts';
import { processor, startBackend } from './shared/nodeBackend.ts';
import { appendRow, inTurns, measureApart, readRows, sourceCommit } from './shared/rowStore.ts';

const tableFile = 'bench/results/learners.json';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: seeds.join(',') },
    tokens: { type: 'string', default: String(sampledTokens) },
    'at-once': { type: 'string', default: '2' },
  },
});
const tokens = Number(flags.tokens);
const wantedSeeds = flags.seeds.split(',').map(Number);

interface Job {
  row: PlannedRow;
  seed: number;
}

const keyOf = ({ row, seed }: Job, budget = tokens) => rowKey({ ...row, seed, tokens: row.tokens ?? budget });
const configOf = ({ row, seed }: Job) => benchConfig(row.settings, seed);

function plannedRow(name: string): PlannedRow {
  const found = plannedRows.find((row) => row.name === name);
  if (!found) throw new Error(`no row is called ${name}; there are ${plannedRows.map((row) => row.name).join(', ')}`);
  return found;
}

/** One row, in this process. */
async function measure(job: Job): Promise<LearnerResult> {
  await startBackend('simd', { ours: true });
  const config = configOf(job);
  const start = await benchStart(config);
  const measured = await budgetRun(start.checkpoint, job.row.tokens ?? tokens);
  const { parameters, protocol } = config.agents;
  return { ...measured, parameters, protocol, warmStartSteps: start.steps, warmStartSeconds: start.seconds };
}

async function all(): Promise<boolean> {
  const wanted = positionals.length === 0 ? plannedRows : positionals.map(plannedRow);
  const jobs = wantedSeeds.flatMap((seed) => wanted.map((row) => ({ row, seed })));
  const done = readRows<ConfigInput, LearnerResult>(learnerRowsFile);
  const missing = jobs.filter((job) => !done.has(keyOf(job)));
  console.log(`${jobs.length - missing.length} of ${jobs.length} rows are there, ${missing.length} to measure`);
  const isWhole = await inTurns(tasksOf(missing), Number(flags['at-once']), (task) => task());
  return writeTable() && isWhole;
}

/** Warm starts that several rows share first, rows that wait for one last. */
function tasksOf(jobs: readonly Job[]): (() => Promise<unknown>)[] {
  const warming = new Map<string, Promise<unknown>>();
  const fileOf = (job: Job) => warmStartFile(configOf(job));
  const makers = new Map(jobs.map((job) => [fileOf(job), job]));
  const warm = (file: string, { row, seed }: Job) => {
    const made = measureApart('warm', row.name, String(seed));
    warming.set(file, made);
    return made;
  };
  const task = (job: Job) => async () => {
    await warming.get(fileOf(job) ?? '');
    await measureRow(job);
  };
  return [
    ...[...makers].flatMap(([file, job]) => (file === null ? [] : [() => warm(file, job)])),
    ...jobs.filter((job) => fileOf(job) === null).map(task),
    ...jobs.filter((job) => fileOf(job) !== null).map(task),
  ];
}

/** One row in a process of its own, kept as soon as it is there. */
async function measureRow(job: Job): Promise<void> {
  const { row, seed } = job;
  const result = await measureApart<LearnerResult>('one', row.name, String(seed), '--tokens', String(tokens));
  appendRow(learnerRowsFile, {
    key: keyOf(job),
    name: row.name,
    seed,
    settings: row.settings,
    commit: sourceCommit(),
    result,
  });
  console.log(`${row.name} · seed ${seed}: ${lineOf(result)}`);
}

/** The table of all rows of the plan that are there with the default budget; whether everybody gained enough. */
function writeTable(): boolean {
  const done = readRows<ConfigInput, LearnerResult>(learnerRowsFile);
  const rows = plannedRows.flatMap((row) => {
    const found = seeds.flatMap((seed) => {
      const kept = done.get(keyOf({ row, seed }, sampledTokens));
      return kept ? [{ seed, commit: kept.commit, ...kept.result }] : [];
    });
    return found.length === 0 ? [] : [learnerTable(row, found)];
  });
  const table = { ...measuredOn, machine: processor, rows };
  writeFileSync(tableFile, `${JSON.stringify(table, null, 2)}\n`);
  for (const row of rows) {
    const { before, after } = row;
    console.log(
      `${row.name}: ${before.mean.toFixed(3)} → ${after.mean.toFixed(3)} [${after.low.toFixed(3)}, ${after.high.toFixed(3)}], ` +
        `${row.seconds.toFixed(0)} s, KL ${row.kl.toFixed(3)}, entropy ${row.entropy.toFixed(3)}: ${row.isMet ? 'met' : 'NOT met'}`,
    );
  }
  execFileSync(process.execPath, ['scripts/docs.mjs'], { stdio: 'inherit' });
  return rows.every(({ isMet }) => isMet);
}

const [mode, name, seed] = positionals;
let isMet = true;
if (mode === 'one' || mode === 'warm') {
  const job = { row: plannedRow(name ?? ''), seed: Number(seed) };
  if (mode === 'one') console.log(JSON.stringify(await measure(job)));
  else {
    await startBackend('simd', { ours: true });
    const { steps, seconds } = await benchStart(configOf(job));
    console.log(JSON.stringify({ steps, seconds }));
  }
} else isMet = await all();
// Explicit, because native parts may keep a handle open.
process.exit(isMet ? 0 : 1);
