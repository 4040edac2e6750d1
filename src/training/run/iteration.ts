// One iteration, top to bottom: collect, look back, credit, update, inspect, count.

import { mean } from '../../base/stats.ts';
import { NumericsError } from '../../base/errors.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { ParameterTree } from '../../model/network/parameters.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { turnPolicy } from '../../model/decoding/turnPolicy.ts';
import { ownTurns, trunksOf } from '../../records/branch.ts';
import type { Role } from '../../records/ids.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { Policy } from '../../records/policy.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { whiten } from '../maths/advantage.ts';
import { collectRollouts, type Paid } from '../collect/collect.ts';
import { influenceAppraisers, watchInfluence } from '../collect/influencePass.ts';
import { inspectGroup } from '../inspect/inspect.ts';
import { iterationMetrics } from './iterationMetrics.ts';
import { jointlyExplained, rememberedRows, updateCritic } from '../critics/jointCritic.ts';
import { adaptKlCoef } from '../maths/kl.ts';
import { explainedVariance } from '../maths/loss.ts';
import type { Advantages } from '../learners/learner.ts';
import { learners } from '../learners/registry.ts';
import { learnElsewhere, learnsElsewhere } from './learnElsewhere.ts';
import { lookBack, referenceOf, usesReference, type LookBack } from './lookBack.ts';
import type { Learning } from './learning.ts';
import { talkMemory } from '../rows/memory.ts';
import { learnMixing } from '../critics/mixingLearning.ts';
import type { Network } from '../team/network.ts';
import { cutObjective, rowsToLearn } from '../update/objectives.ts';
import { refreshReferences } from './referenceRefresh.ts';
import { actionCount, buildRows, selectRows, type RowBatch } from '../rows/rows.ts';
import { saidBy } from '../rows/saidBy.ts';
import { SequentialUpdates } from '../update/sequentialUpdates.ts';
import { teamAt, type Team } from '../team/team.ts';
import { learnToVerify, verifierInTalk } from '../verifier/trainedVerifier.ts';
import { learningRate, updateNetwork, type UpdateMetrics } from '../update/update.ts';

export interface IterationResult {
  metrics: IterationMetrics;
  trajectories: Trajectory[];
  shown: GroupInspection;
  sampledTokens: number;
}

/** The policies of all agents, in order. */
export function agentPolicies({ team, networks, rooms }: Pick<Learning, 'team' | 'networks' | 'rooms'>): Policy[] {
  const policyOf = (n: number) => {
    const network = networks[n] as Network;
    return decodingPolicy(network.tree, team.shapes[n] as ModelShape, rooms, talkMemory(team, network));
  };
  return team.networkOf.map((ofRounds) => {
    const [first, ...others] = [...new Set(ofRounds)].map(policyOf) as [Policy, ...Policy[]];
    return others.length > 0 ? turnPolicy([first, ...others]) : first;
  });
}

/** Networks that learn in this iteration: all, or those of one agent where agents alternate; never those of frozen agents. */
export function learningNetworks({ config, networkOf }: Team, iteration: number): number[] {
  const all = [...new Set(networkOf.flat())];
  const { switchEvery, startAgent, frozen } = config.learning;
  const free = all.filter((n) => !networkOf.some((own, agent) => own.includes(n) && frozen.includes(agent)));
  if (switchEvery === 0 || all.length === 1) return free;
  // Those who only speak are passed over.
  const turns = networkOf.map((_, i) => networkOf[(startAgent + i) % networkOf.length] as number[]);
  const taking = turns.filter((own) => own.some((n) => free.includes(n)));
  return [...new Set(taking[Math.floor(iteration / switchEvery) % taking.length])];
}

/** Runs iteration number `iteration` (from 0). Throws NumericsError at a loss that is not finite. */
export async function runIteration(
  learning: Learning,
  iteration: number,
  onTurn: (trajectories: readonly Trajectory[]) => Promise<void>,
): Promise<IterationResult> {
  // A setting changed on the way acts from the next iteration on.
  const { klCoef, ledger, pairs = [] } = learning;
  const team = teamAt(learning.team, iteration);
  ledger?.enter('rollout');
  const started = performance.now();
  const policies = agentPolicies({ ...learning, team });
  const heard = verifierInTalk(learning.verifier, { team, gate: learning.gate });
  const appraisers = [...(heard.appraisers ?? []), ...influenceAppraisers({ ...learning, team })];
  const paid = await collectRollouts(team, { policies, iteration, onTurn, ...heard, appraisers });
  const collected = performance.now();

  ledger?.enter('scoring');
  const agents = team.protocol.roles.map((_, agent) => agent);
  const batch = buildRows(paid.trajectories, agents, team.tokens);
  const look = await lookBack({ ...learning, team, klCoef }, batch, paid.trajectories);
  const group = shownGroup(trunksOf(paid.trajectories));
  const influence = await watchInfluence({ ...learning, team }, trunksOf(paid.trajectories), group);
  ledger?.enter('update');
  const mixed = await learnMixing({ ...learning, team }, paid, iteration);
  const given = {
    config: team.config,
    trajectories: paid.trajectories,
    rewards: paid.rewards,
    batch,
    tokenCharge: look.tokenCharge,
    values: look.values,
    ...(look.joint && { joint: { values: look.joint.ofTurn } }),
    ...(mixed?.q && { mixed: { q: mixed.q } }),
  };
  const learner = learners[team.config.learning.learner];
  const credit = learner.advantages(given);
  const advantages = team.config.learning.normAdv ? whitened(credit.advantages, batch) : credit.advantages;
  const { trajectories } = paid;
  const sequence = learner.isSequential
    ? new SequentialUpdates(team, iteration, { trajectories, batch, advantages })
    : null;
  const due =
    sequence?.order.flatMap((agent) => [...new Set(team.networkOf[agent])]) ?? learningNetworks(team, iteration);
  // Where something else is learned from, nothing is from what was said.
  const learningNow = learnsElsewhere(team) ? [] : due;
  // What the update multiplies with: of a sequence, each agent's when its turn has come.
  const used = sequence ? new Float32Array(advantages.length) : advantages;
  const rate = learningRate(team.config, learning.networks[due[0] as number]?.updates ?? 0);
  const updates: UpdateMetrics[] = [];
  for (const n of learningNow) {
    const said = saidBy(n, team, { batch, trajectories });
    const own = rowsToLearn(credit.objective, batch, said.own);
    const [agent = 0] = team.agentsOf[n] as number[];
    if (team.networkOf[agent]?.[0] === n)
      sequence?.weightsOf(agent).forEach((weight, at) => weight !== 0 && (used[at] = weight));
    if (own.length === 0) continue;
    const cut = selectRows(said.batch, own, {
      advantages: used,
      ...(credit.returns.length > 0 && { returns: credit.returns, oldValues: look.values }),
      ...((team.config.kl.place === 'loss' || usesReference(team.config)) && { refLogprobs: look.refLogprobs }),
    });
    const empty = new Float32Array(0);
    const facts = { returns: empty, oldValues: empty, refLogprobs: empty, ...cut.columns };
    const taken = await updateNetwork(learning.networks[n] as Network, cut.batch, facts, {
      config: team.config,
      iteration,
      gate: learning.gate,
      klCoef: team.config.kl.place === 'loss' ? klCoef : 0,
      maxActionTokens: team.maxActionTokens,
      ...(credit.objective && { objective: cutObjective(credit.objective, own) }),
    });
    await sequence?.note(agent, learning.networks[n] as Network, {
      rows: cut.batch,
      temperature: team.config.agents.temperature,
      gate: learning.gate,
    });
    updates.push(...taken);
    ledger?.count({ trained: trainedTokens(cut.batch, taken.length, team.config.learning.numMinibatches) });
  }
  if (learnsElsewhere(team)) {
    const given = { ...learning, team, pairs, learning: due };
    updates.push(...(await learnElsewhere(given, iteration)));
  }
  const criticSteps = await learnJointly(learning, look, { credit, iteration, team });
  const verified = await learnToVerify(learning.verifier, trajectories, { team, iteration, gate: learning.gate });
  const updated = performance.now();
  ledger?.enter('scoring');
  refuseNonFinite([...updates, ...criticSteps], iteration);
  adapt(learning, look.meanCharge, paid);

  const shown = await inspectGroup({
    team,
    config: team.config,
    iteration: iteration + 1,
    group,
    trajectories: paid.trajectories,
    batch,
    advantages: used,
    networks: learning.networks,
    references: learning.networks.map((_, n) => referenceOf(learning, n) as ParameterTree),
    credit: {
      collected: given,
      raw: credit.advantages,
      learning: learningNow,
      objective: credit.objective,
      returns: credit.returns,
    },
  });
  const metrics = iterationMetrics({
    iteration: iteration + 1,
    trajectories: paid.trajectories,
    updates: withValueLoss(updates, criticSteps),
    learningRate: rate,
    groups: credit.groups,
    explainedVariance: explained(look, credit, batch),
    mixed,
    entropyByRole: entropyByRole(paid.trajectories),
    refKl: look.refKl,
    influence,
    klCoef: team.config.kl.place === 'off' ? null : learning.klCoef,
    rolloutMs: collected - started,
    updateMs: updated - collected,
    verified,
  });
  await refreshReferences(learning, team, iteration + 1);
  return { metrics, trajectories: paid.trajectories, shown, sampledTokens: paid.sampledTokens };
}

/** The joint critic learns from what it remembers, the newest returns included, where there is one. */
async function learnJointly(
  { critics, criticMemory, gate }: Learning,
  { joint }: LookBack,
  { credit, ...context }: { credit: Advantages; iteration: number; team: Team },
): Promise<UpdateMetrics[]> {
  const critic = critics?.[0];
  if (!critic || !criticMemory || !joint || !credit.jointReturns) return [];
  criticMemory.add(rememberedRows(joint.batch, credit.jointReturns));
  return updateCritic(critic, criticMemory, { ...context, gate });
}

/** The value loss is told of those who have it: the joint critic takes steps of its own. */
function withValueLoss(updates: readonly UpdateMetrics[], criticSteps: readonly UpdateMetrics[]): UpdateMetrics[] {
  if (criticSteps.length === 0) return [...updates];
  const valueLoss = mean(criticSteps.map((step) => step['losses/value_loss']));
  return updates.map((update) => ({ ...update, 'losses/value_loss': valueLoss }));
}

/** Share of the returns' variance that the critic explained before the update; null without a critic. */
function explained({ values, joint }: LookBack, credit: Advantages, { actionMask }: RowBatch): number | null {
  if (joint && credit.jointReturns) return jointlyExplained(joint, credit.jointReturns);
  return credit.returns.length > 0 ? explainedVariance(values, credit.returns, actionMask) : null;
}

/** Action tokens that so many optimiser steps have learned from: epochs end whole, also when they end early. */
function trainedTokens(batch: RowBatch, steps: number, numMinibatches: number): number {
  const stepsOfEpoch = Math.min(numMinibatches, new Set(batch.trajectoryIds).size);
  return (actionCount(batch) * steps) / stepsOfEpoch;
}

function whitened(advantages: Float32Array, batch: RowBatch): Float32Array {
  return Float32Array.from(whiten(advantages, batch.actionMask));
}

function adapt(learning: Learning, measured: number, paid: Paid): void {
  const { kl } = learning.team.config;
  if (!kl.isAdaptive) return;
  learning.klCoef = adaptKlCoef(learning.klCoef, { ...kl, kl: measured, n: trunksOf(paid.trajectories).length });
}

function refuseNonFinite(updates: readonly UpdateMetrics[], iteration: number): void {
  for (const update of updates) {
    for (const [name, value] of Object.entries(update)) {
      if (!Number.isFinite(value)) {
        throw new NumericsError(
          `${name} is ${value} at iteration ${iteration + 1}. The last stored checkpoint is whole: resume from it with a lower optimiser.learningRate.`,
        );
      }
    }
  }
}

/** The first group with something to learn from; the first group if none has. */
function shownGroup(trajectories: readonly Trajectory[]): number {
  const groups = new Map<number, Set<number>>();
  for (const { group, reward } of trajectories) groups.set(group, (groups.get(group) ?? new Set()).add(reward));
  for (const [group, rewards] of groups) if (rewards.size > 1) return group;
  return trajectories[0]?.group ?? 0;
}

/** Mean of −log p over the sampled tokens of each role: an unbiased estimate of the entropy. */
function entropyByRole(trajectories: readonly Trajectory[]): Partial<Record<Role, number>> {
  const out: Partial<Record<Role, number>> = {};
  const turns = trajectories.flatMap(ownTurns);
  for (const role of new Set(turns.map((turn) => turn.role))) {
    out[role] = -mean(turns.filter((turn) => turn.role === role).flatMap(({ logprobs }) => logprobs));
  }
  return out;
}
