// Computes two kinds of facts about collected dialogues before the first update: the critic's values, and the distance
// to the reference.
import { mean } from '../../base/stats.ts';
import { criticOf, learnerFacts } from '../../config/learners/registry.ts';
import { comparesWithReference } from '../../config/sections/imitation.ts';
import type { Config } from '../../config/schema.ts';
import type { WeightTree } from '../../model/network/parameters.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Gate } from '../team/gate.ts';
import { criticOfAgent, criticValues, lookJointly, type Critic, type JointLook } from '../critics/critic.ts';
import { klOf } from '../maths/kl.ts';
import type { Network } from '../team/network.ts';
import { referenceOf } from '../team/reference.ts';
import { stage } from '../stages/stage.ts';
import { oldFacts } from '../rows/oldFacts.ts';
import { buildRows, selectRows, type RowBatch } from '../rows/rows.ts';
import { networkRows } from '../rows/networkRows.ts';
import type { Team } from '../team/team.ts';

declare module '../stages/stage.ts' {
  interface Parts {
    /** All rows of all agents. */
    batch: RowBatch;
    /** The facts that are computed before the first update. */
    before: CollectionFacts;
  }
}

/**
 * The number of rows for which the distance to the reference is measured if it is only shown and not used for learning.
 */
export const watchedRows = 64;

export interface CollectionFacts {
  /**
   * [B·T] the values from critics that see one agent's context, with 0 where no token was sampled; empty if there are
   * no such critics.
   */
  values: Float32Array;
  /** [B·T] the log-probabilities of the reference; empty if no other computation needs them. */
  refLogprobs: Float32Array;
  /** [B·T] the KL penalty in the reward. */
  tokenCharge: Float32Array;
  /** The mean of the KL estimate k3. */
  refKl: number;
  /**
   * The mean of the KL estimate k1, which is used for the KL penalty in the reward. The adaptive coefficient depends on
   * this mean.
   */
  meanCharge: number;
  /** The joint critic's rows and values; null if there is no joint critic. */
  joint: JointLook | null;
}

interface LookContext {
  /** The team of the iteration. */
  team: Team;
  networks: readonly Network[];
  /** The frozen reference of each network, or a single reference for all networks. */
  references: readonly WeightTree[];
  critics?: readonly Critic[];
  gate: Gate;
  klCoef: number;
}

/**
 * Whether the learner's own loss uses the reference's log-probabilities. Whether there is a KL in the loss or in the
 * reward has no effect on the result.
 */
export function usesReference({ learning }: Config): boolean {
  return learnerFacts[learning.learner].needsReference === true && comparesWithReference(learning);
}

/**
 * Whether the log-probabilities of the reference or the critic's values are needed for all rows of the iteration.
 * Otherwise, they are computed only for some rows.
 */
export function scoresAll(config: Config, networks: readonly Pick<Network, 'head'>[]): boolean {
  return needsReference(config) || networks[0]?.head !== null;
}

const needsReference = (config: Config) => config.kl.place !== 'off' || usesReference(config);

/** Computes the values of the critics and the log-probabilities of the reference for the sampled rows. */
export async function collectionFacts(
  { team, networks, references, critics = [], gate, klCoef }: LookContext,
  batch: RowBatch,
  trajectories: readonly Trajectory[],
): Promise<CollectionFacts> {
  const { kl, agents } = team.config;
  const needsAll = needsReference(team.config);
  const size = batch.ids.length;
  const isJoint = criticOf(team.config) === 'joint';
  const look: CollectionFacts = {
    values: networks[0]?.head ? new Float32Array(size) : await ownValues(batch, isJoint ? [] : critics, gate),
    refLogprobs: new Float32Array(needsAll ? size : 0),
    tokenCharge: new Float32Array(size),
    refKl: 0,
    meanCharge: 0,
    joint: isJoint && critics[0] ? await lookJointly(critics[0], trajectories, { team, gate }) : null,
  };
  const distances: number[] = [];
  const charges: number[] = [];
  for (const [n, network] of networks.entries()) {
    const { batch: said, own } = networkRows(n, team, { batch, trajectories });
    const watched = scoresAll(team.config, [network]) ? own : own.slice(0, watchedRows);
    if (watched.length === 0) continue;
    const cut = selectRows(said, watched, {}).batch;
    const reference = referenceOf({ references }, n);
    const facts = await oldFacts(cut, { network, reference, temperature: agents.temperature, gate });
    for (let i = 0; i < cut.rows; i++) {
      for (let t = 0; t < cut.length; t++) {
        const from = i * cut.length + t;
        const to = (watched[i] as number) * batch.length + t;
        if (cut.actionMask[from] === 0) continue;
        if (network.head) look.values[to] = facts.values[from] as number;
        const d = (facts.refLogprobs[from] as number) - (cut.oldLogprobs[from] as number);
        distances.push(klOf(d, 'k3'));
        charges.push(klOf(d, 'k1'));
        if (needsAll) look.refLogprobs[to] = facts.refLogprobs[from] as number;
        if (kl.place === 'reward') look.tokenCharge[to] = klCoef * klOf(d, 'k1');
      }
    }
  }
  look.refKl = mean(distances);
  look.meanCharge = mean(charges);
  return look;
}

/**
 * [B·T] the values from the agents' critics, or from one critic that all agents share; empty if there are no critics.
 */
async function ownValues(batch: RowBatch, critics: readonly Critic[], gate: Gate): Promise<Float32Array> {
  const values = new Float32Array(critics.length > 0 ? batch.ids.length : 0);
  for (const [n, critic] of critics.entries()) {
    const own = [...batch.agentIds.keys()].filter((row) => criticOfAgent(critics, batch.agentIds[row] as number) === n);
    const cut = selectRows(batch, own, {}).batch;
    const found = await criticValues(critic, cut, gate);
    own.forEach((row, i) => values.set(found.subarray(i * cut.length, (i + 1) * cut.length), row * batch.length));
  }
  return values;
}

export const lookBackStage = stage({
  name: 'critics and reference',
  phase: 'score',
  reads: ['paid'],
  run: async (context) => {
    const { team, paid } = context;
    const batch = buildRows(paid.trajectories, [...team.protocol.roles.keys()], team.tokens);
    return { batch, before: await collectionFacts(context, batch, paid.trajectories) };
  },
});
