// Tests published claims in miniature, by the protocol of docs/claims.md: `npm run bench:claims` explores each regime
// with one seed, and judges the registered claims with the seeds of their rounds. `-- --register` registers claims that
// are new or changed, in a new round that must then be committed. `-- turn-ratio collapse` measures only these claims.
// Options: `--at-once N` (2). Every verdict is a result, so the bench exits with 0 in any case.
import { parseArgs } from 'node:util';
import { startingCheckpoint } from '../src/training/run/start.ts';
import { runId } from '../src/records/ids.ts';
import { configOf, trialKey, trialOf, trialSeed, type Claim, type Trial } from './claims/claim.ts';
import { ownStartFile, ownStarts } from './claims/ownStarts.ts';
import { registeredTrial, type Done, type Registered } from './claims/pairs.ts';
import { claims } from './claims/plan.ts';
import { claimRecords, claimsTable, judgeRound, type Judgement } from './claims/record.ts';
import { changedSince, committedRounds, looks, newestRegistered, register } from './claims/rounds.ts';
import { takeWrongGroups } from './claims/wrongGroups.ts';
import { runRows } from './shared/rowBench.ts';
import { machineOf, readRows, type RowJob, type StoredRow } from './shared/rowStore.ts';
import { shortcutsFile, shortcutWarmStart } from './shared/shortcuts.ts';
import { loadShipped } from './shared/shippedWeights.ts';
import { budgetRun, type BudgetRun } from './shared/trainUntil.ts';
import { benchStart, startFrom, warmStartFile } from './shared/warmStarts.ts';

interface Job extends RowJob {
  trial: Trial;
  /** Whether the warm start is trained from the seed of the trial, as the page and the command line do it. */
  hasOwnStart: boolean;
}

interface NamedJob {
  /** The id of the claim. */
  id: string;
  job: Job;
}

const { values: flags } = parseArgs({ options: { register: { type: 'boolean' } }, strict: false });
if (flags.register) {
  const file = register(claims, readRows<BudgetRun>('bench/results/claims.jsonl'));
  console.log(file ? `${file} was written: commit it, then run the bench` : 'every claim is registered as it is');
  process.exit(0);
}

await runRows({
  name: 'claims',
  options: { seeds: String(trialSeed) },
  jobsOf: (_, { positionals: ids }) => {
    const unknown = ids.filter((id) => !claims.some((claim) => claim.id === id));
    if (unknown.length > 0)
      throw new Error(`no claim is called ${unknown.join(', ')}; there are ${claims.map(({ id }) => id).join(', ')}`);
    return unique(claims.filter(({ id }) => isWanted(id, ids)).flatMap(exploring));
  },
  further: (done, { positionals: ids }) =>
    unique(
      judging(done)
        .filter(({ id }) => isWanted(id, ids))
        .map(({ job }) => job),
    ),
  warm: (job) => startOf(job),
  measure: async (job: Job) => {
    const { trial } = job;
    if (trial.groups) takeWrongGroups(trial.groups);
    return budgetRun(await startOf(job), trial.tokens);
  },
  describe: ({ before, after }) => `${before.accuracy.toFixed(3)} → ${after.accuracy.toFixed(3)}`,
  results: (done) => ({
    machine: machineOf(done.values()),
    backend: 'simd',
    processorHours: hoursOf(done),
    rows: claimRecords(claims, committedRounds(), done),
  }),
  table: claimsTable,
});

function isWanted(id: string, ids: readonly string[]): boolean {
  return ids.length === 0 || ids.includes(id);
}

function unique(jobs: readonly Job[]): Job[] {
  return [...new Map(jobs.map((job) => [job.key, job])).values()];
}

function exploring(claim: Claim): Job[] {
  return claim.regimes.flatMap((regime) =>
    claim.arms.map((arm) => {
      const trial = trialOf(arm, regime, trialSeed);
      const config = configOf(trial);
      const warmStart = trial.hasShortcuts ? shortcutsFile(config, trialSeed) : warmStartFile(config);
      return jobOf(trial, { name: `${claim.id} · ${regime.words} · ${arm.label}`, warmStart, hasOwnStart: false });
    }),
  );
}

/**
 * The runs that judge the registered claims: the seeds of the first look for all claims, then those of the second look
 * for claims that are open, and then the controls.
 */
function judging(done: Done): NamedJob[] {
  const rounds = committedRounds();
  const newest = new Set(newestRegistered(rounds).map(({ claim }) => claim));
  const all = rounds
    .filter((round) => {
      const changed = changedSince(round);
      if (changed) console.error(`${changed}; its claims are not measured further`);
      return !changed;
    })
    .flatMap((round) => judgeRound(round, done))
    .filter(({ claim }) => newest.has(claim));
  const [first, second] = looks;
  const stages: (() => NamedJob[])[] = [
    () => all.flatMap((one) => jobsOf(one, first)),
    () => all.filter(({ verdict }) => verdict === 'open').flatMap((one) => jobsOf(one, second)),
    () => all.flatMap((one) => controlJobs(one)),
  ];
  for (const stage of stages) {
    const jobs = stage();
    if (jobs.some(({ job }) => !done.has(job.key))) return jobs;
  }
  return [];
}

function jobsOf({ claim, round }: Judgement, count: number): NamedJob[] {
  const seeds = round.seeds.slice(0, count);
  return seeds.flatMap((seed) => claim.arms.map((arm) => registeredJob(claim, arm, seed)));
}

/** The control runs with the seeds of the first look. */
function controlJobs({ claim, round }: Judgement): NamedJob[] {
  const { control } = claim;
  return control ? round.seeds.slice(0, looks[0]).map((seed) => registeredJob(claim, control, seed)) : [];
}

function registeredJob(claim: Registered, arm: Claim['arms'][0], seed: number): NamedJob {
  const trial = registeredTrial(claim, arm, seed);
  const config = configOf(trial);
  const warmStart = trial.hasShortcuts ? shortcutsFile(config, seed) : ownStartFile(config);
  const name = `${claim.id} · ${claim.regime} · ${arm.label}`;
  return { id: claim.id, job: jobOf(trial, { name, warmStart, hasOwnStart: true }) };
}

function jobOf(trial: Trial, rest: Pick<Job, 'name' | 'warmStart' | 'hasOwnStart'>): Job {
  return { trial, seed: trial.seed, settings: trial.settings, key: trialKey(trial), ...rest };
}

async function startOf({ trial, hasOwnStart }: Job) {
  const config = configOf(trial);
  if (trial.hasShortcuts) return startFrom(config, await shortcutWarmStart(config, trial.seed));
  if (!hasOwnStart) return (await benchStart(config)).checkpoint;
  return startingCheckpoint({
    config,
    runId: runId('bench'),
    backend: 'simd',
    loadShipped,
    warmStarts: ownStarts(config),
  });
}

/** Processor hours of all runs that judge registered claims. */
function hoursOf(done: ReadonlyMap<string, StoredRow<BudgetRun>>): number {
  const keys = new Set(
    committedRounds().flatMap(({ claims: registered, seeds }) =>
      registered.flatMap((claim) =>
        seeds.flatMap((seed) => claim.arms.map((arm) => trialKey(registeredTrial(claim, arm, seed)))),
      ),
    ),
  );
  return [...keys].reduce((sum, key) => sum + (done.get(key)?.result.seconds ?? 0), 0) / 3600;
}
