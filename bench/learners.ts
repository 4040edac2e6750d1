// Which learner learns, and at what cost? `npm run bench:learners` trains every row of learners/plan.ts with three
// seeds and the same number of sampled tokens. `-- grpo ppo` measures only these rows. Options: `--seeds 11,12`,
// `--tokens N`, `--at-once N` (2). Exits with 1 if a learner did not gain enough in some seed.
import type { ConfigInput } from '../src/config/schema.ts';
import { benchConfig, measuredOn, plannedRows, rowKey, sampledTokens } from './learners/plan.ts';
import type { PlannedRow } from './learners/row.ts';
import { learnerRow, learnersTable, lineOf } from './learners/table.ts';
import { runRows } from './shared/rowBench.ts';
import { machineOf, seeds, type RowJob } from './shared/rowStore.ts';
import { budgetRun } from './shared/trainUntil.ts';
import { benchStart, warmStartFile } from './shared/warmStarts.ts';

interface Job extends RowJob {
  settings: ConfigInput;
  tokens: number;
}

await runRows({
  name: 'learners',
  options: { tokens: String(sampledTokens) },
  jobsOf: (seed, { positionals: names, wholeNumber }) =>
    (names.length === 0 ? plannedRows : names.map(plannedRow)).map((row) => jobOf(row, seed, wholeNumber('tokens'))),
  warm: ({ settings, seed }: Job) => benchStart(benchConfig(settings, seed)),
  measure: async ({ settings, seed, tokens }) => {
    const config = benchConfig(settings, seed);
    const start = await benchStart(config);
    const { parameters, protocol } = config.agents;
    const measured = await budgetRun(start.checkpoint, tokens);
    return { ...measured, parameters, protocol, warmStartSteps: start.steps, warmStartSeconds: start.seconds };
  },
  describe: lineOf,
  // The rows of the plan with the default budget.
  results: (done) => {
    const rows = plannedRows.flatMap((row) => {
      const found = seeds.flatMap((seed) => {
        const kept = done.get(jobOf(row, seed, sampledTokens).key);
        return kept ? [{ seed, commit: kept.commit, ...kept.result }] : [];
      });
      return found.length === 0 ? [] : [learnerRow(row, found)];
    });
    return { ...measuredOn, machine: machineOf(done.values()), rows };
  },
  table: learnersTable,
  unmet: ({ rows }) => rows.filter(({ isMet }) => !isMet).map(({ name }) => name),
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
