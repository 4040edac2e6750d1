// Value normalisation. A critic learns returns minus their running mean, divided by their running standard deviation,
// and its outputs are scaled back by the same two numbers. This is `ValueNorm` in the code of MAPPO (2103.01955),
// without PopArt's correction of the head, which that code does not use either. The newest iterations are included
// before the critic is evaluated, so that an untrained critic predicts the mean. Deviation: one step of the running
// means is an iteration instead of a minibatch, and has the weight 0.1.
import { mean } from '../../base/stats.ts';
import type { ValueScale } from '../../records/stored/criticMemory.ts';

/** Decay of the running means per iteration. */
const kept = 0.9;
/** Minimum variance, as in the code of MAPPO. */
const leastVariance = 0.01;

/** The initial scale. Before any return is known, values are not rescaled. */
export const unscaled: ValueScale = { weight: 0, mean: 0, square: 0 };

/** The scale after the returns of one more iteration are included. Without new returns, the scale is unchanged. */
export function followed({ weight, ...means }: ValueScale, returns: readonly number[]): ValueScale {
  if (returns.length === 0) return { weight, ...means };
  const next = (was: number, is: number) => kept * was + (1 - kept) * is;
  return {
    weight: next(weight, 1),
    mean: next(means.mean, mean(returns)),
    square: next(means.square, mean(returns.map((x) => x * x))),
  };
}

/** Mean and standard deviation of returns; the running means are divided by their total weight so far. */
export function spreadOf({ weight, mean: first, square }: ValueScale): { centre: number; deviation: number } {
  if (weight === 0) return { centre: 0, deviation: 1 };
  const centre = first / weight;
  return { centre, deviation: Math.sqrt(Math.max(square / weight - centre ** 2, leastVariance)) };
}
