// A learner consists of its facts and a short program that turns a collection into one advantage for each action token.
// Each learner is in `extensions/learners/NAME/learner.ts`. Ratio, clip, aggregation and epochs are settings shared by
// all learners (`update.ts`).
import type { LearnerFacts } from '../../config/learners/facts.ts';
import type { Config } from '../../config/schema.ts';
import type { OwnFormula } from '../../exercises/ownFormula.ts';
import type { Trajectory } from '../../records/trajectory.ts';
import type { Objective } from '../update/objectives.ts';
import type { TurnRewards } from '../collect/rewards.ts';
import { whitenByAgent } from '../maths/advantage.ts';
import type { MessageWorth } from '../maths/mixing.ts';
import type { RowBatch } from '../rows/rows.ts';
import type { Stage } from '../stages/stage.ts';
import type { Track } from '../rows/tracks.ts';

export interface Collected {
  config: Config;
  trajectories: readonly Trajectory[];
  /** [trajectory] → [turn][agent]. */
  rewards: readonly TurnRewards[];
  /** [trajectory][turn] the rewards that turns get as steps, if steps are compared separately from outcomes. */
  steps?: readonly (readonly number[])[];
  /** All rows of all agents. */
  batch: RowBatch;
  /** [B·T] KL charged in the reward: β · k1 of each action token, 0 elsewhere. */
  tokenCharge: Float32Array;
  /** [B·T] values before the update from critics that see what one agent sees; empty if there are none. */
  values: Float32Array;
  /**
   * The joint critic's values [B·T] in its own rows, and `places`, the positions of the values before each turn,
   * [trajectory][turn]; absent without a joint critic.
   */
  joint?: { values: Float32Array; places: readonly ArrayLike<number>[] };
  /** The mixing critic's values of the messages of each trajectory; absent while the plain team reward is used. */
  mixed?: { worth: readonly MessageWorth[] };
  /** A visitor's formula that replaces the learner's; absent if there is none. */
  ownFormula?: OwnFormula;
}

export interface Advantages {
  /** [B·T] advantages, 0 where masked. */
  advantages: Float32Array;
  /** [B·T] targets of the networks' own heads; absent if there are none. */
  returns?: Float32Array;
  /** The critic's targets, in its rows; absent without a critic. */
  tracks?: Track[];
  /** Groups from which nothing is learned; absent for learners without groups. */
  groups?: {
    /** Share of groups that have several members but whose advantages in the update are all 0. */
    deadShare: number;
    /** The number of groups with a single member. */
    loneMembers: number;
    /**
     * The share of an advantage that comes from comparing turns with different contexts; absent if steps are not
     * compared.
     */
    mixedShare?: number;
  };
  /** The objective that replaces the policy loss; absent if the policy loss is learned. */
  objective?: Objective;
}

/** A learner: its facts and its computation. */
export interface Learner extends LearnerFacts {
  /** The paper's advantage, and its loss if that is not the clipped policy loss. */
  equation: string;
  /** The baseline that is subtracted from a reward. */
  baseline: string;
  /** Deviations of this implementation from the paper. */
  deviations: readonly string[];
  /** Computes the advantage of every action token from a collection. */
  advantages: (collected: Collected) => Advantages;
  /** Additional stages of the learner's iterations; each runs after the other stages of its phase. */
  stages?: readonly Stage[];
}

/** [B·T] advantages as they enter the loss: whitened separately for each agent if the settings say so. */
export function asLearned({ config, batch }: Pick<Collected, 'config' | 'batch'>, raw: Float32Array): Float32Array {
  if (!config.learning.normAdv) return raw;
  return Float32Array.from(whitenByAgent(raw, { ...batch, mask: batch.actionMask }).values);
}
