// Normalises the returns that a critic learns: their running mean is subtracted, and the result is divided by their
// running standard deviation. The critic's outputs are converted back to the scale of the returns with the same mean
// and deviation. This is `ValueNorm` in the code of MAPPO (2103.01955), without PopArt's correction of the head, which
// that code does not use either. The returns of an iteration are included before the critic is evaluated, so that even
// an untrained critic predicts their mean. Deviation: the running means are updated once per iteration instead of once
// per minibatch, with the weight 0.1.
import { mean } from '../../base/stats.ts';
import type { ValueScale } from '../../records/stored/criticMemory.ts';

/** The factor by which older returns lose weight in each iteration. */
const kept = 0.9;
/** Minimum variance, as in the code of MAPPO. */
const leastVariance = 0.01;

/** The scale before the first iteration. It leaves values unchanged. */
export const unscaled: ValueScale = { weight: 0, mean: 0, square: 0 };

/** Returns the scale with the returns of one more iteration included. Without new returns, the scale is unchanged. */
export function followed({ weight, ...means }: ValueScale, returns: readonly number[]): ValueScale {
  if (returns.length === 0) return { weight, ...means };
  const next = (was: number, is: number) => kept * was + (1 - kept) * is;
  return {
    weight: next(weight, 1),
    mean: next(means.mean, mean(returns)),
    square: next(means.square, mean(returns.map((x) => x * x))),
  };
}

/**
 * The mean and the standard deviation of the returns. They are computed from the running sums, divided by the total
 * weight of all iterations.
 */
export function spreadOf({ weight, mean: first, square }: ValueScale): { centre: number; deviation: number } {
  if (weight === 0) return { centre: 0, deviation: 1 };
  const centre = first / weight;
  return { centre, deviation: Math.sqrt(Math.max(square / weight - centre ** 2, leastVariance)) };
}
