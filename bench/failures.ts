// Published failures, provoked in miniature: `npm run bench:failures`, each arm beside its sound one over three seeds.
// `-- tooFast perTurn` measures only these arms, `--seeds 11,12`, `--at-once N` (2). Rows are kept in
// bench/results/failures.jsonl as they are finished; arms that are rows of the learners' bench are read from there.
// The table goes to bench/results/failures.json. A failure that does not happen is a result: ends with 0 either way.
import type { ConfigInput } from '../src/config/schema.ts';
import { arms, failures, type Arm, type ArmName } from './failures/plan.ts';
import { failureRow, failuresTable } from './failures/table.ts';
import { takeWrongGroups } from './failures/wrongGroups.ts';
import {
  benchConfig,
  learnerRowsFile,
  measuredOn,
  plannedRows,
  rowKey,
  sampledTokens,
  seeds,
} from './learners/plan.ts';
import { startBackend } from './shared/nodeBackend.ts';
import { measureMissing, readRows, type RowJob } from './shared/rowStore.ts';
import { processor, readOptions, renewDocs, runBench, writeResults } from './shared/runner.ts';
import { shortcutsFile, shortcutWarmStart } from './shared/shortcuts.ts';
import { budgetRun, type BudgetRun } from './shared/trainUntil.ts';
import { benchStart, startFrom, warmStartFile } from './shared/warmStarts.ts';

const rowsFile = 'bench/results/failures.jsonl';

interface Job extends RowJob {
  name: ArmName;
  settings: ConfigInput | null;
  /** Makes the warm start and nothing else. */
  isWarmUp?: boolean;
}

const armOf = (name: ArmName): Arm => arms[name];

await runBench<Job, BudgetRun | null>({
  measure: async ({ name, settings, seed, isWarmUp }) => {
    await startBackend('simd', { ours: true });
    const { groups, hasShortcuts, tokens = sampledTokens } = armOf(name);
    if (groups) takeWrongGroups(groups);
    const config = benchConfig(settings ?? {}, seed);
    const checkpoint = hasShortcuts
      ? await startFrom(config, await shortcutWarmStart(config))
      : (await benchStart(config)).checkpoint;
    return isWarmUp ? null : budgetRun(checkpoint, tokens);
  },
  all: async (apart) => {
    const { values, positionals, wholeNumber } = readOptions({ seeds: seeds.join(','), 'at-once': '2' });
    const own = (Object.keys(arms) as ArmName[]).filter((name) => !('row' in armOf(name).settings));
    const unknown = positionals.filter((name) => !own.some((arm) => arm === name));
    if (unknown.length > 0) throw new Error(`no arm measured here is called ${unknown.join(', ')}`);
    const wanted = own.filter((name) => positionals.length === 0 || positionals.includes(name));
    const wantedSeeds = values.seeds.split(',').map(Number);
    const isWhole = await measureMissing({
      file: rowsFile,
      jobs: wantedSeeds.flatMap((seed) => wanted.map((name) => jobOf(name, seed))),
      atOnce: wholeNumber('at-once'),
      warm: (job: Job) => apart({ ...job, isWarmUp: true }),
      measure: async (job) => (await apart(job)) as BudgetRun,
      describe: ({ before, after }) => `${before.accuracy.toFixed(3)} → ${after.accuracy.toFixed(3)}`,
    });
    writeTable();
    return isWhole;
  },
});

function jobOf(name: ArmName, seed: number): Job {
  const { settings, groups, hasShortcuts, tokens = sampledTokens } = armOf(name);
  if ('row' in settings) {
    const row = plannedRows.find((planned) => planned.name === settings.row) as (typeof plannedRows)[0];
    return { name, seed, settings: null, warmStart: null, key: rowKey({ ...row, seed, tokens: sampledTokens }) };
  }
  const config = benchConfig(settings, seed);
  const warmStart = hasShortcuts ? shortcutsFile(config) : warmStartFile(config);
  return {
    name,
    seed,
    settings,
    warmStart,
    key: rowKey({ name, seed, tokens, settings: [settings, groups, hasShortcuts] }),
  };
}

function writeTable(): void {
  const done = new Map([...readRows<BudgetRun>(learnerRowsFile), ...readRows<BudgetRun>(rowsFile)]);
  const runsOf = (name: ArmName) => seeds.map((seed) => done.get(jobOf(name, seed).key) ?? null);
  const rows = failures.flatMap((failure) => failureRow(failure, runsOf(failure.arm), runsOf(failure.beside)));
  const results = { ...measuredOn, machine: processor, rows };
  writeResults('failures', results);
  console.log(failuresTable(results));
  renewDocs();
}
