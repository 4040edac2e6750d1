// The counterparts of settings in TRL 1.16, for GRPO and for DPO.
import {
  groupOf,
  groups,
  keptIn,
  lost,
  nothing,
  off,
  ofOneTurn,
  otherLearner,
  promptsAStep,
  sets,
  sometimes,
  type CounterpartTable,
} from '../../../../cli/elsewhere/counterparts.ts';
import type { Config } from '../../../config/schema.ts';
import { facts } from './facts.ts';

/** Number of optimiser steps per iteration. */
const stepsOf = ({ learning }: Config) => learning.updateEpochs * learning.numMinibatches;

const both: CounterpartTable = {
  'agents.parameters': sometimes(({ agents }) =>
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
  ),
  'optimiser.learningRate': sets(({ config }) => ({ learning_rate: config.optimiser.learningRate })),
  'optimiser.warmupUpdates': sets(({ config }) => ({ warmup_steps: config.optimiser.warmupUpdates })),
  'optimiser.schedule': sometimes(({ optimiser: { schedule } }) => ({
    sets: { lr_scheduler_type: schedule === 'constant' ? 'constant_with_warmup' : schedule },
    ...(schedule !== 'constant' && { lost: 'TRL lowers the learning rate with every step after the warm-up' }),
  })),
  'optimiser.weightDecay': sets(({ config }) => ({ weight_decay: config.optimiser.weightDecay })),
  'optimiser.beta1': sets(({ config }) => ({ adam_beta1: config.optimiser.beta1 })),
  'optimiser.beta2': sets(({ config }) => ({ adam_beta2: config.optimiser.beta2 })),
  'optimiser.maxGradNorm': sets(({ config }) => ({ max_grad_norm: config.optimiser.maxGradNorm })),
  'run.seed': sets(({ config }) => ({ seed: config.run.seed })),
  'run.iterations': sets(({ config }) => ({ max_steps: config.run.iterations * stepsOf(config) })),
  'run.checkpointEvery': sets(({ config }) => ({ save_steps: config.run.checkpointEvery * stepsOf(config) })),
};

/** A temperature of SAPO, which TRL reads only with this loss. */
const ofSapo = (name: string, setting: 'gatePositive' | 'gateNegative') =>
  sometimes(({ learning }) => (learning.surrogate === 'sapo' ? { sets: { [name]: learning[setting] } } : {}));

export const grpo: CounterpartTable = {
  ...ofOneTurn,
  ...both,
  'agents.reasonWindow': sets(({ window }) => ({ max_completion_length: window })),
  'agents.temperature': sets(({ config }) => ({ temperature: config.agents.temperature })),
  'agents.maskUnfinished': keptIn('reward.json'),
  'learning.learner': sometimes((config) =>
    config.learning.learner in facts.learners ? {} : { lost: otherLearner(config, 'GRPO') },
  ),
  'learning.ratioLevel': sets(({ config }) => ({
    importance_sampling_level: config.learning.ratioLevel === 'token' ? 'token' : 'sequence',
  })),
  'learning.surrogate': sometimes(({ learning }) => {
    const { surrogate, ratioLevel, aggregation, clipLow } = learning;
    const losses = {
      clipped: [],
      cispo: [
        ...(ratioLevel === 'token' ? [] : ['TRL refuses CISPO with the ratio of a whole completion']),
        ...(aggregation === 'token' ? [] : ['TRL averages CISPO over all tokens']),
        ...(clipLow < 1 ? ['TRL has no lower bound for the weight of CISPO'] : []),
      ],
      gmpo: ['TRL has no GMPO'],
      sapo: aggregation === 'token' || aggregation === 'constant' ? ['TRL averages SAPO over each completion'] : [],
    }[surrogate];
    return losses.length > 0 ? { lost: losses.join('; ') } : {};
  }),
  'learning.gatePositive': ofSapo('sapo_temperature_pos', 'gatePositive'),
  'learning.gateNegative': ofSapo('sapo_temperature_neg', 'gateNegative'),
  'learning.aggregation': sets(({ config: { learning } }) => {
    const means = { token: 'dapo', turn: 'grpo', trajectory: 'grpo', dialogue: 'grpo', constant: 'dr_grpo' };
    const isOwn = learning.surrogate === 'cispo' || learning.surrogate === 'sapo';
    return { loss_type: isOwn ? learning.surrogate : means[learning.aggregation] };
  }),
  'learning.clipLow': sets(({ config }) => ({ epsilon: config.learning.clipLow })),
  // TRL bounds the weight of CISPO by this value itself.
  'learning.clipHigh': sets(({ config: { learning } }) => ({
    epsilon_high: learning.surrogate === 'cispo' ? 1 + learning.clipHigh : learning.clipHigh,
  })),
  'learning.dualClip': sometimes(({ learning: { dualClip, clipHigh, surrogate } }) => ({
    ...(dualClip > 0 && surrogate === 'clipped' && { sets: { delta: dualClip } }),
    ...(dualClip > 0 &&
      dualClip < 1 + clipHigh &&
      surrogate === 'clipped' && {
        lost: 'TRL also limits the ratio of tokens with a positive advantage to this value, although learning.clipHigh allows larger ratios',
      }),
  })),
  'learning.logratioClamp': lost('TRL does not bound it'),
  'learning.groupSize': sometimes((config) => groups(config, true, 'num_generations')),
  'learning.problemsPerIteration': sets((recipe) => ({
    per_device_train_batch_size: promptsAStep(recipe, true) * groupOf(recipe.config, true),
  })),
  'learning.groupStd': sets(({ config }) => ({ scale_rewards: config.learning.groupStd ? 'group' : 'none' })),
  'learning.normAdv': sometimes(({ learning }) => (learning.normAdv ? { lost: 'TRL does not whiten advantages' } : {})),
  'learning.filterGroups': off('TRL draws no new prompts to replace groups whose rewards are equal'),
  'learning.maxGenBatches': lost('it belongs to learning.filterGroups'),
  'learning.updateEpochs': sets(({ config }) => ({ num_iterations: config.learning.updateEpochs })),
  'learning.numMinibatches': sets(({ config }) => ({ steps_per_generation: config.learning.numMinibatches })),
  'learning.entCoef': sets(({ config }) => ({ entropy_coef: config.learning.entCoef })),
  'learning.valueClip': nothing,
  'learning.gamma': nothing,
  'learning.gaeLambda': nothing,
  'learning.pairsFrom': off('pairs.jsonl contains the pairs of the run by reward'),
  'learning.preferenceKind': nothing,
  'learning.preferenceBeta': nothing,
  'learning.preferenceMargin': nothing,
  'learning.preferenceSmoothing': nothing,
  'learning.preferenceReference': off('TRL always compares with the reference'),
  'kl.place': sometimes(({ kl }) => ({
    ...(kl.place !== 'off' && { sets: { beta: kl.coef } }),
    ...(kl.place === 'reward' && { lost: 'TRL adds the KL to the loss' }),
  })),
  'kl.coef': nothing,
  'kl.estimator': sometimes(({ kl }) => (kl.estimator === 'k3' ? {} : { lost: 'TRL estimates it with k3' })),
  'kl.isAdaptive': off('the weight of the KL does not change'),
  'kl.target': lost('the weight of the KL does not change'),
  'kl.horizon': lost('the weight of the KL does not change'),
  'kl.refreshEvery': sometimes((config) => {
    const { refreshEvery, place } = config.kl;
    if (refreshEvery === 0 || place === 'off') return {};
    return {
      sets: { sync_ref_model: true, ref_model_sync_steps: refreshEvery * stepsOf(config), ref_model_mixup_alpha: 1 },
    };
  }),
  'optimiser.criticRate': off('there is no critic'),
  'evaluation.every': sets(({ config }) => ({
    eval_strategy: 'steps',
    eval_steps: config.evaluation.every * stepsOf(config),
    per_device_eval_batch_size: groupOf(config, true),
  })),
};

/**
 * The table for DPO has no entries for settings that are already covered by the table for GRPO, because this table is
 * always written.
 */
export const dpo: CounterpartTable = {
  ...both,
  'agents.reasonWindow': sets(({ window, promptWindow }) => ({ max_length: promptWindow + window })),
  'learning.problemsPerIteration': sets((recipe) => ({ per_device_train_batch_size: promptsAStep(recipe, true) })),
  'learning.preferenceKind': sometimes(({ learning: { preferenceKind: kind } }) => ({
    sets: { loss_type: [kind === 'ipoOfSum' ? 'ipo' : kind === 'simpo' ? 'sigmoid_norm' : kind] },
    ...(kind === 'ipoOfSum' && { lost: 'the IPO loss of TRL uses the mean over tokens' }),
    ...(kind === 'simpo' && { lost: 'the DPOTrainer of TRL has no SimPO; its CPOTrainer has' }),
  })),
  'learning.preferenceBeta': sets(({ config }) => ({ beta: config.learning.preferenceBeta })),
  'learning.preferenceMargin': sometimes(({ learning: { preferenceKind: kind } }) =>
    kind === 'simpo' ? { lost: 'the CPOTrainer of TRL has it, as simpo_gamma' } : {},
  ),
  'learning.preferenceSmoothing': sometimes(({ learning: { preferenceSmoothing: smoothing, preferenceKind: kind } }) =>
    kind === 'robust'
      ? { sets: { label_smoothing: smoothing } }
      : smoothing > 0
        ? { lost: 'the sigmoid loss of TRL ignores label_smoothing, and the losses that use it are different' }
        : {},
  ),
};
