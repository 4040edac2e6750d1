// The work that is measured of a language model of real size: the shape of SmolLM2-135M with weights of chance, which say nothing
// and take as long as the true ones.
import type { ModelShape } from '../../src/config/sizes.ts';
import { parameterNames } from '../../src/records/parameters.ts';
import type { NamedArray } from '../../src/records/stored/checkpoint.ts';

export const modelName = 'SmolLM2-135M';
export const shape: ModelShape = {
  ...{ vocabSize: 49_152, hiddenSize: 576, intermediateSize: 1536, numLayers: 30, numHeads: 9, numKvHeads: 3 },
  ...{ headSize: 64, ropeTheta: 100_000, normEps: 1e-5, isTied: true, maxPositions: 320 },
};

/** One row is heard whole, or each of some rows says so many tokens, one after the other. */
export const works = {
  prefill: { rows: 1, heard: 256, said: 0 },
  decode1: { rows: 1, heard: 0, said: 12 },
  decode8: { rows: 8, heard: 0, said: 8 },
} as const;
export type Work = keyof typeof works;

/** Tokens of one go. */
export const tokensOf = (work: Work): number => works[work].rows * (works[work].heard + works[work].said);

/** The tokens that a row hears. */
export const heardTokens = (count: number): number[] => Array.from({ length: count }, (_, i) => (i * 7919) % 49_152);

/** Numbers within ±bound by a hash of their place. */
export function noise(count: number, bound: number): Float32Array {
  const values = new Float32Array(count);
  for (let i = 0; i < count; i++) values[i] = (Math.imul(i + 1, 0x9e3779b1) / 2 ** 31) * bound;
  return values;
}

/** All weights under Hugging Face's names. */
export function chanceWeights(): NamedArray[] {
  return parameterNames(shape).map(({ name, shape: sizes }) => {
    const count = sizes.reduce((a, b) => a * b, 1);
    return { name, shape: sizes, values: sizes.length === 1 ? new Float32Array(count).fill(1) : noise(count, 0.05) };
  });
}
