// One iteration, top to bottom: collect trajectories, look back at them, estimate advantages, update the networks that
// learn, and count. The learner's recipe (learners/) says which advantage, which critic, which loss and in which order.
import { mean } from '../../base/stats.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { ownFormulaOf } from '../../exercises/ownFormula.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { turnPolicy } from '../../model/decoding/turnPolicy.ts';
import { trunksOf } from '../../records/branch.ts';
import type { GroupInspection } from '../../records/inspection.ts';
import type { IterationMetrics } from '../../records/metrics.ts';
import type { Policy } from '../../records/policy.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { collectRollouts, stepsPaid, type Paid, type TalkRequest } from '../collect/collect.ts';
import { influenceAppraisers, watchInfluence } from '../collect/influencePass.ts';
import { comparesSteps } from '../collect/ownRewards.ts';
import { criticOfAgent, updateCritic } from '../critics/critic.ts';
import { remembered } from '../critics/criticMemory.ts';
import { explainedOf } from '../critics/explained.ts';
import { learnMixing } from '../critics/mixingLearning.ts';
import { isCreditDue, watchCredit } from '../evaluation/creditTruth.ts';
import { isAgreementDue, policyAgreement } from '../evaluation/policyAgreement.ts';
import { inspectGroup, type Inspectable } from '../inspect/inspect.ts';
import { asLearned, type Advantages, type Collected } from '../learners/learner.ts';
import { learners } from '../learners/registry.ts';
import type { MessageWorth } from '../maths/mixing.ts';
import { adaptKlCoef } from '../maths/kl.ts';
import { talkMemory } from '../rows/memory.ts';
import { buildRows, type RowBatch } from '../rows/rows.ts';
import { discountsOf, type Track } from '../rows/tracks.ts';
import type { Network } from '../team/network.ts';
import { teamAt, type Team } from '../team/team.ts';
import { SequentialUpdates } from '../update/sequentialUpdates.ts';
import { expectFinite, learningRate } from '../update/optimiserStep.ts';
import type { UpdateMetrics } from '../update/update.ts';
import { learnToVerify, verifierInTalk } from '../verifier/trainedVerifier.ts';
import { entropyByRole, iterationMetrics } from './iterationMetrics.ts';
import { collectionFacts, referenceOf, refreshReferences, type CollectionFacts } from './collectionFacts.ts';
import { learnsElsewhere, networksToUpdate, updateElsewhere, updatePolicies } from './policyUpdates.ts';
import type { TrainState } from './trainState.ts';

export interface IterationResult {
  metrics: IterationMetrics;
  trajectories: Trajectory[];
  shown: GroupInspection;
  /** All of it, to be looked into as long as the weights stay as they are. */
  inspectable: Inspectable;
  sampledTokens: number;
}

/** Who hears of an iteration under way. */
interface Hearing extends Pick<TalkRequest, 'onWord'> {
  /** Called once all dialogues are over and before anything is learned from them. */
  onceTalked?: () => Promise<void>;
}

/** Runs iteration number `iteration` (from 0). Throws NumericsError at a loss that is not finite. */
export async function runIteration(
  trainState: TrainState,
  iteration: number,
  onTurn: (trajectories: readonly Trajectory[]) => Promise<void>,
  { onWord, onceTalked }: Hearing = {},
): Promise<IterationResult> {
  // The settings at the beginning of the iteration: later changes take effect from the next one on.
  const state: TrainState = { ...trainState, team: teamAt(trainState.team, iteration) };
  const { team, networks, gate, ledger } = state;
  const { config } = team;
  const learner = learners[config.learning.learner];

  ledger?.enter('rollout');
  const startedMs = performance.now();
  const paid = await collectRollouts(state.team, { ...saidBy(state), iteration, onTurn, onWord });
  const { trajectories } = paid;
  const rolloutMs = performance.now() - startedMs;
  await onceTalked?.();
  const talkedMs = performance.now();

  ledger?.enter('scoring');
  const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
  const before = await collectionFacts(state, batch, trajectories);
  const group = shownGroup(trunksOf(trajectories));
  const influence = await watchInfluence(state, trunksOf(trajectories), group);

  ledger?.enter('update');
  const mixed = await learnMixing(state, paid, iteration);
  const { collected, estimate, advantages } = await estimateOf(team, { paid, batch, before, worth: mixed?.worth });

  const fidelity = isCreditDue(config, iteration)
    ? await during(ledger, () =>
        watchCredit(team, { trajectories, batch, advantages }, { ...saidBy(state), iteration }),
      )
    : undefined;

  const agreement = isAgreementDue(config, iteration)
    ? await during(ledger, () => policyAgreement(state, trunksOf(trajectories)))
    : undefined;

  const free = networksToUpdate(team, iteration);
  const sequence =
    learner.updates === 'oneAfterAnother'
      ? new SequentialUpdates(team, iteration, { trajectories, batch, advantages }, free)
      : null;
  const due = sequence
    ? sequence.order.flatMap((agent) => free.filter((n) => team.networkOf[agent]?.includes(n)))
    : free;
  const stepSize = learningRate(config, networks[due[0] as number]?.updates ?? 0);
  // The advantages that the update uses: in a sequence, each agent's are filled in when its turn comes.
  const used = sequence ? new Float32Array(advantages.length) : advantages;
  const learned = learnsElsewhere(team) ? [] : due;
  const updates = learnsElsewhere(team)
    ? await updateElsewhere(state, due, { iteration, trajectories })
    : await updatePolicies(state, due, { iteration, trajectories, batch, before, estimate, sequence, used });
  const { batch: rows, values } = before.joint ?? { batch, values: before.values };
  const criticSteps = await updateCritics(state, { rows, tracks: estimate.tracks ?? [], iteration });
  const verified = await learnToVerify(state.verifier, trajectories, { team, iteration, gate });
  const updatedMs = performance.now();

  ledger?.enter('scoring');
  const rate = 'optimiser.learningRate';
  for (const step of [...updates, ...criticSteps])
    for (const [name, value] of Object.entries(step)) expectFinite(name, value, { iteration, rate });
  if (config.kl.isAdaptive) trainState.klCoef = adaptedKlCoef(trainState, before.meanCharge, paid);
  const inspectable: Inspectable = {
    team,
    config,
    iteration: iteration + 1,
    trajectories,
    batch,
    advantages: used,
    networks,
    references: networks.map((_, n) => referenceOf(state, n) as WeightTree),
    estimate: {
      collected,
      raw: estimate.advantages,
      learned,
      objective: estimate.objective,
      ...(estimate.returns && { returns: estimate.returns }),
    },
  };
  const shown = await inspectGroup(inspectable, group);
  const metrics = iterationMetrics({
    iteration: iteration + 1,
    trajectories,
    planners: plannersOf(team.protocol),
    updates: withValueLoss(updates, criticSteps),
    learningRate: stepSize,
    groups: estimate.groups ?? null,
    explained: explainedOf(estimate.tracks ?? [], { rows, values, trajectories, discounts: discountsOf(config) }),
    mixed,
    entropyByRole: entropyByRole(trajectories),
    refKl: before.refKl,
    influence,
    ...(fidelity !== undefined && { fidelity }),
    ...(agreement !== undefined && { agreement }),
    klCoef: config.kl.place === 'off' ? null : trainState.klCoef,
    rolloutMs,
    updateMs: updatedMs - talkedMs,
    verified,
  });
  await refreshReferences(trainState, team, iteration + 1);
  return { metrics, trajectories, shown, inspectable, sampledTokens: paid.sampledTokens };
}

interface Looked {
  paid: Pick<Paid, 'trajectories' | 'rewards'>;
  batch: RowBatch;
  before: CollectionFacts;
  /** The mixing critic's values for each trajectory, if the learner uses them. */
  worth: readonly MessageWorth[] | undefined;
}

/**
 * The learner's advantages for a collection, [B·T], whitened if the settings say so. Throws SandboxError if a visitor's
 * formula fails.
 */
export async function estimateOf(
  team: Team,
  { paid: { trajectories, rewards }, batch, before, worth }: Looked,
): Promise<{ collected: Collected; estimate: Advantages; advantages: Float32Array }> {
  const { config } = team;
  const ownFormula = await ownFormulaOf(config);
  const collected: Collected = {
    config,
    trajectories,
    rewards,
    batch,
    tokenCharge: before.tokenCharge,
    values: before.values,
    ...(before.joint && { joint: before.joint }),
    ...(worth && { mixed: { worth } }),
    ...(comparesSteps(config) && { steps: stepsPaid(team, trajectories) }),
    ...(ownFormula && { ownFormula }),
  };
  const estimate = learners[config.learning.learner].advantages(collected);
  return { collected, estimate, advantages: asLearned(collected, estimate.advantages) };
}

/** The policies of all agents, in order. */
export function agentPolicies({ team, networks, rooms }: Pick<TrainState, 'team' | 'networks' | 'rooms'>): Policy[] {
  const policyOf = (n: number) => {
    const network = networks[n] as Network;
    return decodingPolicy(network.tree, team.shapes[n] as ModelShape, rooms, talkMemory(team, network));
  };
  return team.networkOf.map((ofRounds) => {
    const [first, ...others] = [...new Set(ofRounds)].map(policyOf) as [Policy, ...Policy[]];
    return others.length > 0 ? turnPolicy([first, ...others]) : first;
  });
}

/** The speakers of its dialogues, and the judge of their answers. */
function saidBy(state: TrainState): Pick<TalkRequest, 'policies' | 'judge' | 'appraisers'> {
  const { judge, appraisers = [] } = verifierInTalk(state.verifier, state);
  return {
    policies: agentPolicies(state),
    ...(judge && { judge }),
    appraisers: [...appraisers, ...influenceAppraisers(state)],
  };
}

/** Does what belongs to no update but to the evaluation. */
async function during<T>(ledger: TrainState['ledger'], work: () => Promise<T>): Promise<T> {
  ledger?.enter('evaluation');
  const done = await work();
  ledger?.enter('update');
  return done;
}

/** Critics that are networks of their own learn from what they remember, the newest tracks included. */
async function updateCritics(
  { team, critics = [], gate }: TrainState,
  { rows, tracks, iteration }: { rows: RowBatch; tracks: readonly Track[]; iteration: number },
): Promise<UpdateMetrics[]> {
  const steps: UpdateMetrics[] = [];
  for (const [n, critic] of critics.entries()) {
    const own = tracks.filter(({ places: [[at = 0] = []] }) => {
      const agent = rows.agentIds[Math.floor(at / rows.length)] as number;
      return criticOfAgent(critics, agent) === n;
    });
    critic.memory.add(own.map((track) => remembered(rows, track)));
    steps.push(...(await updateCritic(critic, { team, gate, iteration, n })));
  }
  return steps;
}

/** Reports the value loss of separate critics, which take steps of their own. */
function withValueLoss(updates: readonly UpdateMetrics[], criticSteps: readonly UpdateMetrics[]): UpdateMetrics[] {
  if (criticSteps.length === 0) return [...updates];
  const valueLoss = mean(criticSteps.map((step) => step['losses/value_loss']));
  return updates.map((update) => ({ ...update, 'losses/value_loss': valueLoss }));
}

/** β after an iteration with a measured KL of `measured` nats per token in the reward. */
function adaptedKlCoef({ klCoef, team }: TrainState, measured: number, { trajectories }: Paid): number {
  return adaptKlCoef(klCoef, { ...team.config.kl, kl: measured, n: trunksOf(trajectories).length });
}

/** Agents that say what is to be done and do not answer themselves; a note to go by is no plan. */
const plannersOf = ({ hasSteps, context, messengers }: Team['protocol']) => (hasSteps && !context ? messengers : []);

/** The first group with something to learn from; the first group if none has. */
function shownGroup(trajectories: readonly Trajectory[]): number {
  const groups = new Map<number, Set<number>>();
  for (const { group, reward } of trajectories) groups.set(group, (groups.get(group) ?? new Set()).add(reward));
  for (const [group, rewards] of groups) if (rewards.size > 1) return group;
  return trajectories[0]?.group ?? 0;
}
