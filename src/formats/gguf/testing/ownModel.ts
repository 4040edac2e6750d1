// Weights of one of our networks; for tests only.
import { Draws, streams } from '../../../base/random.ts';
import type { ModelShape } from '../../../config/sizes.ts';
import { parameterNames } from '../../../records/parameters.ts';
import type { NamedArray } from '../../../records/stored/checkpoint.ts';

export function initialWeightsOf(shape: ModelShape): NamedArray[] {
  const draws = new Draws(9, streams.weights, 0);
  return parameterNames(shape).map(({ name, shape: dimensions }) => ({
    ...{ name, shape: dimensions },
    values: Float32Array.from({ length: dimensions.reduce((a, b) => a * b, 1) }, () => draws.normal()),
  }));
}
