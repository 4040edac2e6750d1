// A learner consists of its facts and a short program that computes one advantage for each action token of the
// collected dialogues. Each learner is in `extensions/learners/NAME/learner.ts`. Ratio, clip, aggregation and epochs
// are settings shared by all learners (`update.ts`).
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
  /** [trajectory][turn] the reward of each turn as a step, if steps are compared separately from outcomes. */
  steps?: readonly (readonly number[])[];
  /** All rows of all agents. */
  batch: RowBatch;
  /** [B·T] the KL penalty in the reward, which is β · k1 for each action token and 0 elsewhere. */
  tokenCharge: Float32Array;
  /** [B·T] the values before the update from critics that see one agent's context; empty if there are none. */
  values: Float32Array;
  /**
   * The joint critic's values [B·T] in its own rows, and `places` [trajectory][turn], the position in `values` of the
   * value before each turn. Absent without a joint critic.
   */
  joint?: { values: Float32Array; places: readonly ArrayLike<number>[] };
  /**
   * The values that the mixing critic assigns to the messages of each trajectory; absent as long as the agents learn
   * from the plain team reward.
   */
  mixed?: { worth: readonly MessageWorth[] };
  /** A visitor's formula that replaces the formula of the learner; absent if there is no such formula. */
  ownFormula?: OwnFormula;
}

export interface Advantages {
  /** [B·T] the advantages; 0 for tokens that are not action tokens. */
  advantages: Float32Array;
  /** [B·T] targets of the networks' own heads; absent if there are none. */
  returns?: Float32Array;
  /**
   * The steps and rewards from which the critic learns, with their positions in its rows. Absent without a separate
   * critic.
   */
  tracks?: Track[];
  /** Statistics of the groups from which nothing is learned; absent for learners without groups. */
  groups?: {
    /** The share of groups that have several members but only advantages of 0 in the update. */
    deadShare: number;
    /** The number of groups with a single member. */
    loneMembers: number;
    /**
     * (1 − `learning.outcomeShare`) times the share of groups of steps in which the compared steps have different
     * contexts; absent if steps are not compared.
     */
    mixedShare?: number;
  };
  /** The objective that replaces the policy loss. The objective is absent if the policy loss is used. */
  objective?: Objective;
}

/** The code of a learner: its facts, and the function that computes its advantages. */
export interface Learner extends LearnerFacts {
  /**
   * The formula of the advantage in the paper. If the paper does not use the clipped policy loss, the text also
   * contains the formula of the paper's loss.
   */
  equation: string;
  /** The baseline that is subtracted from a reward. */
  baseline: string;
  /** The deviations of this implementation from the paper. */
  deviations: readonly string[];
  /** Computes the advantage of every action token from a collection. */
  advantages: (collected: Collected) => Advantages;
  /** The stages that this learner adds to an iteration. Each added stage runs after the common stages of its phase. */
  stages?: readonly Stage[];
}

/**
 * [B·T] the advantages that the loss uses. With `learning.normAdv`, the advantages of each agent are whitened
 * separately.
 */
export function asLearned({ config, batch }: Pick<Collected, 'config' | 'batch'>, raw: Float32Array): Float32Array {
  if (!config.learning.normAdv) return raw;
  return Float32Array.from(whitenByAgent(raw, { ...batch, mask: batch.actionMask }).values);
}
