// The plan for the comparison of learners: the same world, the same size, the same collection of 256 trajectories per
// iteration, the same number of sampled tokens, and the same protocol, planner and reasoner, with one row for CORY's
// own. A row specifies only what its learner requires, or the subject of its variant.
import { parseConfig, withSettings } from '../../src/config/parse.ts';
import { learnerFacts, learnerNames, type LearnerName } from '../../src/config/learners/registry.ts';
import { presets } from '../../src/config/presets.ts';
import { ownForm } from '../../src/config/recipe.ts';
import type { Config, ConfigInput } from '../../src/config/schema.ts';
import { hashOf, seeds } from '../shared/rowStore.ts';

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

export interface PlannedRow {
  /** The name selected by `-- NAME`. */
  name: string;
  /** The difference from other rows of the same learner. */
  variant: string;
  /**
   * The published form of its learner, the nearest possible form if agents that are policies cannot use it completely,
   * or the best form known here; absent: a variant about something else.
   */
  form?: 'published' | 'nearest' | 'ours';
  /** The former name under which its finished rows are stored, if it had one. */
  storedAs?: string;
  settings: ConfigInput;
  /**
   * The settings of its measurement, from before their meaning changed: the row is shown with a note until it is
   * measured again.
   */
  older?: { settings: ConfigInput; says: string };
  /** Number of sampled tokens of a row that is known to need a different number. */
  tokens?: number;
}

/** Weights of single turns, for a row whose reward has to reach each agent or each turn. */
const parts = { legalOperation: 0.25, rewrite: 0.5 };

/**
 * Learners with a separate row for their published form, in addition to the row of their name. The published form of
 * DPO and SFT is the row of their name. VDN and QMIX learn values of actions; this is their credit used with policy
 * gradient, which has not been published: `vdnAlone` and `qmixAlone` have nothing else. CORY's paper uses PPO, with a
 * pioneer and an observer: `coryNearest` has its settings in the protocol of all rows, `coryPioneer` also its protocol,
 * both with GRPO's advantage.
 */
const published = learnerNames.filter(
  (name) => learnerFacts[name].loss === 'policy' && !learnerFacts[name].ours && name !== 'cory',
);

/** In the protocol of all rows, which CORY's preset does not use. */
const formOf = (name: LearnerName): ConfigInput => withSettings({} as Config, ownForm(name, parseConfig({})));

/**
 * The part of the return that the mixing critic misses is added; its own output alone does not include it, and the
 * critic is used from the start.
 */
const mixing = { mixingResidual: 1 } as const;
const alone = {
  ratioLevel: 'token',
  aggregation: 'token',
  dualClip: 0,
  mixingResidual: 0,
  teamRewardIterations: 0,
} as const;

/**
 * Before a trajectory became one agent's part of a dialogue, rows with a network shared by all agents were measured
 * with the whole of it as one: now called a dialogue.
 */
const byDialogue = 'with the dialogue of both agents as one trajectory';

/** SFT with the collection and the steps of the first preset. */
const { problemsPerIteration, groupSize, updateEpochs, numMinibatches } = presets.quick.settings.learning;
const singly: ConfigInput = {
  learning: { learner: 'sft', problemsPerIteration, groupSize, updateEpochs, numMinibatches },
  optimiser: presets.quick.settings.optimiser,
};

export const plannedRows: readonly PlannedRow[] = [
  ...published.map((name) => olderByDialogue(asPublished(row(`${name}Published`, 'as published', formOf(name))))),
  {
    ...nearest(
      row('coryNearest', 'its settings, without pioneer and observer, by GRPO in place of PPO', formOf('cory')),
    ),
    storedAs: 'coryPublished',
  },
  asPublished(row('treePublished', 'AT-GRPO, four candidates a turn', presets.tree.settings)),
  ours(row('quick', 'the first preset of the page', presets.quick.settings)),
  { ...ours(row('vdnResidual', 'token ratio, and what the critic misses', formOf('vdn'))), storedAs: 'vdnPublished' },
  {
    ...ours(row('qmixResidual', 'token ratio, and what the critic misses', formOf('qmix'))),
    storedAs: 'qmixPublished',
  },
  row('grpo', 'turn ratio', { learning: { learner: 'grpo' } }),
  row('rloo', 'turn ratio', { learning: { learner: 'rloo' } }),
  row('reinforcePlusPlus', 'turn ratio', { learning: { learner: 'reinforcePlusPlus' } }),
  row('ppo', 'turn ratio, eight rollouts a problem', { learning: { learner: 'ppo', critic: 'network' } }),
  row('ippo', 'own rewards, turn ratio', {
    agents: { parameters: 'separate' },
    reward: { across: 'own', over: 'dense' },
    houseRule: parts,
    learning: { learner: 'ippo', critic: 'network' },
  }),
  row('mappo', 'turn ratio', { learning: { learner: 'mappo' } }),
  row('happo', 'turn ratio', {
    agents: { parameters: 'separate' },
    learning: { learner: 'happo' },
  }),
  row('cory', 'roles exchanged, KL in the reward', {
    agents: { parameters: 'separate', swapEvery: 5 },
    learning: { learner: 'cory' },
    kl: { place: 'reward' },
  }),
  {
    ...nearest(
      row(
        'coryPioneer',
        'the preset: pioneer and observer, by GRPO in place of PPO, 2.5 times the tokens',
        presets.cory.settings,
      ),
    ),
    tokens: 300_000,
  },
  asPublished(row('dpo', 'as published, pairs of the latest rollouts', { learning: { learner: 'dpo' } })),
  row('dpoSelfPlay', 'SPIN: demonstrations against what it said before', {
    learning: { learner: 'dpo', pairsFrom: 'demonstrations' },
    kl: { refreshEvery: 1 },
  }),
  asPublished(row('sft', 'as published, its own right dialogues', { learning: { learner: 'sft' } })),
  ours(row('sftSingle', 'its own right dialogues, one of each problem', singly)),
  row('alternate', 'grpo, learning by turns of 5 iterations', {
    agents: { parameters: 'separate' },
    learning: { learner: 'grpo', switchEvery: 5 },
  }),
  row('denseReward', 'mappo, each turn its own', {
    reward: { over: 'dense' },
    houseRule: parts,
    learning: { learner: 'mappo' },
  }),
  row('accumulatedReward', 'grpo by turn, each turn what follows it', {
    reward: { over: 'accumulated' },
    houseRule: parts,
    learning: { learner: 'grpo', groupKey: 'problem+agent+turn' },
  }),
  row('vdn', 'what each message adds to a sum, and what that misses', { learning: { learner: 'vdn', ...mixing } }),
  row('qmix', 'what each message adds to a mix, and what that misses', { learning: { learner: 'qmix', ...mixing } }),
  nearest(
    row('vdnAlone', 'its credit alone, by policy gradient: what each message adds to a sum', {
      learning: { learner: 'vdn', ...alone },
    }),
  ),
  nearest(
    row('qmixAlone', 'its credit alone, by policy gradient: what each message adds to a mix', {
      learning: { learner: 'qmix', ...alone },
    }),
  ),
  row('withoutMixing', 'the same credit, by a critic that stands still at 0', {
    learning: { learner: 'vdn', ...mixing, mixingRate: 1e-6 },
  }),
  row('tree', 'grpo, four candidates a turn', {
    agents: { candidates: 4 },
    reward: { across: 'own', over: 'dense' },
    houseRule: parts,
    learning: { learner: 'grpo', groupKey: 'problem+agent+turn', groupSize: 2 },
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

function olderByDialogue(row: PlannedRow): PlannedRow {
  const { learning, agents } = row.settings;
  if (learning?.aggregation !== 'trajectory' || (agents?.parameters ?? 'shared') !== 'shared') return row;
  const settings = { ...row.settings, learning: { ...learning, aggregation: 'dialogue' as const } };
  return { ...row, older: { settings, says: byDialogue } };
}

function asPublished(row: PlannedRow): PlannedRow {
  return { ...row, form: 'published' };
}

function nearest(row: PlannedRow): PlannedRow {
  return { ...row, form: 'nearest' };
}

function ours(row: PlannedRow): PlannedRow {
  return { ...row, form: 'ours' };
}

function row(name: string, variant: string, settings: ConfigInput): PlannedRow {
  return { name, variant, settings };
}

/**
 * The complete configuration of a row. It ends by number of tokens, not of iterations, and is evaluated only before and
 * after.
 */
export function benchConfig(settings: ConfigInput, seed: number): Config {
  return parseConfig({
    ...settings,
    warmStart: { source: 'train', ...warmStart, ...settings.warmStart },
    evaluation: { every: 1000 },
    run: { ...settings.run, seed, iterations: 100_000 },
  });
}

/** The name of a row, from all settings of its measurement. */
export function rowKey(row: { name: string; seed: number; tokens: number; settings: unknown }): string {
  return [row.name, row.seed, row.tokens, hashOf([row.settings, warmStart])].join(' ');
}
