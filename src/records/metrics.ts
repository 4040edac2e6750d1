// The table of all metrics, with name, label, formula and source. If CleanRL has the same metric, it has the same name
// here. The names of metrics of one role end in `/metaThinking` or `/reasoning`, and the names of metrics of one world
// and level end in `/WORLD LEVEL`. Metrics of one part of the reward are called `rewards/PART/ROLE`.
import * as v from 'valibot';
import { whole } from './problem.ts';
import { profileSchema } from './profile.ts';
import { anyNumber } from './trajectory.ts';
import { reliabilitySchema } from './verifier.ts';

export interface MetricNotes {
  name: string;
  label: string;
  formula: string;
  source: string;
  /** The unit; absent for a share, a count, or another number without a unit. */
  unit?: string;
  /** Whether the metric is also recorded for each role, under the name `name/role`. */
  isPerRole?: boolean;
  /**
   * Whether the metric is also recorded for each world and level, under the name `name/world level`, if training
   * problems are drawn from more than one.
   */
  isPerPlace?: boolean;
}

export const metricTable = [
  {
    name: 'charts/episodic_return',
    label: 'Mean reward',
    formula: 'mean reward R per trajectory',
    source: 'CleanRL',
  },
  {
    name: 'charts/training_accuracy',
    label: 'Right in training',
    formula: 'share of sampled trajectories that are right',
    source: 'Cothink',
    isPerPlace: true,
  },
  { name: 'charts/learning_rate', label: 'Learning rate', formula: 'AdamW step size after warm-up', source: 'CleanRL' },
  {
    name: 'charts/SPS',
    label: 'Tokens per second',
    formula: 'number of sampled tokens / duration of the iteration in seconds',
    source: 'CleanRL (steps a second)',
    unit: 'token/s',
  },
  {
    name: 'charts/tokens_per_turn',
    label: 'Tokens per turn',
    formula: 'mean number of sampled tokens per turn',
    source: 'ReMA',
    unit: 'token',
    isPerRole: true,
  },
  {
    name: 'charts/distinct_messages',
    label: 'Distinct messages',
    formula: 'different texts / turns',
    source: 'Cothink',
    isPerRole: true,
  },
  {
    name: 'charts/agreement',
    label: 'Agreement',
    formula: 'share of pairs of simultaneous turns whose two texts are the same',
    source: 'Cothink',
  },
  {
    name: 'charts/policy_agreement',
    label: 'Agreement of policies',
    formula: 'share of sampled tokens at which the most likely token is the same for another agent as for the speaker',
    source: 'Cothink',
  },
  { name: 'charts/turns', label: 'Turns', formula: 'mean number of turns K per trajectory', source: 'ReMA' },
  {
    name: 'charts/finished',
    label: 'Finished',
    formula: 'share of trajectories that finished properly (finish code 0)',
    source: 'ReMA',
  },
  {
    name: 'charts/truncated',
    label: 'Cut',
    formula: 'share of trajectories with a turn that filled its window',
    source: 'ReMA',
  },
  {
    name: 'charts/dead_groups',
    label: 'Dead groups',
    formula: 'share of groups that have several members and in which all advantages are 0',
    source: 'DAPO',
  },
  {
    name: 'charts/empty_turns',
    label: 'Empty turns',
    formula: 'share of turns that contain no text and do not end the dialogue',
    source: 'Cothink',
    isPerRole: true,
  },
  {
    name: 'charts/copied',
    label: 'Copied words',
    formula:
      'mean over turns of the length of the longest word sequence that also occurs in an earlier turn of another agent, divided by the number of words in the turn',
    source: 'Cothink',
    isPerRole: true,
  },
  {
    name: 'charts/repeated',
    label: 'Repeated words',
    formula: 'mean over turns of the share of words that end a sequence of three words which the turn already contains',
    source: 'Cothink',
    isPerRole: true,
  },
  {
    name: 'charts/leaked_answer',
    label: 'Leaked answers',
    formula:
      'share of dialogues in which a plan contains the right answer, minus the share in which a plan contains the answer to another problem of the iteration (mean over all other problems)',
    source: 'Cothink',
  },
  {
    name: 'charts/unanswered',
    label: 'Finished unanswered',
    formula: 'share of trajectories that finished properly (finish code 0) although nobody gave an answer',
    source: 'Cothink',
  },
  {
    name: 'charts/mixed_groups',
    label: 'Mixed groups',
    formula:
      '(1 − α) times the share of groups in which the compared turns followed different messages; α = weight of the outcome in the advantage',
    source: 'AT-GRPO',
  },
  {
    name: 'charts/rows_left_out',
    label: 'Rows left out',
    formula:
      'share of rows (one agent’s part of a dialogue each) without any gradient, averaged over updates; the update, the entropy, the KL and the shares of clipped ratios do not include these rows',
    source: 'Cothink',
  },
  {
    name: 'charts/lone_members',
    label: 'Lone members',
    formula: 'number of groups with only one member, which cannot be compared with any other',
    source: 'AT-GRPO',
  },
  {
    name: 'charts/causal_influence',
    label: 'Causal influence',
    formula:
      'mean over turns of the increase in log-probability, in nats per token, that a turn causes in the next turns of the agents that heard this turn; if influence is not rewarded, the mean is over 8 dialogues only',
    source: 'Dr. MAMR',
    unit: 'nat/token',
  },
  {
    name: 'charts/credit_fidelity',
    label: 'Credit fidelity',
    formula:
      'mean over groups of Spearman’s ρ between the advantages of messages and their worth V(c + m) − V(c), where V is the mean reward of sampled continuations of the context c with or without the message m',
    source: 'Cothink; C3 2603.06859',
  },
  {
    name: 'losses/policy_loss',
    label: 'Policy loss',
    formula: 'max(−A·r, −A·clip(r)), aggregated over tokens and averaged over updates',
    source: 'PPO',
  },
  {
    name: 'losses/value_loss',
    label: 'Value loss',
    formula:
      'mean of max((v − R)², (clipped v − R)²) / 2; for critics with their own networks, whose values are not clipped, mean of (v − R)² / 2',
    source: 'PPO',
  },
  {
    name: 'losses/entropy',
    label: 'Entropy',
    formula:
      'mean over action tokens of −Σ p log p; the entropy of each role is estimated by the mean of −log p of the sampled tokens',
    source: 'CleanRL',
    unit: 'nat/token',
    isPerRole: true,
  },
  {
    name: 'losses/approx_kl',
    label: 'KL of the update',
    formula: 'mean over tokens of (ratio − 1) − log(ratio)',
    source: 'CleanRL',
    unit: 'nat/token',
  },
  {
    name: 'losses/ref_kl',
    label: 'KL to the warm start',
    formula:
      'mean k3 estimate of the KL to the reference over sampled tokens; if training does not use the KL, over 64 rows only',
    source: 'GRPO',
    unit: 'nat/token',
  },
  {
    name: 'losses/clipfrac',
    label: 'Clipped',
    formula:
      'share of ratios (of tokens, turns or dialogues) for which the clipped term determined the loss; with CISPO, the share that was limited',
    source: 'CleanRL',
  },
  {
    name: 'losses/dual_clipfrac',
    label: 'Dual-clipped',
    formula: 'share of ratios (of tokens, turns or dialogues) for which the dual clip determined the loss',
    source: 'Ye et al.',
  },
  {
    name: 'losses/grad_norm',
    label: 'Gradient norm',
    formula: 'global norm of the gradient before clipping',
    source: 'CleanRL',
  },
  {
    name: 'losses/explained_variance',
    label: 'Explained variance',
    formula:
      '1 − Var(R − V)/Var(R), computed before the critic learns from the iteration; R = the discounted return, V = the critic’s prediction',
    source: 'CleanRL',
    isPerRole: true,
  },
  {
    name: 'losses/mixing_loss',
    label: 'Mixing loss',
    formula:
      'mean over critic steps of (Q_tot − r − γ·Q_tot⁻ of the next round)² / 2, where Q_tot⁻ is the value of the target network',
    source: 'QMIX',
  },
  {
    name: 'losses/mixing_explained_variance',
    label: 'Explained variance, mixing critic',
    formula:
      '1 − Var(G − Q_tot)/Var(G) over rounds that the critic has not learned from; G = the team’s discounted return from that round on',
    source: 'Cothink',
  },
  { name: 'losses/kl_coef', label: 'KL weight', formula: 'β, after adaptation', source: 'Ziegler et al.' },
  {
    name: 'charts/verifier_auc',
    label: 'Verifier AUC',
    formula:
      'probability that a right answer of this iteration scores higher than a wrong answer, before the verifier learns from these answers',
    source: 'MAPoRL',
  },
  {
    name: 'charts/verifier_auc_within',
    label: 'Verifier AUC within a question',
    formula: 'probability that a right answer scores higher than a wrong answer to the same question',
    source: 'Cothink',
  },
  {
    name: 'charts/verifier_calibration_error',
    label: 'Calibration error',
    formula:
      'mean of |mean score − share of right answers| over ten bins of scores, weighted by the number of answers in each bin',
    source: 'Naeini et al. 2015',
  },
  {
    name: 'losses/verifier',
    label: 'Verifier loss, unseen',
    formula:
      'mean cross-entropy of the scores of this iteration’s answers, before the verifier learns from these answers',
    source: 'MAPoRL',
    unit: 'nat',
  },
  {
    name: 'losses/verifier_training',
    label: 'Verifier loss, training',
    formula: 'mean cross-entropy over all tokens of the answers and all optimiser steps of the verifier',
    source: 'MAPoRL',
    unit: 'nat',
  },
  {
    name: 'rewards',
    label: 'Earned',
    formula: 'for each part of the reward and each role: mean unweighted score of the part per turn',
    source: 'Cothink',
  },
  {
    name: 'time/rollout',
    label: 'Rollout',
    formula: 'duration of collecting the rollouts, in milliseconds',
    source: 'Cothink',
    unit: 'ms',
  },
  {
    name: 'time/update',
    label: 'Update',
    formula: 'duration of all updates, in milliseconds',
    source: 'Cothink',
    unit: 'ms',
  },
] as const satisfies readonly MetricNotes[];

export type MetricName = (typeof metricTable)[number]['name'];

export const metricsSchema = v.object({
  iteration: whole,
  /**
   * The values, by the name of the metric. The names are `name/role` for a role, `name/world level` for a world and
   * level, and `rewards/part/role` for a part of the reward.
   */
  values: v.record(v.string(), anyNumber),
  /**
   * The profile of the iteration, which is added after all work of the iteration is done; absent in runs of early
   * versions.
   */
  profile: v.optional(profileSchema),
  /** The reliability of the verifier; absent if there is none. */
  reliability: v.optional(reliabilitySchema),
});
export type IterationMetrics = v.InferOutput<typeof metricsSchema>;

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1));

/**
 * The accuracy on the problems of one split (held-out or harder) of a world and level. The world must have the same
 * vocabulary as the run.
 */
const placeSchema = v.object({
  world: v.string(),
  level: whole,
  split: v.picklist(['heldOut', 'harder']),
  accuracy: share,
  /** 95 % Wilson interval. */
  low: share,
  high: share,
  problems: whole,
  /** The ceiling for these problems, as in `Evaluation.ceiling`; absent for problems of the harder split. */
  ceiling: v.exactOptional(share),
});
export type PlaceMeasured = v.InferOutput<typeof placeSchema>;

/** The maximum number of answers for each problem in a measurement of pass@k and maj@k. */
export const answersAtMost = 16;

/**
 * pass@k and maj@k of k answers to a problem: the share of problems for which at least one answer is right, and the
 * share for which the most frequent one is right.
 */
const answersSchema = v.object({
  k: whole,
  pass: share,
  majority: share,
  /** Half the width of a 95 % confidence interval over problems. */
  passError: v.pipe(v.number(), v.minValue(0)),
  majorityError: v.pipe(v.number(), v.minValue(0)),
});
export type AnswersMeasured = v.InferOutput<typeof answersSchema>;

/** The results of a measurement with several answers, for the problems of one slice or for all problems. */
const answersOfSchema = v.object({
  slice: v.nullable(v.string()),
  problems: whole,
  /** The results for each k, in ascending order of k. */
  at: v.array(answersSchema),
});
export type AnswersOf = v.InferOutput<typeof answersOfSchema>;

/** A measurement that is made in addition to the usual measurement on the held-out problems. */
export type Beside = 'everywhere' | 'answers' | 'lowTemperature' | null;

/**
 * The temperature of near-greedy sampling. If a team is right at this temperature but often wrong at temperature 1, its
 * most likely messages are right, but their probability is still low.
 */
export const lowTemperature = 0.1;

/** The result of a measurement on the fixed held-out problems, sampled at temperature 1. */
export const evaluationSchema = v.object({
  /** The number of iterations done before the measurement; 0 is the warm start. */
  iteration: whole,
  accuracy: share,
  /** 95 % Wilson interval. */
  low: share,
  high: share,
  problems: whole,
  /** The accuracy on each slice of the problems. */
  bySlice: v.record(v.string(), v.number()),
  /**
   * For each problem in order, a bit that states whether it was answered correctly (base/bits.ts); absent in
   * evaluations of earlier versions.
   */
  right: v.exactOptional(v.pipe(v.string(), v.hexadecimal())),
  /** Accuracy on the same problems when the plan is hidden from the reasoner; absent if there is no planner. */
  maskedMessage: v.optional(share),
  /** The best possible accuracy if agents exchange no messages, which the world computes. */
  ceiling: share,
  /**
   * The accuracy of the team on other problems, in the order of world, level and split; absent if it was not measured.
   */
  places: v.exactOptional(v.array(placeSchema)),
  /**
   * The results with several answers for each problem: first over all problems, then for each slice; absent if they
   * were not measured.
   */
  answers: v.exactOptional(v.array(answersOfSchema)),
  /**
   * Accuracy on the same problems sampled at `lowTemperature`, with the 95 % Wilson interval; absent if it was not
   * measured.
   */
  atLowTemperature: v.exactOptional(v.object({ accuracy: share, low: share, high: share })),
});
export type Evaluation = v.InferOutput<typeof evaluationSchema>;
