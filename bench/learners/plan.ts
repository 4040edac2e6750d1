// The plan for the comparison of learners: the same world, the same size, the same collection of 256 trajectories per
// iteration, the same number of sampled tokens, and the same protocol, planner and reasoner, with one row for CORY's
// own. A row specifies only what its learner requires, or the subject of its variant. The rows of a learner are in its
// folder (`bench.ts`).
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import { learnerNames, type LearnerName } from '../../src/config/learners/registry.ts';
import { presets } from '../../src/config/presets.ts';
import { ownForm } from '../../src/config/recipe.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { hashOf, seeds } from '../shared/rowStore.ts';
import type { PlannedRow, StatedRow } from './row.ts';

/** Number of tokens that every row samples in training, up to the end of the iteration in which it is reached. */
export const sampledTokens = 120_000;

/** The settings common to all rows, as the tables show them. */
export const measuredOn = { world: 'houseRule level 1', size: 'tiny', backend: 'simd', sampledTokens, seeds };

/** The minimum gain of a learner, required in every seed. */
export const leastGain = 0.1;

/**
 * Supervised steps of 64 demonstrations before a row starts, the same for every protocol. One network learns all roles,
 * and all networks of a row start as copies of it. The shipped warm start was made this way (`npm run warmstart`); for
 * other protocols the bench makes one for each seed, from which all learners of that protocol start.
 */
export const warmStart = { steps: 1500, batchSize: 64 };

/** Rewards for single turns, for a row whose reward must reach each agent or each turn. */
const parts = { legalOperation: 0.25, rewrite: 0.5 };

const found = import.meta.glob<readonly StatedRow[]>('../../src/extensions/learners/*/bench.ts', {
  eager: true,
  import: 'rows',
});

/** Returns the rows in the folder of a learner. */
export const rowsOf = (learner: LearnerName): PlannedRow[] =>
  (found[`../../src/extensions/learners/${learner}/bench.ts`] ?? []).map((row) => planned(learner, row));

/** The rows of all learners, and the rows about a setting that several learners share. */
export const plannedRows: readonly PlannedRow[] = [
  ...learnerNames.flatMap(rowsOf),
  { ...row('quick', 'the first preset of the page', presets.quick.settings), form: 'ours' },
  row('alternate', 'grpo, each agent learns for 5 iterations in turn', {
    agents: { parameters: 'separate' },
    learning: { learner: 'grpo', switchEvery: 5 },
  }),
  row('denseReward', 'mappo, each turn with its own reward', {
    reward: { over: 'dense' },
    houseRule: parts,
    learning: { learner: 'mappo' },
  }),
  row('accumulatedReward', 'grpo by turn, each turn with the rewards that follow it', {
    reward: { over: 'accumulated' },
    houseRule: parts,
    learning: { learner: 'grpo', groupKey: 'problem+agent+turn' },
  }),
  row('withoutMixing', 'the same credit as vdn, with a critic that stays at 0', {
    learning: { learner: 'vdn', mixingResidual: 1, mixingRate: 1e-6 },
  }),
  row('lora', 'grpo, adapters on a frozen network', {
    agents: { parameters: 'lora' },
    learning: { learner: 'grpo' },
    optimiser: { learningRate: 1e-3 },
  }),
  row('loraByTurn', 'grpo, an adapter for each turn', {
    agents: { parameters: 'lora', adapterPer: 'turn' },
    learning: { learner: 'grpo' },
    optimiser: { learningRate: 1e-3 },
  }),
  row('heterogeneous', 'grpo, two vocabularies', {
    agents: { parameters: 'heterogeneous', otherVocabulary: 'joined' },
    learning: { learner: 'grpo' },
  }),
];

function planned(learner: LearnerName, { settings, ...row }: StatedRow): PlannedRow {
  return { ...row, settings: settings ?? withSettings({} as Config, ownForm(learner, parseConfig({}))) };
}

function row(name: string, variant: string, settings: ConfigInput): PlannedRow {
  return { name, variant, settings };
}

/**
 * Returns the complete configuration of a row. The run ends after a number of tokens, not of iterations, and is
 * evaluated only before and after.
 */
export function benchConfig(settings: ConfigInput, seed: number): Config {
  return parseConfig({
    ...settings,
    warmStart: { source: 'train', ...warmStart, ...settings.warmStart },
    evaluation: { every: 1000 },
    run: { ...settings.run, seed, iterations: 100_000 },
  });
}

/** Returns the key of a row, which contains all settings of its measurement. */
export function rowKey(row: { name: string; seed: number; tokens: number; settings: unknown }): string {
  return [row.name, row.seed, row.tokens, hashOf([row.settings, warmStart])].join(' ');
}
