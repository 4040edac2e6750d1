// Published failures, provoked in miniature: `npm run bench:failures`, each arm beside its sound one over three seeds.
// `-- tooFast perTurn` measures only these arms, `--seeds 11,12`, `--at-once N` (2). Arms that are rows of the learners'
// bench are read from there. A failure that does not happen is a result: ends with 0 either way.
import type { ConfigInput } from '../src/config/schema.ts';
import { arms, failures, type Arm, type ArmName } from './failures/plan.ts';
import { failureRow, failuresTable } from './failures/table.ts';
import { takeWrongGroups } from './failures/wrongGroups.ts';
import { benchConfig, learnerRowsFile, measuredOn, plannedRows, rowKey, sampledTokens } from './learners/plan.ts';
import { runRows } from './shared/rowBench.ts';
import { readRows, seeds, type RowJob } from './shared/rowStore.ts';
import { processor } from './shared/runner.ts';
import { shortcutsFile, shortcutWarmStart } from './shared/shortcuts.ts';
import { budgetRun, type BudgetRun } from './shared/trainUntil.ts';
import { benchStart, startFrom, warmStartFile } from './shared/warmStarts.ts';

interface Job extends RowJob {
  name: ArmName;
  settings: ConfigInput | null;
}

const armOf = (name: ArmName): Arm => arms[name];

await runRows({
  name: 'failures',
  options: {},
  jobsOf: (seed, { positionals: names }) => {
    const own = (Object.keys(arms) as ArmName[]).filter((name) => !('row' in armOf(name).settings));
    const unknown = names.filter((name) => !own.some((arm) => arm === name));
    if (unknown.length > 0) throw new Error(`no arm measured here is called ${unknown.join(', ')}`);
    const wanted = own.filter((name) => names.length === 0 || names.includes(name));
    return wanted.map((name) => jobOf(name, seed));
  },
  warm: startOf,
  measure: async (job) => {
    const { groups, tokens = sampledTokens } = armOf(job.name);
    if (groups) takeWrongGroups(groups);
    return budgetRun(await startOf(job), tokens);
  },
  describe: ({ before, after }) => `${before.accuracy.toFixed(3)} → ${after.accuracy.toFixed(3)}`,
  results: (own) => {
    const done = new Map([...readRows<BudgetRun>(learnerRowsFile), ...own]);
    const runsOf = (name: ArmName) => seeds.map((seed) => done.get(jobOf(name, seed).key) ?? null);
    const rows = failures.flatMap((failure) => failureRow(failure, runsOf(failure.arm), runsOf(failure.beside)));
    return { ...measuredOn, machine: processor, rows };
  },
  table: failuresTable,
});

async function startOf({ name, settings, seed }: Job) {
  const config = benchConfig(settings ?? {}, seed);
  if (armOf(name).hasShortcuts) return startFrom(config, await shortcutWarmStart(config));
  return (await benchStart(config)).checkpoint;
}

function jobOf(name: ArmName, seed: number): Job {
  const { settings, groups, hasShortcuts, tokens = sampledTokens } = armOf(name);
  if ('row' in settings) {
    const row = plannedRows.find((planned) => planned.name === settings.row) as (typeof plannedRows)[0];
    return { name, seed, settings: null, warmStart: null, key: rowKey({ ...row, seed, tokens: sampledTokens }) };
  }
  const config = benchConfig(settings, seed);
  const warmStart = hasShortcuts ? shortcutsFile(config) : warmStartFile(config);
  const key = rowKey({ name, seed, tokens, settings: [settings, groups, hasShortcuts] });
  return { name, seed, settings, warmStart, key };
}
