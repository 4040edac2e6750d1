// Potential-based shaping (Ng, Harada, Russell 1999): hints on the way that cannot change which behaviour is best,
// because along any dialogue they sum to −Φ(s_0), whatever was done.
import { ShapeError } from '../../base/errors.ts';

export interface ShapingOptions {
  /** Discount of a turn, in [0, 1]: the one that returns are taken with. */
  gammaTurn: number;
  /** Φ of the state that an interrupted rollout was left in; 0, as at every ending, when left out. */
  afterLast?: number;
}

/**
 * r_t + gammaTurn·Φ(s_{t+1}) − Φ(s_t) for the turns of one dialogue, with Φ = 0 at every ending.
 * rewards [K]; potentials [K], Φ of the state before each turn. Returns [K].
 * Throws ShapeError when the lengths differ: the state after the last turn is an ending and has no entry.
 */
export function potentialShaping(
  rewards: ArrayLike<number>,
  potentials: ArrayLike<number>,
  { gammaTurn, afterLast = 0 }: ShapingOptions,
): Float64Array {
  if (rewards.length !== potentials.length)
    throw new ShapeError(
      `potentialShaping: potentials must hold ${rewards.length} numbers, one for the state before each turn, ` +
        `got ${potentials.length}; leave out the ending, its potential is 0.`,
    );
  return Float64Array.from(
    { length: rewards.length },
    (_, t) => (rewards[t] as number) + gammaTurn * (potentials[t + 1] ?? afterLast) - (potentials[t] as number),
  );
}
