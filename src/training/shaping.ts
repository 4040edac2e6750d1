// Potential-based shaping (Ng, Harada, Russell 1999): hints on the way that cannot change which behaviour is best,
// because along any dialogue they sum to −Φ(s_0), whatever was done.
import { ShapeError } from '../base/errors.ts';

/**
 * r_t + gammaTurn·Φ(s_{t+1}) − Φ(s_t) for the turns of one dialogue, with Φ = 0 at every ending.
 * rewards [K]; potentials [K], Φ of the state before each turn. Returns [K].
 * Throws ShapeError when the lengths differ: the state after the last turn is an ending and has no entry.
 */
export function potentialShaping(
  rewards: ArrayLike<number>,
  potentials: ArrayLike<number>,
  { gammaTurn }: { gammaTurn: number },
): Float64Array {
  if (rewards.length !== potentials.length)
    throw new ShapeError(
      `potentialShaping: potentials must hold ${rewards.length} numbers, one for the state before each turn, ` +
        `got ${potentials.length}; leave out the ending, its potential is 0.`,
    );
  return Float64Array.from(
    { length: rewards.length },
    (_, t) => (rewards[t] as number) + gammaTurn * (potentials[t + 1] ?? 0) - (potentials[t] as number),
  );
}
