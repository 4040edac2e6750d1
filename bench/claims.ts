// Tests published claims in miniature: `npm run bench:claims` runs each regime with one seed, and the regime that is to
// confirm a claim with five other seeds. `-- turn-ratio collapse` measures only these claims. Options: `--seeds 1,21`,
// `--at-once N` (2). A claim that is not shown is a result too, so the bench exits with 0 in any case.
import { configOf, freshSeeds, trialKey, trialOf, trialSeed, type Claim, type Trial } from './claims/claim.ts';
import { claims } from './claims/plan.ts';
import { claimRecord, claimsTable } from './claims/record.ts';
import { takeWrongGroups } from './claims/wrongGroups.ts';
import { runRows } from './shared/rowBench.ts';
import { machineOf, type RowJob } from './shared/rowStore.ts';
import { shortcutsFile, shortcutWarmStart } from './shared/shortcuts.ts';
import { budgetRun } from './shared/trainUntil.ts';
import { benchStart, startFrom, warmStartFile } from './shared/warmStarts.ts';

interface Job extends RowJob {
  trial: Trial;
}

await runRows({
  name: 'claims',
  options: { seeds: [trialSeed, ...freshSeeds].join() },
  jobsOf: (seed, { positionals: ids }) => {
    const unknown = ids.filter((id) => !claims.some((claim) => claim.id === id));
    if (unknown.length > 0)
      throw new Error(`no claim is called ${unknown.join(', ')}; there are ${claims.map(({ id }) => id).join(', ')}`);
    const jobs = claims
      .filter(({ id }) => ids.length === 0 || ids.includes(id))
      .flatMap((claim) => jobsOf(claim, seed));
    return [...new Map(jobs.map((job) => [job.key, job])).values()];
  },
  warm: ({ trial }) => startOf(trial),
  measure: async ({ trial }: Job) => {
    if (trial.groups) takeWrongGroups(trial.groups);
    return budgetRun(await startOf(trial), trial.tokens);
  },
  describe: ({ before, after }) => `${before.accuracy.toFixed(3)} → ${after.accuracy.toFixed(3)}`,
  results: (done) => ({
    machine: machineOf(done.values()),
    backend: 'simd',
    rows: claims.flatMap((claim) => claimRecord(claim, done) ?? []),
  }),
  table: claimsTable,
});

function jobsOf(claim: Claim, seed: number): Job[] {
  const regimes = claim.regimes.filter(({ words }) => seed === trialSeed || words === claim.confirmed);
  return regimes.flatMap((regime) =>
    claim.arms.map((arm) => {
      const trial = trialOf(arm, regime, seed);
      const config = configOf(trial);
      const warmStart = trial.hasShortcuts ? shortcutsFile(config) : warmStartFile(config);
      const name = `${claim.id} · ${regime.words} · ${arm.label}`;
      return { trial, name, seed, settings: trial.settings, warmStart, key: trialKey(trial) };
    }),
  );
}

async function startOf(trial: Trial) {
  const config = configOf(trial);
  if (trial.hasShortcuts) return startFrom(config, await shortcutWarmStart(config));
  return (await benchStart(config)).checkpoint;
}
