// A learner is its facts and a short program that turns what was collected into one advantage for each action token. It lies
// in `extensions/learners/NAME/learner.ts`. Ratio, clip, aggregation and epochs are settings that all have in common (`update.ts`).
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
  /** [trajectory][turn] what turns earned as steps, where these are compared apart from outcomes. */
  steps?: readonly (readonly number[])[];
  /** All rows of all agents. */
  batch: RowBatch;
  /** [B·T] KL charged in the reward: β · k1 of each action token, 0 elsewhere. */
  tokenCharge: Float32Array;
  /** [B·T] values before the update of critics that see what one agent sees; empty without. */
  values: Float32Array;
  /** The joint critic's values [B·T] in rows of its own, and the places of those before each turn, [trajectory][turn]; absent without one. */
  joint?: { values: Float32Array; places: readonly ArrayLike<number>[] };
  /** The value of each trajectory's messages by the mixing critic; absent while the plain team reward counts. */
  mixed?: { worth: readonly MessageWorth[] };
  /** A visitor's formula instead of the learner's; absent without one. */
  ownFormula?: OwnFormula;
}

export interface Advantages {
  /** [B·T], 0 where masked. */
  advantages: Float32Array;
  /** [B·T] targets of the networks' own heads; absent without. */
  returns?: Float32Array;
  /** The critic's targets, in its rows; absent without one. */
  tracks?: Track[];
  /** Groups that teach nothing; absent for learners without groups. */
  groups?: {
    /** Share of groups that have several members and, as learned from, advantages of 0 only. */
    deadShare: number;
    /** Groups of one. */
    loneMembers: number;
    /** The part of an advantage that compares turns with different contexts; absent where steps are not compared. */
    mixedShare?: number;
  };
  /** The objective that replaces the policy loss; absent where that is learned. */
  objective?: Objective;
}

/** A learner: its facts, and what it computes. */
export interface Learner extends LearnerFacts {
  /** The paper's advantage and, where it is not the clipped one, its loss. */
  equation: string;
  /** The baseline of a reward. */
  baseline: string;
  /** Where we leave the paper. */
  deviations: readonly string[];
  /** The advantage of every action token, from what was collected. */
  advantages: (collected: Collected) => Advantages;
  /** Further stages of its iterations; each runs after the others of its phase. */
  stages?: readonly Stage[];
}

/** [B·T] advantages as they enter the loss: whitened agent by agent where the settings say so. */
export function asLearned({ config, batch }: Pick<Collected, 'config' | 'batch'>, raw: Float32Array): Float32Array {
  if (!config.learning.normAdv) return raw;
  return Float32Array.from(whitenByAgent(raw, { ...batch, mask: batch.actionMask }).values);
}
