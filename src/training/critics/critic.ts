// A critic with a separate network: a copy of the trunk with a value head. The network reads rows of tokens and
// predicts returns at some columns of these rows. Critics differ only in their input. The input is either the joint
// transcript before each turn (MAPPO 2103.01955), or the context of one agent before each of its tokens or turns (PPO
// 1707.06347, IPPO 2011.09533). A critic is trained with the value loss alone, so all other terms of the update have
// weight 0. Deviations: in the papers, the critic takes as many optimiser steps per iteration as the actors, and the
// value loss is clipped. Here, the critic draws its minibatches from a memory of older dialogues, because the dialogues
// of one iteration are about few problems, which the critic would soon memorise. The same is done in the auxiliary
// phase of PPG (2009.04416), in which the loss is not clipped either.
import { inParts } from '../../base/groups.ts';
import { Draws, streams } from '../../base/random.ts';
import { mostAgents } from '../../config/names.ts';
import type { Config } from '../../config/schema.ts';
import type { ValueScale } from '../../records/stored/criticMemory.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import { followed, spreadOf } from '../maths/valueScale.ts';
import type { Gate } from '../team/gate.ts';
import type { Network } from '../team/network.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { buildJointRows, eachAction, type RowBatch } from '../rows/rows.ts';
import { discountsOf, lambdaReturns, plainReturns } from '../rows/tracks.ts';
import type { Team } from '../team/team.ts';
import { updateNetwork, type UpdateMetrics } from '../update/update.ts';
import { recalled, type CriticMemory } from './criticMemory.ts';

export interface Critic {
  network: Network;
  memory: CriticMemory;
  /** The scale that converts the outputs of the critic's network to rewards. */
  scale: ValueScale;
}

/**
 * The index of the critic that predicts the returns of an agent: the agent's own critic, or 0 if all agents share one
 * critic.
 */
export const criticOfAgent = (critics: readonly unknown[], agent: number): number => (critics.length === 1 ? 0 : agent);

/**
 * [B·T] the critic's values in units of the reward. In each row, the values are 0 after the last column for which the
 * critic predicts a value.
 */
export async function criticValues(
  { network, scale }: Pick<Critic, 'network' | 'scale'>,
  batch: RowBatch,
  gate: Gate,
): Promise<Float32Array> {
  const { values } = await oldFacts(batch, { network, reference: null, temperature: 1, gate });
  const { centre, deviation } = spreadOf(scale);
  return values.map((value) => centre + deviation * value);
}

export interface JointLook {
  /** Joint rows, one per trajectory; `actionMask` is 1 where a value is predicted. */
  batch: RowBatch;
  /** [B·T] */
  values: Float32Array;
  /** [trajectory][turn] for each turn, the index in `values` of the value that was predicted before the turn. */
  places: Int32Array[];
}

/**
 * The agent whose prompt is at the beginning of a joint row. This is the agent that sees the most hidden texts, or the
 * first of several such agents.
 */
export function witnessOf({ protocol }: Pick<Team, 'protocol'>): number {
  const counts = protocol.sees.map(({ length }) => length);
  return counts.indexOf(Math.max(...counts));
}

/** Predicts the values before all turns of these dialogues. The critic reads the joint transcripts. */
export async function lookJointly(
  critic: Pick<Critic, 'network' | 'scale'>,
  trajectories: readonly Trajectory[],
  { team, gate }: { team: Team; gate: Gate },
): Promise<JointLook> {
  const batch = buildJointRows(trajectories, witnessOf(team), team.tokens);
  const places = trajectories.map(({ turns }) => new Int32Array(turns.length));
  eachAction(batch, ({ at, trajectory, turn }) => ((places[trajectory] as Int32Array)[turn] = at));
  return { batch, values: await criticValues(critic, batch, gate), places };
}

interface CriticTurn {
  team: Team;
  gate: Gate;
  iteration: number;
  /** The index of this critic among all critics. */
  n: number;
}

/**
 * Trains the critic on tracks from its memory, for as many optimiser steps as an iteration has. The targets are
 * computed from the critic's predictions before the first step. Returns the metrics of each step, with the value loss
 * in squared units of the reward.
 */
export async function updateCritic(critic: Critic, { team, gate, iteration, n }: CriticTurn): Promise<UpdateMetrics[]> {
  const { run, learning } = team.config;
  const draws = new Draws(run.seed, streams.criticMemory, iteration * mostAgents + n);
  const sampled = critic.memory.sample(learning.criticSteps * learning.criticBatch, draws);
  const { batch, tracks } = recalled(sampled);
  const discounts = discountsOf(team.config);
  critic.scale = followed(
    critic.scale,
    tracks.flatMap((track) => [...plainReturns(track, discounts)]),
  );
  const { centre, deviation } = spreadOf(critic.scale);
  // Tracks are evaluated in batches as large as those of an optimiser step, so that the evaluation needs no more memory
  // than a step.
  const targets: number[][] = [];
  for (const part of inParts(sampled, learning.criticBatch)) {
    const some = recalled(part);
    const values = await criticValues(critic, some.batch, gate);
    targets.push(...some.tracks.map((track) => lambdaReturns(track, values, discounts)));
  }
  const returns = new Float32Array(batch.ids.length);
  tracks.forEach(({ places }, i) =>
    places.forEach((own, step) => {
      for (const at of own) returns[at] = ((targets[i]?.[step] as number) - centre) / deviation;
    }),
  );
  const config = criticConfig(team.config);
  const context = { config, iteration, gate, klCoef: 0, maxActionTokens: team.maxActionTokens };
  const steps = await updateNetwork(critic.network, batch, { returns }, context);
  return steps.map((step) => ({ ...step, 'losses/value_loss': step['losses/value_loss'] * deviation ** 2 }));
}

/**
 * A clip range that no step exceeds, so that the loss is always half the squared distance, regardless of the old
 * values.
 */
const unclipped = 1e9;

/**
 * Settings with which the loss contains only the value loss. One epoch is trained, because the minibatches have already
 * been drawn from the memory.
 */
function criticConfig(config: Config): Config {
  const { learning, kl, optimiser } = config;
  return {
    ...config,
    learning: {
      ...learning,
      ...{ ratioLevel: 'token', aggregation: 'token', entCoef: 0, valueClip: unclipped },
      ...{ updateEpochs: 1, numMinibatches: learning.criticSteps },
    },
    kl: { ...kl, place: 'off', targetKl: 0 },
    optimiser: {
      ...optimiser,
      ...{ method: 'adamW', learningRate: optimiser.criticRate || optimiser.learningRate },
    },
  };
}
