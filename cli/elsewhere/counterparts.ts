// For each setting, its counterpart in other trainers, or the reason why they have none. It is a single table, by
// setting or by section. The configurations of these trainers and the accompanying list are generated from it. In other
// trainers a completion is the last turn of one agent, so a turn-level ratio becomes a sequence-level ratio. Names are
// those in TRL 1.16 and verl 0.9.
import { describeFields, type Field } from '../../src/config/describe.ts';
import { soloProtocol } from '../../src/config/protocols/registry.ts';
import { factsOf } from '../../src/config/learners/registry.ts';
import { canMatter } from '../../src/config/matters.ts';
import { isSameValue } from '../../src/config/parse.ts';
import { valueAt, type Config } from '../../src/config/schema.ts';
import { worldSections } from '../../src/config/worlds/registry.ts';

/** The facts about a run that are needed to write its settings for another trainer. */
export interface Recipe {
  config: Config;
  /** Maximum number of tokens of a completion, and of a prompt. */
  window: number;
  promptWindow: number;
  /** Number of prompts. */
  prompts: number;
}

export type CounterpartValue = string | number | boolean | readonly (string | number)[];
interface Found {
  /** Settings in the other trainer. */
  sets?: Readonly<Record<string, CounterpartValue>>;
  /** The file next to the configuration that contains the setting. */
  keptIn?: string;
  lost?: string;
}
type Say = (recipe: Recipe, field: Field) => Found;

/** Each trainer has its own configuration. */
export const targets = ['grpo', 'dpo', 'verl'] as const;
export type Target = (typeof targets)[number];
/** If a target is absent, its configuration does not depend on the setting. */
type Row = Readonly<Partial<Record<Target, Say>>>;

const keptIn = (file: string): Row => ({ grpo: () => ({ keptIn: file }), verl: () => ({ keptIn: file }) });
const lost =
  (why: string): Say =>
  () => ({ lost: why });
/** The setting has no counterpart. It is reported as lost unless it has its default value, which means off. */
const off = (why: string): Row => {
  const say: Say = ({ config }, field) =>
    isSameValue(valueAt(config, field.path), field.fallback) ? {} : { lost: why };
  return { grpo: say, verl: say };
};
const sets =
  (make: (recipe: Recipe) => Readonly<Record<string, CounterpartValue>>): Say =>
  (recipe) => ({ sets: make(recipe) });
/** The counterpart that `of` returns for the configuration; it may be empty. */
const sometimes =
  (of: (config: Config) => Found): Say =>
  (recipe) =>
    of(recipe.config);

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';

/** Optimiser steps per iteration. */
const stepsOf = ({ learning }: Config) => learning.updateEpochs * learning.numMinibatches;
/** The advantage estimator of verl; undefined if verl does not have the run's learner. */
const estimatorOf = (config: Config) => factsOf(config).elsewhere?.verl;
const isCompared = (config: Config) => ['grpo', 'rloo'].includes(estimatorOf(config) ?? 'grpo');
/**
 * Whether verl uses its loss over whole completions. That loss has no dual clip and clamps the log-ratio more tightly.
 */
const isGspo = ({ learning }: Config) => learning.ratioLevel !== 'token';
const hasCritic = (config: Config) => estimatorOf(config) === 'gae';
/** Completions per prompt: at least two if they are compared. */
const groupOf = (config: Config, compares: boolean) => Math.max(compares ? 2 : 1, config.learning.groupSize);
/**
 * Number of prompts per optimiser step, chosen so that a step uses as many completions as in the run. It is at most the
 * number of available prompts.
 */
function promptsAStep({ config, prompts }: Recipe, compares: boolean): number {
  const { problemsPerIteration, groupSize, numMinibatches } = config.learning;
  const asked = (problemsPerIteration * groupSize) / groupOf(config, compares);
  return Math.max(1, Math.floor(Math.min(asked, prompts) / numMinibatches));
}
const promptsOfVerl = (recipe: Recipe) => promptsAStep(recipe, isCompared(recipe.config));
const groups = (config: Config, compares: boolean, name: string): Found => ({
  sets: { [name]: groupOf(config, compares) },
  ...(groupOf(config, compares) > config.learning.groupSize && {
    lost: 'completions of the same prompt are compared, so each prompt gets 2 completions and there are fewer prompts',
  }),
});

const byCritic = (make: (config: Config) => Readonly<Record<string, CounterpartValue>>): Say =>
  sometimes((config) => (hasCritic(config) ? { sets: make(config) } : {}));
const prefers = (make: (config: Config) => Readonly<Record<string, CounterpartValue>>): Row => ({
  dpo: sets(({ config }) => make(config)),
  verl: lost('verl has no DPO'),
});
const alike = (trl: string, verl: string, of: (config: Config) => CounterpartValue): Row => ({
  grpo: sets(({ config }) => ({ [trl]: of(config) })),
  dpo: sets(({ config }) => ({ [trl]: of(config) })),
  verl: sets(({ config }) => ({ [verl]: of(config) })),
});

const others = 'only one network learns, and only from one turn; the earlier messages are fixed text in the prompts';
const otherLearner = (config: Config, by: string) => `${by} is used instead of ${factsOf(config).label}`;
const keptApart = 'evaluation uses problems of the run that were held out';
const elsewhere = 'the served world does not report it';

const adapters = sometimes(({ agents }) =>
  agents.parameters === 'lora'
    ? {
        sets: {
          use_peft: true,
          lora_r: agents.loraRank,
          lora_alpha: agents.loraAlpha,
          lora_dropout: 0,
          lora_target_modules: ['all-linear'],
        },
      }
    : {},
);

export const counterparts: Readonly<Record<string, Row>> = {
  world: keptIn('the prompts'),
  'world.raiseAt': off('there is no curriculum; the prompts come from the run'),
  agents: keptIn('the prompts'),
  'agents.protocol': {
    grpo: sometimes(({ agents }) => (agents.protocol === soloProtocol ? {} : { lost: others })),
    verl: sometimes(({ agents }) => (agents.protocol === soloProtocol ? {} : { lost: others })),
  },
  'agents.parameters': {
    grpo: adapters,
    dpo: adapters,
    verl: sometimes(({ agents }) =>
      agents.parameters === 'lora'
        ? {
            sets: {
              'actor_rollout_ref.model.lora_rank': agents.loraRank,
              'actor_rollout_ref.model.lora_alpha': agents.loraAlpha,
            },
          }
        : {},
    ),
  },
  'agents.swapEvery': off(others),
  'agents.start': keptIn('the model'),
  'agents.otherStart': keptIn('the model'),
  'agents.size': keptIn('the model'),
  'agents.otherSize': keptIn('the model'),
  'agents.otherVocabulary': keptIn('the model'),
  'agents.candidates': off('there are no trees of turns'),
  'agents.reasonWindow': {
    grpo: sets(({ window }) => ({ max_completion_length: window })),
    dpo: sets(({ window, promptWindow }) => ({ max_length: promptWindow + window })),
    verl: sets(({ window, promptWindow }) => ({
      'data.max_response_length': window,
      'data.max_prompt_length': promptWindow,
    })),
  },
  'agents.temperature': {
    grpo: sets(({ config }) => ({ temperature: config.agents.temperature })),
    verl: sets(({ config }) => ({ [`${rollout}.temperature`]: config.agents.temperature })),
  },
  'agents.maskUnfinished': {
    grpo: () => ({ keptIn: 'reward.json' }),
    verl: sometimes(({ agents }) =>
      agents.maskUnfinished
        ? {
            lost: 'the reward function cannot see whether a completion was truncated, so truncated completions are rewarded too',
          }
        : {},
    ),
  },
  reward: keptIn('reward.json'),
  'reward.length': off(elsewhere),
  'reward.across': {
    grpo: lost('an agent is rewarded for its own answer'),
    verl: lost('an agent is rewarded for its own answer'),
  },
  'reward.over': off('a completion is rewarded as a whole'),
  'reward.gammaTurn': off('a completion is one turn'),
  'reward.shaping': off('a completion is one turn'),
  ...Object.fromEntries(
    [
      'influence',
      'influenceShare',
      'influenceGamma',
      'influenceAlpha0',
      'influenceAlpha1',
      'influenceBeta0',
      'influenceBeta1',
      'umadConfidence',
      'umadInfluence',
      'causal',
    ].map((name) => [`reward.${name}`, off('no other agent reads a completion')]),
  ),
  ...Object.fromEntries(Object.keys(worldSections).map((name) => [name, keptIn('reward.json')])),
  verifier: off('no verifier is trained; POST /verify uses the verifier of the run'),
  learning: off('it belongs to a learner or a critic that is not used here'),
  'learning.learner': {
    grpo: sometimes((config) => (factsOf(config).elsewhere?.trl ? {} : { lost: otherLearner(config, 'GRPO') })),
    verl: sometimes((config) => {
      const estimator = estimatorOf(config);
      return {
        sets: { 'algorithm.adv_estimator': estimator ?? 'grpo' },
        ...(!estimator && { lost: otherLearner(config, 'GRPO') }),
      };
    }),
  },
  'learning.ratioLevel': {
    grpo: sets(({ config }) => ({
      importance_sampling_level: config.learning.ratioLevel === 'token' ? 'token' : 'sequence',
    })),
    verl: sets(({ config }) => ({ [`${actor}.policy_loss.loss_mode`]: isGspo(config) ? 'gspo' : 'vanilla' })),
  },
  'learning.turnMean': off('the mean of a turn is geometric'),
  'learning.aggregation': {
    grpo: sets(({ config }) => ({
      loss_type: { token: 'dapo', turn: 'grpo', trajectory: 'grpo', dialogue: 'grpo', constant: 'dr_grpo' }[
        config.learning.aggregation
      ],
    })),
    verl: sets(({ config }) => ({
      [`${actor}.loss_agg_mode`]: {
        token: 'token-mean',
        turn: 'seq-mean-token-mean',
        trajectory: 'seq-mean-token-mean',
        dialogue: 'seq-mean-token-mean',
        constant: 'seq-mean-token-sum-norm',
      }[config.learning.aggregation],
    })),
  },
  'learning.clipLow': {
    grpo: sets(({ config }) => ({ epsilon: config.learning.clipLow })),
    verl: sets(({ config }) => ({ [`${actor}.clip_ratio_low`]: config.learning.clipLow })),
  },
  'learning.clipHigh': {
    grpo: sets(({ config }) => ({ epsilon_high: config.learning.clipHigh })),
    verl: sets(({ config }) => ({ [`${actor}.clip_ratio_high`]: config.learning.clipHigh })),
  },
  'learning.dualClip': {
    grpo: sometimes(({ learning }) => ({
      ...(learning.dualClip > 0 && { sets: { delta: learning.dualClip } }),
      ...(learning.dualClip > 0 &&
        learning.dualClip < 1 + learning.clipHigh && {
          lost: 'TRL also limits the ratio of tokens with a positive advantage to this value, although learning.clipHigh allows larger ratios',
        }),
    })),
    verl: sometimes((config) => {
      const { dualClip } = config.learning;
      if (isGspo(config))
        return dualClip > 0 ? { lost: 'verl has no dual clip with the ratio of a whole completion (gspo)' } : {};
      // If the dual clip is off, a bound that is never reached stands for it.
      return { sets: { [`${actor}.clip_ratio_c`]: dualClip || 1e6 } };
    }),
  },
  'learning.logratioClamp': {
    grpo: lost('TRL does not bound it'),
    verl: sometimes((config) => ({ lost: `verl bounds it at ${isGspo(config) ? 10 : 20}` })),
  },
  'learning.groupSize': {
    grpo: sometimes((config) => groups(config, true, 'num_generations')),
    verl: sometimes((config) => groups(config, isCompared(config), `${rollout}.n`)),
  },
  'learning.problemsPerIteration': {
    grpo: sets((recipe) => ({
      per_device_train_batch_size: promptsAStep(recipe, true) * groupOf(recipe.config, true),
    })),
    dpo: sets((recipe) => ({ per_device_train_batch_size: promptsAStep(recipe, true) })),
    verl: sets((recipe) => ({
      'data.train_batch_size': promptsOfVerl(recipe) * recipe.config.learning.numMinibatches,
    })),
  },
  'learning.groupKey': {},
  'learning.groupStd': {
    grpo: sets(({ config }) => ({ scale_rewards: config.learning.groupStd ? 'group' : 'none' })),
    verl: sets(({ config }) => ({ 'algorithm.norm_adv_by_std_in_grpo': config.learning.groupStd })),
  },
  'learning.outcomeShare': off('a completion is one turn'),
  'learning.normAdv': {
    grpo: sometimes(({ learning }) => (learning.normAdv ? { lost: 'TRL does not whiten advantages' } : {})),
    verl: sometimes((config) => {
      const { normAdv } = config.learning;
      if (normAdv && isCompared(config)) return { lost: 'verl does not whiten advantages of groups' };
      return !normAdv && hasCritic(config) ? { lost: 'verl always whitens the advantages of a critic' } : {};
    }),
  },
  'learning.filterGroups': {
    ...off('TRL draws no new prompts to replace groups whose rewards are equal'),
    verl: sometimes(({ learning }) =>
      learning.filterGroups
        ? {
            sets: {
              'algorithm.filter_groups.enable': true,
              'algorithm.filter_groups.metric': 'score',
              'algorithm.filter_groups.max_num_gen_batches': learning.maxGenBatches,
            },
          }
        : {},
    ),
  },
  'learning.maxGenBatches': { grpo: lost('it belongs to learning.filterGroups') },
  'learning.updateEpochs': {
    grpo: sets(({ config }) => ({ num_iterations: config.learning.updateEpochs })),
    verl: sets(({ config }) => ({ [`${actor}.ppo_epochs`]: config.learning.updateEpochs })),
  },
  'learning.numMinibatches': {
    grpo: sets(({ config }) => ({ steps_per_generation: config.learning.numMinibatches })),
    verl: sets((recipe) => ({ [`${actor}.ppo_mini_batch_size`]: promptsOfVerl(recipe) })),
  },
  'learning.entCoef': {
    grpo: sets(({ config }) => ({ entropy_coef: config.learning.entCoef })),
    verl: sets(({ config }) => ({ [`${actor}.entropy_coeff`]: config.learning.entCoef })),
  },
  'learning.livingEntropy': off('the entropy bonus applies everywhere'),
  'learning.valueClip': { verl: byCritic(({ learning }) => ({ 'critic.cliprange_value': learning.valueClip })) },
  'learning.gamma': {
    verl: sometimes(({ learning }) =>
      factsOf({ learning }).hasTokenReturns ? { sets: { 'algorithm.gamma': learning.gamma } } : {},
    ),
  },
  'learning.gaeLambda': { verl: byCritic(({ learning }) => ({ 'algorithm.lam': learning.gaeLambda })) },
  'learning.pairsFrom': {
    ...off('pairs.jsonl contains the pairs of the run by reward'),
    verl: lost('verl has no DPO'),
  },
  'learning.preferenceKind': {
    dpo: sometimes(({ learning: { preferenceKind: kind } }) => ({
      sets: { loss_type: [kind === 'ipoOfSum' ? 'ipo' : kind] },
      ...(kind === 'ipoOfSum' && { lost: 'the IPO loss of TRL uses the mean over tokens' }),
    })),
    verl: lost('verl has no DPO'),
  },
  'learning.preferenceBeta': prefers(({ learning }) => ({ beta: learning.preferenceBeta })),
  'learning.preferenceSmoothing': {
    dpo: sometimes(({ learning }) =>
      learning.preferenceSmoothing > 0
        ? { lost: 'the sigmoid loss of TRL ignores label_smoothing, and the losses that use it are different' }
        : {},
    ),
    verl: lost('verl has no DPO'),
  },
  'learning.preferenceReference': off('TRL always compares with the reference'),
  'learning.switchEvery': off(others),
  'learning.switchOver': off(others),
  'learning.startAgent': off(others),
  'learning.frozen': off(others),
  'kl.place': {
    grpo: sometimes(({ kl }) => ({
      ...(kl.place !== 'off' && { sets: { beta: kl.coef } }),
      ...(kl.place === 'reward' && { lost: 'TRL adds the KL to the loss' }),
    })),
    verl: sometimes(({ kl }) => ({
      sets: { [`${actor}.use_kl_loss`]: kl.place === 'loss', 'algorithm.use_kl_in_reward': kl.place === 'reward' },
    })),
  },
  'kl.coef': {
    verl: sometimes(({ kl }) => ({
      sets: { [kl.place === 'loss' ? `${actor}.kl_loss_coef` : 'algorithm.kl_ctrl.kl_coef']: kl.coef },
    })),
  },
  'kl.estimator': {
    grpo: sometimes(({ kl }) => (kl.estimator === 'k3' ? {} : { lost: 'TRL estimates it with k3' })),
    verl: sets(({ config }) => ({ [`${actor}.kl_loss_type`]: config.kl.estimator })),
  },
  'kl.isAdaptive': {
    ...off('the weight of the KL does not change'),
    verl: sometimes(({ kl }) => ({ sets: { 'algorithm.kl_ctrl.type': kl.isAdaptive ? 'adaptive' : 'fixed' } })),
  },
  'kl.target': {
    grpo: lost('the weight of the KL does not change'),
    verl: sets(({ config }) => ({ 'algorithm.kl_ctrl.target_kl': config.kl.target })),
  },
  'kl.horizon': {
    grpo: lost('the weight of the KL does not change'),
    verl: sets(({ config }) => ({ 'algorithm.kl_ctrl.horizon': config.kl.horizon })),
  },
  'kl.refreshEvery': {
    ...off('the reference of verl does not change'),
    grpo: sometimes((config) => {
      const { refreshEvery, place } = config.kl;
      if (refreshEvery === 0 || place === 'off') return {};
      return {
        sets: { sync_ref_model: true, ref_model_sync_steps: refreshEvery * stepsOf(config), ref_model_mixup_alpha: 1 },
      };
    }),
  },
  'kl.targetKl': off('epochs are not ended early'),
  'optimiser.method': off('AdamW also updates the matrices'),
  'optimiser.muonRate': {
    grpo: lost('AdamW also updates the matrices'),
    verl: lost('AdamW also updates the matrices'),
  },
  'optimiser.learningRate': alike('learning_rate', `${actor}.optim.lr`, ({ optimiser }) => optimiser.learningRate),
  'optimiser.criticRate': {
    ...off('there is no critic'),
    verl: byCritic(({ optimiser }) => ({ 'critic.optim.lr': optimiser.criticRate || optimiser.learningRate })),
  },
  'optimiser.warmupUpdates': alike(
    'warmup_steps',
    `${actor}.optim.lr_warmup_steps`,
    ({ optimiser }) => optimiser.warmupUpdates,
  ),
  'optimiser.weightDecay': alike(
    'weight_decay',
    `${actor}.optim.weight_decay`,
    ({ optimiser }) => optimiser.weightDecay,
  ),
  'optimiser.beta1': {
    ...alike('adam_beta1', '', ({ optimiser }) => optimiser.beta1),
    verl: sets(({ config: { optimiser } }) => ({ [`${actor}.optim.betas`]: [optimiser.beta1, optimiser.beta2] })),
  },
  'optimiser.beta2': { ...alike('adam_beta2', '', ({ optimiser }) => optimiser.beta2), verl: () => ({}) },
  'optimiser.maxGradNorm': alike('max_grad_norm', `${actor}.optim.clip_grad`, ({ optimiser }) => optimiser.maxGradNorm),
  warmStart: keptIn('the model'),
  'evaluation.problems': { grpo: lost(keptApart), verl: lost(keptApart) },
  'evaluation.every': {
    grpo: sets(({ config }) => ({
      eval_strategy: 'steps',
      eval_steps: config.evaluation.every * stepsOf(config),
      per_device_eval_batch_size: groupOf(config, true),
    })),
    verl: sets(({ config }) => ({ 'trainer.test_freq': config.evaluation.every })),
  },
  'evaluation.everywhere': off('cothink eval --beside everywhere measures it'),
  'evaluation.creditDraws': off('no other agent reads a completion'),
  'run.seed': {
    ...alike('seed', 'data.seed', ({ run }) => run.seed),
    verl: sets(({ config }) => ({ 'data.seed': config.run.seed, [`${rollout}.seed`]: config.run.seed })),
  },
  'run.iterations': {
    grpo: sets(({ config }) => ({ max_steps: config.run.iterations * stepsOf(config) })),
    dpo: sets(({ config }) => ({ max_steps: config.run.iterations * stepsOf(config) })),
    verl: sets(({ config }) => ({ 'trainer.total_training_steps': config.run.iterations })),
  },
  'run.backend': {},
  'run.capture': {},
  'run.checkpointEvery': {
    grpo: sets(({ config }) => ({ save_steps: config.run.checkpointEvery * stepsOf(config) })),
    dpo: sets(({ config }) => ({ save_steps: config.run.checkpointEvery * stepsOf(config) })),
    verl: sets(({ config }) => ({ 'trainer.save_freq': config.run.checkpointEvery })),
  },
  'run.guard': {
    grpo: sometimes(({ run }) => (run.guard ? { lost: 'a run that collapses is not stopped' } : {})),
    verl: sometimes(({ run }) => (run.guard ? { lost: 'a run that collapses is not stopped' } : {})),
  },
};

/** The table row of a setting, or of its section if the setting has none. */
export const rowOf = ({ path, section }: Pick<Field, 'path' | 'section'>): Row | undefined =>
  counterparts[path] ?? counterparts[section];

export interface Counterparts {
  /** Settings of the other trainer by name, in the order of our settings. */
  sets: Readonly<Record<string, CounterpartValue>>;
  /** Each of our settings that matters in this run, with its counterpart. */
  rows: readonly ({ path: string; value: unknown } & Found)[];
}

/** The counterparts of a recipe in one configuration of another trainer. */
export function counterpartsOf(recipe: Recipe, target: Target): Counterparts {
  const rows = describeFields()
    .filter((field) => canMatter(field, recipe.config))
    .map((field) => {
      const { path } = field;
      return { path, value: valueAt(recipe.config, path), ...rowOf(field)?.[target]?.(recipe, field) };
    });
  return { sets: Object.assign({}, ...rows.map((row) => row.sets ?? {})) as Counterparts['sets'], rows };
}
