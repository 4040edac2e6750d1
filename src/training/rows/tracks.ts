// A track is the sequence of steps for which a critic predicts values, in time order. The steps belong to one agent's
// part of a trajectory, or to a whole trajectory. A step is a token, a turn, or a set of simultaneous turns.
import { mean } from '../../base/stats.ts';
import { factsOf } from '../../config/learners/registry.ts';
import type { Config } from '../../config/schema.ts';
import { gae, returnsToGo } from '../maths/advantage.ts';

export interface Track {
  /**
   * [step] the positions [b·T + t] in the critic's rows at which the critic predicts values for the step. The value of
   * the step is the mean over these positions.
   */
  places: readonly (readonly number[])[];
  /** [step] the reward of each step. */
  rewards: ArrayLike<number>;
}

export interface Discounts {
  gamma: number;
  lambda: number;
}

/** The discounts from one step to the next, which differ for tokens and turns. */
export function discountsOf(config: Config): Discounts {
  const { learning, reward } = config;
  return factsOf(config).critic === 'joint' || learning.gaeLevel === 'turn'
    ? { gamma: reward.gammaTurn, lambda: learning.lambdaTurn }
    : { gamma: learning.gamma, lambda: learning.gaeLambda };
}

/** [step] the value of each step, computed from the critic's values [B·T]. */
export const stepValues = ({ places }: Track, values: ArrayLike<number>): number[] =>
  places.map((own) => mean(own.map((at) => values[at] as number)));

/** [step] the λ-returns, which are the targets of a critic. They are computed from the critic's values [B·T]. */
export function lambdaReturns(track: Track, values: ArrayLike<number>, discounts: Discounts): number[] {
  const before = stepValues(track, values);
  const advantages = gae(track.rewards, before, discounts);
  return before.map((value, step) => value + (advantages[step] as number));
}

/** [step] the discounted sums of rewards, which do not depend on the critic. */
export const plainReturns = ({ rewards }: Track, { gamma }: Discounts): Float64Array => returnsToGo(rewards, gamma);
