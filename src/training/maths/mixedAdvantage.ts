// ReMemR1 (2509.23040): an agent that works in steps gets credit for the outcome, compared with other rollouts of the
// same question. It also gets credit for the reward of each step, compared with the same step of other rollouts.
import { ConfigError, ShapeError } from '../../base/errors.ts';

/** R rollouts of N steps in total. */
export interface OutcomeAndSteps {
  /** [R] outcome of each rollout. */
  outcome: ArrayLike<number>;
  /** [R] the question of each rollout. */
  outcomeKeys: readonly string[];
  /** [N] the own reward of each step. */
  state: ArrayLike<number>;
  /** [N] a key for each step: its question and its position in the rollout. */
  stateKeys: readonly string[];
  /** [N] the rollout of each step, from 0. */
  rolloutOf: ArrayLike<number>;
}

/** Compares rewards with the same key; in the paper it subtracts their mean and gives 0 to a lone member. */
type Compare = (rewards: ArrayLike<number>, keys: readonly string[]) => Float64Array;

/**
 * [N] α·A_outcome + (1−α)·A_state of each step; α is 0.8 in the paper. Both are compared over rollouts: an outcome
 * counts once, whatever the number of steps that led to it. Throws ShapeError when lengths differ, ConfigError for an
 * alpha outside [0, 1].
 */
export function mixedAdvantage(
  { outcome, outcomeKeys, state, stateKeys, rolloutOf }: OutcomeAndSteps,
  { alpha, compare }: { alpha: number; compare: Compare },
): Float64Array {
  if (rolloutOf.length !== state.length)
    throw new ShapeError(
      `mixedAdvantage: rolloutOf must have an entry for each of ${state.length} steps, got ${rolloutOf.length}.`,
    );
  if (!(alpha >= 0 && alpha <= 1))
    throw new ConfigError(`mixedAdvantage: alpha must lie in [0, 1], got ${alpha}; the paper uses 0.8.`);
  const [ofOutcome, ofState] = [compare(outcome, outcomeKeys), compare(state, stateKeys)];
  return ofState.map((step, n) => {
    const whole = ofOutcome[rolloutOf[n] as number];
    if (whole === undefined)
      throw new ShapeError(
        `mixedAdvantage: step ${n} belongs to rollout ${rolloutOf[n]}, but there are only ${ofOutcome.length}.`,
      );
    return alpha * whole + (1 - alpha) * step;
  });
}
