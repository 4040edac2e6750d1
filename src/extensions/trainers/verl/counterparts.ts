// The counterparts of settings in verl 0.9.
import {
  groups,
  lost,
  nothing,
  off,
  ofOneTurn,
  otherLearner,
  promptsAStep,
  sets,
  sometimes,
  type CounterpartTable,
  type CounterpartValue,
  type Recipe,
} from '../../../../cli/elsewhere/counterparts.ts';
import { factsOf } from '../../../config/learners/registry.ts';
import type { TrainerFacts } from '../../../../cli/elsewhere/trainer.ts';
import type { Surrogate } from '../../../config/names.ts';
import type { Config } from '../../../config/schema.ts';
import { facts } from './facts.ts';

const actor = 'actor_rollout_ref.actor';
const rollout = 'actor_rollout_ref.rollout';

/** The name of the run's learner in verl; undefined if verl does not have this learner. */
const estimatorOf = ({ learning }: Config) => (facts as TrainerFacts).learners[learning.learner];
const isCompared = (config: Config) => ['grpo', 'rloo', 'opo', 'grpo_passk'].includes(estimatorOf(config) ?? 'grpo');
/**
 * Whether verl uses the loss that it provides for whole completions. This loss has no dual clip and clamps the
 * log-ratio more tightly.
 */
const isGspo = ({ learning }: Config) => learning.surrogate === 'clipped' && learning.ratioLevel !== 'token';
/** The name that verl gives to each policy loss. */
const lossModes = (config: Config): Record<Surrogate, string> => ({
  clipped: isGspo(config) ? 'gspo' : 'vanilla',
  cispo: 'cispo',
  sapo: 'sapo',
  gmpo: 'geo_mean',
});
const hasCritic = (config: Config) => estimatorOf(config) === 'gae';
const promptsOf = (recipe: Recipe) => promptsAStep(recipe, isCompared(recipe.config));
const byCritic = (make: (config: Config) => Readonly<Record<string, CounterpartValue>>) =>
  sometimes((config) => (hasCritic(config) ? { sets: make(config) } : {}));

/** A temperature of SAPO, which verl reads only with this loss. */
const ofSapo = (name: string, setting: 'gatePositive' | 'gateNegative') =>
  sometimes(({ learning }) =>
    learning.surrogate === 'sapo' ? { sets: { [`${actor}.${name}`]: learning[setting] } } : {},
  );

const withoutDpo = 'verl has no DPO';
const noDpo = lost(withoutDpo);

export const counterparts: CounterpartTable = {
  ...ofOneTurn,
  'agents.parameters': sometimes(({ agents }) =>
    agents.parameters === 'lora'
      ? {
          sets: {
            'actor_rollout_ref.model.lora_rank': agents.loraRank,
            'actor_rollout_ref.model.lora_alpha': agents.loraAlpha,
          },
        }
      : {},
  ),
  'agents.reasonWindow': sets(({ window, promptWindow }) => ({
    'data.max_response_length': window,
    'data.max_prompt_length': promptWindow,
  })),
  'agents.temperature': sets(({ config }) => ({ [`${rollout}.temperature`]: config.agents.temperature })),
  'agents.maskUnfinished': sometimes(({ agents }) =>
    agents.maskUnfinished
      ? {
          lost: 'the reward function cannot see whether a completion was truncated, so truncated completions are rewarded too',
        }
      : {},
  ),
  'learning.learner': sometimes((config) => {
    const estimator = estimatorOf(config);
    return {
      sets: { 'algorithm.adv_estimator': estimator ?? 'grpo' },
      ...(!estimator && { lost: otherLearner(config, 'GRPO') }),
    };
  }),
  'learning.ratioLevel': sets(({ config }) => ({
    [`${actor}.policy_loss.loss_mode`]: lossModes(config)[config.learning.surrogate],
  })),
  'learning.surrogate': sometimes(({ learning }) => {
    const { surrogate, ratioLevel, aggregation } = learning;
    if (surrogate === 'clipped') return {};
    if (surrogate === 'gmpo') {
      const isWhole = ratioLevel === 'trajectory' && aggregation === 'trajectory';
      return isWhole ? {} : { lost: 'verl computes the ratio and the mean of GMPO over each completion' };
    }
    const losses = [
      ...(ratioLevel === 'token' ? [] : ['verl computes the ratio of this loss token by token']),
      ...(surrogate === 'sapo' && ['token', 'constant'].includes(aggregation)
        ? ['verl averages SAPO over each completion']
        : []),
    ];
    return losses.length > 0 ? { lost: losses.join('; ') } : {};
  }),
  'learning.gatePositive': ofSapo('tau_pos', 'gatePositive'),
  'learning.gateNegative': ofSapo('tau_neg', 'gateNegative'),
  'learning.aggregation': sets(({ config }) => ({
    [`${actor}.loss_agg_mode`]: {
      token: 'token-mean',
      turn: 'seq-mean-token-mean',
      trajectory: 'seq-mean-token-mean',
      dialogue: 'seq-mean-token-mean',
      constant: 'seq-mean-token-sum-norm',
    }[config.learning.aggregation],
  })),
  'learning.clipLow': sets(({ config }) => ({ [`${actor}.clip_ratio_low`]: config.learning.clipLow })),
  'learning.clipHigh': sets(({ config }) => ({ [`${actor}.clip_ratio_high`]: config.learning.clipHigh })),
  'learning.dualClip': sometimes((config) => {
    const { dualClip, surrogate } = config.learning;
    if (surrogate !== 'clipped') return {};
    if (isGspo(config))
      return dualClip > 0 ? { lost: 'verl has no dual clip with the ratio of a whole completion (gspo)' } : {};
    // The dual clip cannot be switched off in verl. Instead, the bound is so large that it is never reached.
    return { sets: { [`${actor}.clip_ratio_c`]: dualClip || 1e6 } };
  }),
  'learning.logratioClamp': sometimes((config) => ({
    lost:
      config.learning.surrogate === 'gmpo' ? 'verl does not bound it' : `verl bounds it at ${isGspo(config) ? 10 : 20}`,
  })),
  'learning.groupSize': sometimes((config) => groups(config, isCompared(config), `${rollout}.n`)),
  'learning.problemsPerIteration': sets((recipe) => ({
    'data.train_batch_size': promptsOf(recipe) * recipe.config.learning.numMinibatches,
  })),
  'learning.groupStd': sets(({ config }) => ({ 'algorithm.norm_adv_by_std_in_grpo': config.learning.groupStd })),
  'learning.normAdv': sometimes((config) => {
    const { normAdv } = config.learning;
    if (normAdv && isCompared(config)) return { lost: 'verl does not whiten advantages of groups' };
    return !normAdv && hasCritic(config) ? { lost: 'verl always whitens the advantages of a critic' } : {};
  }),
  'learning.filterGroups': sometimes(({ learning }) =>
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
  'learning.maxGenBatches': nothing,
  'learning.updateEpochs': sets(({ config }) => ({ [`${actor}.ppo_epochs`]: config.learning.updateEpochs })),
  'learning.numMinibatches': sets((recipe) => ({ [`${actor}.ppo_mini_batch_size`]: promptsOf(recipe) })),
  'learning.entCoef': sets(({ config }) => ({ [`${actor}.entropy_coeff`]: config.learning.entCoef })),
  'learning.valueClip': byCritic(({ learning }) => ({ 'critic.cliprange_value': learning.valueClip })),
  'learning.gamma': sometimes(({ learning }) =>
    factsOf({ learning }).hasTokenReturns ? { sets: { 'algorithm.gamma': learning.gamma } } : {},
  ),
  'learning.gaeLambda': byCritic(({ learning }) => ({ 'algorithm.lam': learning.gaeLambda })),
  'learning.pairsFrom': noDpo,
  'learning.preferenceKind': noDpo,
  'learning.preferenceBeta': noDpo,
  'learning.preferenceMargin': noDpo,
  'learning.preferenceSmoothing': noDpo,
  'learning.preferenceReference': off(withoutDpo),
  'kl.place': sometimes(({ kl }) => ({
    sets: { [`${actor}.use_kl_loss`]: kl.place === 'loss', 'algorithm.use_kl_in_reward': kl.place === 'reward' },
  })),
  'kl.coef': sometimes(({ kl }) => ({
    sets: { [kl.place === 'loss' ? `${actor}.kl_loss_coef` : 'algorithm.kl_ctrl.kl_coef']: kl.coef },
  })),
  'kl.estimator': sets(({ config }) => ({ [`${actor}.kl_loss_type`]: config.kl.estimator })),
  'kl.isAdaptive': sometimes(({ kl }) => ({
    sets: { 'algorithm.kl_ctrl.type': kl.isAdaptive ? 'adaptive' : 'fixed' },
  })),
  'kl.target': sets(({ config }) => ({ 'algorithm.kl_ctrl.target_kl': config.kl.target })),
  'kl.horizon': sets(({ config }) => ({ 'algorithm.kl_ctrl.horizon': config.kl.horizon })),
  'kl.refreshEvery': off('the reference of verl does not change'),
  'optimiser.learningRate': sets(({ config }) => ({ [`${actor}.optim.lr`]: config.optimiser.learningRate })),
  'optimiser.criticRate': byCritic(({ optimiser }) => ({
    'critic.optim.lr': optimiser.criticRate || optimiser.learningRate,
  })),
  'optimiser.warmupUpdates': sets(({ config }) => ({
    [`${actor}.optim.lr_warmup_steps`]: config.optimiser.warmupUpdates,
  })),
  'optimiser.schedule': sometimes(({ optimiser: { schedule } }) => {
    if (schedule === 'linear') return { lost: 'verl has no linear decay of the learning rate' };
    const lost = schedule === 'cosine' && 'verl lowers the learning rate with every step after the warm-up';
    return { sets: { [`${actor}.optim.lr_scheduler_type`]: schedule }, ...(lost && { lost }) };
  }),
  'optimiser.weightDecay': sets(({ config }) => ({ [`${actor}.optim.weight_decay`]: config.optimiser.weightDecay })),
  'optimiser.beta1': sets(({ config: { optimiser } }) => ({
    [`${actor}.optim.betas`]: [optimiser.beta1, optimiser.beta2],
  })),
  'optimiser.beta2': nothing,
  'optimiser.maxGradNorm': sets(({ config }) => ({ [`${actor}.optim.clip_grad`]: config.optimiser.maxGradNorm })),
  'evaluation.every': sets(({ config }) => ({ 'trainer.test_freq': config.evaluation.every })),
  'run.seed': sets(({ config }) => ({ 'data.seed': config.run.seed, [`${rollout}.seed`]: config.run.seed })),
  'run.iterations': sets(({ config }) => ({ 'trainer.total_training_steps': config.run.iterations })),
  'run.checkpointEvery': sets(({ config }) => ({ 'trainer.save_freq': config.run.checkpointEvery })),
};
