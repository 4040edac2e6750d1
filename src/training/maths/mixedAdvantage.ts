// ReMemR1 (2509.23040): an agent that works in steps gets credit for the outcome, compared with other rollouts of the
// same question. The agent also gets credit for each step, by comparing the step's reward with the rewards of the same
// step in other rollouts.
import { ConfigError, ShapeError } from '../../base/errors.ts';

/** The outcomes of R rollouts and the rewards of their steps. The rollouts have N steps in total. */
export interface OutcomeAndSteps {
  /** [R] outcome of each rollout. */
  outcome: ArrayLike<number>;
  /** [R] the question of each rollout. */
  outcomeKeys: readonly string[];
  /** [N] the reward of each step itself. */
  state: ArrayLike<number>;
  /** [N] a key for each step, made from its question and its position in the rollout. */
  stateKeys: readonly string[];
  /** [N] for each step, the index of its rollout. */
  rolloutOf: ArrayLike<number>;
}

/**
 * Compares the outcomes, or the rewards of the steps, that have the same key. In the paper, the mean of these rewards is
 * subtracted from each of them, and a lone member gets 0.
 */
type Compare = (rewards: ArrayLike<number>, keys: readonly string[], of: 'outcome' | 'state') => Float64Array;

/**
 * [N] the advantage of each step: α·A_outcome + (1−α)·A_state, where α is 0.8 in the paper. The mean of the outcomes
 * contains each outcome once, even if its rollout has many steps. Throws ShapeError if the lengths differ, and
 * ConfigError if alpha is outside [0, 1].
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
  const [ofOutcome, ofState] = [compare(outcome, outcomeKeys, 'outcome'), compare(state, stateKeys, 'state')];
  return ofState.map((step, n) => {
    const whole = ofOutcome[rolloutOf[n] as number];
    if (whole === undefined)
      throw new ShapeError(
        `mixedAdvantage: step ${n} belongs to rollout ${rolloutOf[n]}, but there are only ${ofOutcome.length}.`,
      );
    return alpha * whole + (1 - alpha) * step;
  });
}
