// How well does each learner's advantage match the true value of messages? In `npm run bench:fidelity`, each of the
// twelve learners trains as published, VDN and QMIX with their residual, from the same start. At intervals, the value
// of every message of four groups is measured by continuations, and its ranking is compared with that of the
// advantages. `-- grpo ppo` measures only these learners. Options: `--seeds 11,12`, `--at-once N` (2), `--iterations
// N`, `--draws N`.
import { mean } from '../../src/base/stats.ts';
import { ownForm } from '../../src/config/recipe.ts';
import type { LearnerFacts } from '../../src/config/learners/facts.ts';
import { learnerFacts, learnerNames, type LearnerName } from '../../src/config/learners/registry.ts';
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import type { Config } from '../../src/config/schema.ts';
import { runRows } from '../shared/rowBench.ts';
import { machineOf, hashOf, seeds as usualSeeds, type RowJob } from '../shared/rowStore.ts';
import { loadShipped } from '../shared/shippedWeights.ts';
import { trainUntil } from '../shared/trainUntil.ts';
import { startFrom } from '../shared/warmStarts.ts';
import { fidelityTable, type FidelityResults } from './fidelityTable.ts';

/** All learners get groups, also those that need none, so that all messages belong to a group. */
const groups = { 'learning.groupSize': 8, 'learning.problemsPerIteration': 32 };

const usual = { iterations: 24, draws: 32 };

interface Job extends RowJob {
  learner: LearnerName;
  iterations: number;
  draws: number;
}

interface Measured {
  /** One entry per measurement during the run; null if no group had anything to compare. */
  fidelity: (number | null)[];
  accuracy: number;
  failure: string;
}

const settingsOf = ({ learner, seed, iterations, draws }: Pick<Job, 'learner' | 'seed' | 'iterations' | 'draws'>) => ({
  ...ownForm(learner, parseConfig({})),
  ...groups,
  'run.seed': seed,
  'run.iterations': iterations,
  'evaluation.every': 6,
  'evaluation.problems': 256,
  'evaluation.creditDraws': draws,
});

await runRows<{ iterations: string; draws: string }, Job, Measured, FidelityResults>({
  name: 'fidelity',
  options: { iterations: String(usual.iterations), draws: String(usual.draws) },
  jobsOf: (seed, { positionals, wholeNumber }) =>
    learnerNames
      .filter((name) => positionals.length === 0 || positionals.includes(name))
      .map((learner) => jobOf(learner, seed, { iterations: wholeNumber('iterations'), draws: wholeNumber('draws') })),
  warm: () => Promise.resolve(),
  measure: async (job) => {
    const config: Config = withSettings(parseConfig({}), settingsOf(job));
    const { metrics, evaluations, failure } = await trainUntil(
      await startFrom(config, await loadShipped(config)),
      () => false,
    );
    const due = metrics.filter((_, i) => (i + 1) % config.evaluation.every === 0);
    const fidelity = due.map((values) => values['charts/credit_fidelity'] ?? null);
    return { fidelity, accuracy: evaluations.at(-1)?.accuracy ?? Number.NaN, failure };
  },
  describe: ({ fidelity, accuracy, failure }) =>
    `${fidelity.map((rho) => rho?.toFixed(2) ?? '–').join(' ')}, ${accuracy.toFixed(3)} right ${failure}`,
  results: (done) => ({
    machine: machineOf(done.values()),
    backend: 'simd',
    ...usual,
    seeds: usualSeeds,
    rows: learnerNames.flatMap((learner) => {
      const found = usualSeeds.flatMap((seed) => done.get(jobOf(learner, seed, usual).key)?.result ?? []);
      if (found.length === 0) return [];
      const means = found.map(({ fidelity }) => fidelity.filter((rho) => rho !== null)).map(mean);
      return [{ label: labelOf(learner), means, accuracy: mean(found.map(({ accuracy }) => accuracy)) }];
    }),
  }),
  table: fidelityTable,
});

/** Returns the label of a learner, with a note if Cothink adds something to its paper. */
function labelOf(learner: LearnerName): string {
  const { label, ours }: LearnerFacts = learnerFacts[learner];
  return ours ? `${label} + residual` : label;
}

function jobOf(learner: LearnerName, seed: number, { iterations, draws }: typeof usual): Job {
  const job = { name: learner, learner, seed, iterations, draws, settings: { iterations, draws }, warmStart: null };
  return { ...job, key: `${learner} ${seed} ${hashOf(settingsOf(job))}` };
}
