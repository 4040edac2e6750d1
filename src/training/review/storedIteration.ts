// Prepares a past iteration for inspection, with its stored dialogues, the settings of its update, and the weights of
// any checkpoint of the run. Rewards are recomputed from the world's assessments, because a stored iteration contains
// only the sums of the rewards.
import { spoken } from '../../base/spoken.ts';
import { factsOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import { buildRows } from '../rows/rows.ts';
import { ownForm } from '../collect/collect.ts';
import { payTrajectory, type TurnRewards } from '../collect/rewards.ts';
import { creditTrees, turnScores } from '../collect/trees.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import type { Checkpoint } from '../../records/stored/checkpoint.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Inspectable } from '../inspect/inspect.ts';
import { estimateOf } from '../learners/estimate.ts';
import { referenceOf } from '../team/reference.ts';
import { collectionFacts } from '../run/collectionFacts.ts';
import { learnsElsewhere } from '../run/updatesElsewhere.ts';
import { networksToUpdate } from '../run/policyUpdates.ts';
import { disposeTrainState, restoreTrainState } from '../run/trainState.ts';
import { Gate } from '../team/gate.ts';
import { teamAt, type Team } from '../team/team.ts';

export interface ReviewedIteration {
  /** The checkpoint with whose weights the numbers are computed. */
  checkpoint: Checkpoint;
  /** The settings that were used for the update of the iteration. */
  config: Config;
  iteration: number;
  trajectories: readonly Trajectory[];
}

/**
 * Calls `work` with the prepared iteration, and then frees its tensors. `lacking` is the reason, in words, why the
 * advantages can no longer be computed. If this text is not empty, there is no estimate, and all advantages are NaN.
 */
export async function withIteration<T>(
  { checkpoint, config, iteration, trajectories }: ReviewedIteration,
  work: (inspectable: Inspectable, lacking: string) => Promise<T>,
): Promise<T> {
  const state = restoreTrainState({ ...checkpoint, config }, new Gate());
  try {
    const team = teamAt(state.team, iteration - 1);
    const batch = buildRows(trajectories, [...team.protocol.roles.keys()], team.tokens);
    const { networks } = state;
    const references = networks.map((_, n) => referenceOf(state, n) as WeightTree);
    const whole = { team, config, iteration, trajectories, batch, networks, references };
    const { rewards, isSame } = await payAgain(team, trajectories);
    const lacking = isSame
      ? lackingOf(config, iteration)
      : spoken`the rewards of these dialogues depended on data that is not stored`;
    if (lacking) return await work({ ...whole, advantages: new Float32Array(batch.ids.length).fill(NaN) }, lacking);
    const before = await collectionFacts({ ...state, team }, batch, trajectories);
    const paid = { trajectories: [...trajectories], rewards };
    const { collected, estimate, advantages } = await estimateOf(team, { paid, batch, before, worth: undefined });
    const learned = learnsElsewhere(team) ? [] : networksToUpdate(team, iteration - 1);
    const { objective, returns } = estimate;
    const how = { collected, raw: estimate.advantages, learned, objective, ...(returns && { returns }) };
    return await work({ ...whole, advantages, estimate: how }, '');
  } finally {
    disposeTrainState(state);
  }
}

/** The reason why the advantages of a past iteration cannot be recomputed; empty if they can be recomputed. */
function lackingOf(config: Config, iteration: number): string {
  const { critic, updates } = factsOf(config);
  if (critic === 'mixing' && iteration > config.learning.teamRewardIterations)
    return spoken`the mixing critic is not stored for that iteration`;
  if (updates === 'oneAfterAnother')
    return spoken`agents are updated one after another, and the weight changes of the earlier ones are not stored`;
  return '';
}

/** Computes the rewards again, [trajectory] → [turn][agent], and compares their sums with the stored sums. */
async function payAgain(
  { config, world, protocol }: Team,
  trajectories: readonly Trajectory[],
): Promise<{ rewards: TurnRewards[]; isSame: boolean }> {
  const copies = structuredClone(trajectories) as Trajectory[];
  if (config.agents.candidates > 1)
    return { rewards: creditTrees({ trunks: copies, branches: [] }, turnScores(copies)).rewards, isSame: true };
  const rewards: TurnRewards[] = [];
  for (const copy of copies) {
    const { problem, turns } = copy;
    const { potentials } =
      config.reward.shaping > 0 ? await world.assess(problem, turns, protocol) : { potentials: [] };
    rewards.push(payTrajectory(copy, potentials, config, ownForm(world, problem)));
  }
  const isSame = copies.every(({ reward }, i) => Math.abs(reward - (trajectories[i]?.reward ?? NaN)) < 1e-6);
  return { rewards, isSame };
}
