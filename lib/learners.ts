// `cothink/learners`: advantages, rewards and losses of the published learners as functions on arrays, in 64-bit
// arithmetic and without a tensor library. Tests compare them with the kernels that train, and with the real code of
// verl, TRL, OpenRLHF and others. Rows are [B][T]: row b contains what one agent said in one dialogue.
import type { Aggregation, KlEstimator, RatioLevel, Surrogate, TurnMean } from '../src/config/names.ts';
import { usualForm } from '../src/config/learners/facts.ts';
import { learnerFacts, learnerNames, type LearnerName } from '../src/config/learners/registry.ts';
import type { PreferenceKind } from '../src/config/names.ts';
import type { PolicyOptions } from '../src/training/maths/loss.ts';
import { referenceDpo } from '../src/training/reference/judgement.ts';
import {
  referenceKl,
  referencePolicyLoss,
  referenceValueLoss,
  type Matrix,
  type PolicyRows,
} from '../src/training/reference/policy.ts';

export * from './errors.ts';
export {
  bestOfGroupAdvantage,
  gae,
  groupAdvantage,
  groupKey,
  isDead,
  jointAdvantage,
  lengthWeightedAdvantage,
  looAdvantage,
  reinforcePlusPlus,
  returnsToGo,
  whiten,
} from '../src/training/maths/advantage.ts';
export {
  causalInfluence,
  confidenceGain,
  influenceAwareReward,
  influenceBonus,
  potentialShaping,
} from '../src/training/maths/credit.ts';
export { happoAdvantages, happoWeights } from '../src/training/maths/happoWeights.ts';
export { mixedAdvantage } from '../src/training/maths/mixedAdvantage.ts';
export { majorityAtK, passAtK } from '../src/training/maths/manyAnswers.ts';
export { learnerNames };
export type { PolicyOptions, PolicyRows };
export type { Aggregation, KlEstimator, LearnerName, Matrix, RatioLevel, Surrogate, TurnMean };

/** The label of a learner, its paper, and the settings of its published form by their paths. */
export function publishedForm(name: LearnerName): { label: string; paper: string; settings: Record<string, unknown> } {
  const { label, paper, published } = learnerFacts[name];
  return { label, paper, settings: { ...usualForm, ...published } };
}

export interface PolicyLoss {
  loss: number;
  /** [B][T] the ratio of each token; 1 where the mask is 0. */
  ratio: Matrix;
  /** [B][T] which side of the minimum counts: 0 unclipped, 1 clipped, 2 dual clip. */
  side: Matrix;
  /** The shares of clipped ratios and of ratios beyond the dual clip. */
  clipFraction: number;
  dualClipFraction: number;
}

/**
 * The policy loss of PPO (1707.06347) with dual clip (1912.09729), or of CISPO, SAPO and GMPO, with the ratio at any level
 * and any aggregation. The loss is to be minimised.
 */
export function policyLoss(rows: PolicyRows, options: PolicyOptions): PolicyLoss {
  const { loss, ratio, won, clipFraction, dualClipFraction } = referencePolicyLoss(rows, options);
  return { loss, ratio, side: won, clipFraction, dualClipFraction };
}

/** The clipped value loss: the mean of max((v − R)², (v_old + clip(v − v_old, ±valueClip) − R)²)/2. */
export const valueLoss = (
  rows: { values: Matrix; oldValues: Matrix; returns: Matrix; actionMask: Matrix },
  { valueClip }: { valueClip: number },
): number => referenceValueLoss(rows, valueClip).loss;

/** The KL estimate of one token, from its log-probability under the policy and under the reference, in nats. */
export const klEstimate = (logprob: number, refLogprob: number, estimator: KlEstimator): number =>
  referenceKl(logprob, refLogprob, estimator);

export interface PreferenceLossOptions {
  kind: PreferenceKind;
  /** How strongly the policy is kept near the reference, above 0. */
  beta: number;
  /** The assumed share of swapped pairs, in [0, 0.5); for `sigmoid` and `robust`. */
  smoothing?: number;
  /** The target margin of `simpo`. */
  margin?: number;
}

/**
 * The mean preference loss (DPO 2305.18290 and its variants) over pairs. `deltas` contains one number for each pair, in
 * nats: log π/π_ref of the preferred completion minus that of the other one; for `ipo` and `simpo` these are means per
 * token, and for `simpo` without a reference.
 */
export const preferenceLoss = (
  deltas: number[],
  { kind, beta, smoothing = 0, margin = 0 }: PreferenceLossOptions,
): number => referenceDpo(deltas, { kind, beta, smoothing, margin }).loss;
