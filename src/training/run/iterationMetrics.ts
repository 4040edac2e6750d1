// Computes the metrics of one iteration, under the names in `records/metrics.ts`.
import { placesByKey } from '../../base/groups.ts';
import { mean } from '../../base/stats.ts';
import { ownTurns, trunksOf } from '../../records/branch.ts';
import type { Role } from '../../records/ids.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import { setsOf, type Trajectory, type Turn } from '../../records/trajectory.ts';
import type { Explained } from '../critics/explained.ts';
import type { MixingReport } from '../critics/mixingLearning.ts';
import { copiedShares, emptyShare, leakedShare, repeatedShare, unansweredShare } from '../maths/messageFaults.ts';
import type { Advantages } from '../learners/learner.ts';
import { stage } from '../stages/stage.ts';
import type { VerifierReport } from '../verifier/trainedVerifier.ts';
import { updateMetricNames, type UpdateMetrics } from '../update/update.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    metrics: IterationMetrics;
  }
}

export interface IterationFacts {
  iteration: number;
  trajectories: readonly Trajectory[];
  /** The agents that plan but do not give answers themselves. */
  planners?: readonly number[];
  updates: readonly UpdateMetrics[];
  learningRate: number;
  groups: Advantages['groups'] | null;
  explained: Explained | null;
  /** The metrics of the mixing critic. */
  mixed?: Pick<MixingReport, 'values'> | null;
  /** Mean entropy of each role's tokens before the update. */
  entropyByRole: Partial<Record<Role, number>>;
  refKl: number;
  /** Mean causal influence of turns; null if no agent answers another. */
  influence?: number | null;
  /**
   * The correlation between the advantages and the true values of messages; absent if the true values were not
   * measured.
   */
  fidelity?: number;
  /** The agreement: how often the agents would choose the same token; absent if the agreement was not measured. */
  agreement?: number;
  klCoef: number | null;
  rolloutMs: number;
  updateMs: number;
  /** The metrics of the verifier. */
  verified?: VerifierReport | null;
}

/** The mean of −log p over the sampled tokens of each role, which is an unbiased estimate of the entropy. */
function entropyByRole(trajectories: readonly Trajectory[]): Partial<Record<Role, number>> {
  const out: Partial<Record<Role, number>> = {};
  const turns = trajectories.flatMap(ownTurns);
  for (const role of new Set(turns.map((turn) => turn.role))) {
    out[role] = -mean(turns.filter((turn) => turn.role === role).flatMap(({ logprobs }) => logprobs));
  }
  return out;
}

/** The accuracy for each world and level, if the problems come from several worlds or levels. */
function rightByPlace(trajectories: readonly Trajectory[]): Record<string, number> {
  const places = placesByKey(trajectories.map(({ problem: { world, level } }) => `${world} ${level}`));
  if (places.size < 2) return {};
  const right = (at: number) => (trajectories[at]?.isRight ? 1 : 0);
  return Object.fromEntries(
    [...places].map(([place, own]) => [`charts/training_accuracy/${place}`, mean(own.map(right))]),
  );
}

/** The number of different texts, divided by the number of turns. */
const distinct = (turns: readonly Turn[]) => new Set(turns.map(({ text }) => text)).size / Math.max(1, turns.length);

/**
 * The share of pairs of simultaneous messages that have the same text. The metric is omitted if no agents speak
 * simultaneously.
 */
function agreement(trajectories: readonly Trajectory[]): Record<string, number> {
  const pairs = trajectories.flatMap(({ turns }) =>
    setsOf(turns).flatMap((set) => pairsOf(set.map(({ text }) => text))),
  );
  if (pairs.length === 0) return {};
  return { 'charts/agreement': mean(pairs.map(([one, other]) => (one === other ? 1 : 0))) };
}

const pairsOf = (texts: readonly string[]) =>
  texts.flatMap((one, i) => texts.slice(i + 1).map((other): [string, string] => [one, other]));

/** The faults of the dialogues, overall and for each role. */
function messageFaults(trajectories: readonly Trajectory[], planners: readonly number[]): Record<string, number> {
  const leaked = leakedShare(trajectories, planners);
  const out: Record<string, number> = {
    'charts/unanswered': unansweredShare(trajectories),
    ...(leaked !== undefined && { 'charts/leaked_answer': leaked }),
  };
  const turns = trajectories.flatMap((one) => {
    const copied = copiedShares(one.turns);
    return one.turns.map((turn, t) => ({ turn, copied: copied[t] ?? null }));
  });
  for (const role of ['', ...new Set(turns.map(({ turn }) => turn.role))]) {
    const own = turns.filter(({ turn }) => role === '' || turn.role === role);
    const copied = own.flatMap((one) => one.copied ?? []);
    out[`charts/empty_turns${role && `/${role}`}`] = emptyShare(own.map(({ turn }) => turn));
    out[`charts/repeated${role && `/${role}`}`] = mean(own.map(({ turn }) => repeatedShare(turn.text)));
    if (copied.length > 0) out[`charts/copied${role && `/${role}`}`] = mean(copied);
  }
  return out;
}

/** Each part of the reward, averaged over the turns of a role. */
function rewardsByPart(turns: readonly Turn[]): Record<string, number> {
  const out: Record<string, number> = {};
  for (const role of new Set(turns.map((turn) => turn.role))) {
    const own = turns.filter((turn) => turn.role === role);
    for (const part of new Set(own.flatMap(({ parts }) => Object.keys(parts)))) {
      out[`rewards/${part}/${role}`] = mean(own.map(({ parts }) => parts[part] ?? 0));
    }
  }
  return out;
}

/** All metrics of an iteration. Metrics that do not apply are omitted. */
export function iterationMetrics(facts: IterationFacts): IterationMetrics {
  const { updates } = facts;
  const trajectories = trunksOf(facts.trajectories);
  const share = (is: (t: Trajectory) => boolean) => mean(trajectories.map((t) => (is(t) ? 1 : 0)));
  const turns = trajectories.flatMap((trajectory) => trajectory.turns);
  const count = (of: typeof turns) => of.reduce((sum, turn) => sum + turn.tokens.length, 0);
  const tokens = count(turns);
  const sampled = count(facts.trajectories.flatMap(ownTurns));
  const values: Record<string, number> = {
    'charts/episodic_return': mean(trajectories.map(({ reward }) => reward)),
    'charts/training_accuracy': share(({ isRight }) => isRight),
    ...rightByPlace(trajectories),
    ...agreement(trajectories),
    ...messageFaults(trajectories, facts.planners ?? []),
    'charts/learning_rate': facts.learningRate,
    'charts/SPS': sampled / Math.max(1e-3, (facts.rolloutMs + facts.updateMs) / 1000),
    'charts/tokens_per_turn': tokens / Math.max(1, turns.length),
    'charts/distinct_messages': distinct(turns),
    'charts/turns': turns.length / Math.max(1, trajectories.length),
    'charts/finished': share(({ finishCode }) => finishCode === 0),
    'charts/truncated': share((trajectory) => trajectory.turns.some(({ isTruncated }) => isTruncated)),
    'time/rollout': facts.rolloutMs,
    'time/update': facts.updateMs,
  };
  if (facts.groups) {
    values['charts/dead_groups'] = facts.groups.deadShare;
    values['charts/lone_members'] = facts.groups.loneMembers;
    if (facts.groups.mixedShare !== undefined) values['charts/mixed_groups'] = facts.groups.mixedShare;
  }
  for (const name of updateMetricNames) values[name] = mean(updates.map((update) => update[name]));
  for (const role of new Set(turns.map((turn) => turn.role))) {
    const own = turns.filter((turn) => turn.role === role);
    values[`charts/tokens_per_turn/${role}`] = mean(own.map((turn) => turn.tokens.length));
    values[`charts/distinct_messages/${role}`] = distinct(own);
  }
  Object.assign(values, rewardsByPart(turns));
  for (const [role, entropy] of Object.entries(facts.entropyByRole)) values[`losses/entropy/${role}`] = entropy;
  for (const [role, share] of [['', facts.explained?.all], ...Object.entries(facts.explained?.byRole ?? {})] as const)
    // If all returns are equal, there is no variance to explain, so the metric is omitted.
    if (share !== undefined && Number.isFinite(share)) values[`losses/explained_variance${role && `/${role}`}`] = share;
  Object.assign(values, facts.mixed?.values);
  values['losses/ref_kl'] = facts.refKl;
  if (facts.influence != null) values['charts/causal_influence'] = facts.influence;
  if (facts.fidelity !== undefined) values['charts/credit_fidelity'] = facts.fidelity;
  if (facts.agreement !== undefined) values['charts/policy_agreement'] = facts.agreement;
  if (facts.klCoef !== null) values['losses/kl_coef'] = facts.klCoef;
  const { verified } = facts;
  if (!verified) return { iteration: facts.iteration, values };
  return { iteration: facts.iteration, values: { ...values, ...verified.values }, reliability: verified.reliability };
}

/** Reports the value loss of separate critics, which have their own optimiser steps. */
function withValueLoss(updates: readonly UpdateMetrics[], criticSteps: readonly UpdateMetrics[]): UpdateMetrics[] {
  if (criticSteps.length === 0) return [...updates];
  const valueLoss = mean(criticSteps.map((step) => step['losses/value_loss']));
  return updates.map((update) => ({ ...update, 'losses/value_loss': valueLoss }));
}

/**
 * The agents that plan but do not give answers themselves. With fresh contexts there are no such agents, because their
 * messages are notes and not plans.
 */
const plannersOf = ({ hasSteps, context, messengers }: Protocol) => (hasSteps && !context ? messengers : []);

export const metricsStage = stage({
  name: 'metrics',
  phase: 'count',
  reads: ['paid', 'before', 'estimate', 'stepSize', 'updates'],
  run: (context) => {
    const { team, config, iteration, phaseMs, paid, before, estimate, stepSize, updates, criticSteps = [] } = context;
    const { explained = null, mixed = null, influence = null, verified = null, fidelity, agreement } = context;
    const { trajectories } = paid;
    const metrics = iterationMetrics({
      iteration: iteration + 1,
      trajectories,
      planners: plannersOf(team.protocol),
      updates: withValueLoss(updates, criticSteps),
      learningRate: stepSize,
      groups: estimate.groups ?? null,
      explained,
      mixed,
      entropyByRole: entropyByRole(trajectories),
      refKl: before.refKl,
      influence,
      ...(fidelity !== undefined && { fidelity }),
      ...(agreement !== undefined && { agreement }),
      klCoef: config.kl.place === 'off' ? null : context.klCoef,
      rolloutMs: phaseMs.collect,
      updateMs: phaseMs.score + phaseMs.appraise + phaseMs.estimate + phaseMs.measure + phaseMs.order + phaseMs.update,
      verified,
    });
    return { metrics };
  },
});
