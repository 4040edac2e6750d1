// What a learner is: a short program that turns what was collected into one advantage for each
// action token. Ratio, clip, aggregation and epochs are the same for all and live in `update.ts`.
import type { Config } from '../../config/schema.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Objective } from '../update/objectives.ts';
import type { TurnRewards } from '../collect/rewards.ts';
import type { RowBatch } from '../rows/rows.ts';

export interface Collected {
  config: Config;
  trajectories: readonly Trajectory[];
  /** [trajectory] → [turn][agent]. */
  rewards: readonly TurnRewards[];
  /** All rows of all agents. */
  batch: RowBatch;
  /** [B·T] KL charged in the reward: β · k1 of each action token, 0 elsewhere. */
  tokenCharge: Float32Array;
  /** [B·T] the critic's values before the update; empty without a critic. */
  values: Float32Array;
  /** The joint critic's values before each turn, [trajectory][turn]; absent without one. */
  joint?: { values: readonly Float64Array[] };
  /** [trajectory][turn] what the mixing critic says each message is worth; absent while the plain team reward counts. */
  mixed?: { q: readonly Float64Array[] };
}

export interface Advantages {
  /** [B·T], 0 where masked. */
  advantages: Float32Array;
  /** [B·T] targets of the critic; empty without one. */
  returns: Float32Array;
  /** [trajectory][turn] targets of the joint critic; absent without one. */
  jointReturns?: Float64Array[];
  /** Groups that teach nothing; null for learners without groups. */
  groups: {
    /** Share of groups whose rewards are all equal. */
    deadShare: number;
    /** Groups of one. */
    loneMembers: number;
  } | null;
  /** What is learned in place of the policy loss; absent where that is learned. */
  objective?: Objective;
}

export interface Learner {
  /** None, a value head on each network, or one network of its own that reads the joint transcript: states, or messages. */
  critic: 'none' | 'head' | 'joint' | 'mixing';
  /** Networks, one to an agent, are updated one after another, each with an eye on those before it. */
  isSequential?: boolean;
  /** Compares rollouts of one problem. */
  hasGroups: boolean;
  /** What the first term of the loss is; absent: the clipped policy loss. */
  loss?: 'preference' | 'imitation';
  /** The reference's log-probabilities enter the loss, wherever the KL is. */
  needsReference?: boolean;
  advantages: (collected: Collected) => Advantages;
}
