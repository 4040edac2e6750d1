// Published failures, provoked in miniature: `npm run bench:failures`, each arm beside its sound one over three seeds.
// `-- tooFast perTurn` measures only these arms, `--seeds 11,12`, `--at-once N` (2). Rows are kept in
// bench/results/failures.jsonl as they are finished; arms that are rows of the learners' bench are read from there.
// The table goes to bench/results/failures.json. A failure that does not happen is a result: ends with 0 either way.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ConfigInput } from '../src/config/schema.ts';
import { benchStart, startFrom } from './shared/warmStarts.ts';
import { budgetRun, type BudgetRun } from './shared/budgetRun.ts';
import { arms, failures, type Arm, type ArmName } from './failures/plan.ts';
import { failureRow } from './failures/table.ts';
import {
  benchConfig,
  learnerRowsFile,
  measuredOn,
  plannedRows,
  rowKey,
  sampledTokens,
  seeds,
} from './learners/plan.ts';
import { processor, startBackend } from './shared/nodeBackend.ts';
import { appendRow, inTurns, measureApart, readRows, sourceCommit } from './shared/rowStore.ts';
import { shortcutWarmStart } from './shared/shortcuts.ts';
import { takeWrongGroups } from './failures/wrongGroups.ts';

const rowsFile = 'bench/results/failures.jsonl';
const tableFile = 'bench/results/failures.json';

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: seeds.join(',') },
    'at-once': { type: 'string', default: '2' },
  },
});

interface Job {
  name: ArmName;
  seed: number;
}

const armOf = (name: ArmName): Arm => arms[name];
const tokensOf = (name: ArmName) => armOf(name).tokens ?? sampledTokens;

/** The settings of an arm measured here; null where a learner's row is the arm. */
function settingsOf(name: ArmName): ConfigInput | null {
  const { settings } = armOf(name);
  return 'row' in settings ? null : settings;
}

function keyOf({ name, seed }: Job): string {
  const { settings, groups, hasShortcuts } = armOf(name);
  if (!('row' in settings))
    return rowKey({ name, seed, tokens: tokensOf(name), settings: [settings, groups, hasShortcuts] });
  const row = plannedRows.find((planned) => planned.name === settings.row) as (typeof plannedRows)[0];
  return rowKey({ ...row, seed, tokens: sampledTokens });
}

/** One arm from one seed, in this process. */
async function measure({ name, seed }: Job): Promise<BudgetRun> {
  await startBackend('simd', { ours: true });
  const { groups, hasShortcuts } = armOf(name);
  if (groups) takeWrongGroups(groups);
  const config = benchConfig(settingsOf(name) ?? {}, seed);
  const checkpoint = hasShortcuts
    ? await startFrom(config, await shortcutWarmStart(config))
    : (await benchStart(config)).checkpoint;
  return budgetRun(checkpoint, tokensOf(name));
}

async function all(): Promise<boolean> {
  const own = (Object.keys(arms) as ArmName[]).filter((name) => settingsOf(name) !== null);
  const unknown = positionals.filter((name) => !own.some((arm) => arm === name));
  if (unknown.length > 0) throw new Error(`no arm measured here is called ${unknown.join(', ')}`);
  const wanted = own.filter((name) => positionals.length === 0 || positionals.includes(name));
  const jobs = flags.seeds.split(',').flatMap((seed) => wanted.map((name) => ({ name, seed: Number(seed) })));
  const done = readRows(rowsFile);
  const missing = jobs.filter((job) => !done.has(keyOf(job)));
  console.log(`${jobs.length - missing.length} of ${jobs.length} rows are there, ${missing.length} to measure`);
  const isWhole = await inTurns(missing, Number(flags['at-once']), async (job) => {
    const result = await measureApart<BudgetRun>('one', job.name, String(job.seed));
    const settings = settingsOf(job.name);
    appendRow(rowsFile, { key: keyOf(job), ...job, settings, commit: sourceCommit(), result });
    console.log(
      `${job.name} · seed ${job.seed}: ${result.before.accuracy.toFixed(3)} → ${result.after.accuracy.toFixed(3)}`,
    );
  });
  writeTable();
  return isWhole;
}

function writeTable(): void {
  const done = new Map([...readRows<unknown, BudgetRun>(learnerRowsFile), ...readRows<unknown, BudgetRun>(rowsFile)]);
  const runsOf = (name: ArmName) => seeds.map((seed) => done.get(keyOf({ name, seed })) ?? null);
  const rows = failures.flatMap((failure) => failureRow(failure, runsOf(failure.arm), runsOf(failure.beside)));
  const table = { ...measuredOn, machine: processor, rows };
  writeFileSync(tableFile, `${JSON.stringify(table, null, 2)}\n`);
  for (const { name, measure, provoked, sound, happened } of rows) {
    console.log(`${name}, ${measure}: ${provoked.mean.toFixed(3)} beside ${sound.mean.toFixed(3)}: ${happened}`);
  }
  execFileSync(process.execPath, ['scripts/docs.mjs'], { stdio: 'inherit' });
}

const [mode, name, seed] = positionals;
let isWhole = true;
if (mode === 'one') console.log(JSON.stringify(await measure({ name: name as ArmName, seed: Number(seed) })));
else isWhole = await all();
// Explicit, because native parts may keep a handle open.
process.exit(isWhole ? 0 : 1);
