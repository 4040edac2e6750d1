// Low-rank adapters (LoRA, 2106.09685). Each packed projection of a frozen base has a pair A [r, in] and B [out, r];
// the network uses W + (α/r)·B·A in place of W. B starts at zero, so a network with new adapters equals its base. W
// itself never changes, because several networks share it; the product with B·A is computed separately and added
// (engine/ops/linear/lowRank.ts). Adapters are merged into the weights only for export and decoding.
import * as tf from '@tensorflow/tfjs-core';
import { FormatError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import type { ParameterName, ProjectionAdapter } from '../../records/parameters.ts';
import { packedParameters } from './packing.ts';
import { downloadVariable, isAdapted, type AdaptedMatrix, type WeightMatrix, type WeightTree } from './parameters.ts';

/** A frozen base, and the factor α/r by which the products B·A are multiplied. */
export interface AdapterBase {
  base: WeightTree;
  scale: number;
}

export interface Adapter extends AdapterBase {
  /** The pairs of A and B, in the order of the base's matrices. The key of a pair is the packed name of its matrix. */
  pairs: Map<string, { a: tf.Variable<tf.Rank.R2>; b: tf.Variable<tf.Rank.R2> }>;
}

/** The packed names and shapes of all matrices that have adapters. These are the matrices of the projections. */
function adaptedMatrices(shape: ModelShape): ParameterName[] {
  return packedParameters(shape).filter(({ name }) => name.endsWith('_proj.weight'));
}

const nameOf = (matrix: string, part: 'A' | 'B') => `lora.${matrix.slice(0, -'.weight'.length)}.${part}`;

/** Whether arrays are the adapters of a network, and not its whole weights. */
export const areAdapters = (arrays: readonly NamedArray[]): boolean => arrays[0]?.name.startsWith('lora.') ?? false;

/** The names and shapes of all matrices A and B of this rank. For each adapted matrix, A comes before B. */
export function adapterNames(shape: ModelShape, rank: number): ParameterName[] {
  return adaptedMatrices(shape).flatMap(({ name, shape: [out, input] }) => [
    { name: nameOf(name, 'A'), shape: [rank, input as number] },
    { name: nameOf(name, 'B'), shape: [out as number, rank] },
  ]);
}

/**
 * New adapters: A is normally distributed with standard deviation 1/√in, and B is zero. Networks with different numbers
 * (`network`) get independent random numbers.
 */
export function initialAdapters(
  shape: ModelShape,
  { rank, seed, network = 0 }: { rank: number; seed: number; network?: number },
): NamedArray[] {
  const draws = new Draws(seed, streams.adapters, network);
  return adapterNames(shape, rank).map(({ name, shape: dimensions }) => {
    const values = new Float32Array((dimensions[0] as number) * (dimensions[1] as number));
    const deviation = 1 / Math.sqrt(dimensions[1] as number);
    return {
      name,
      shape: dimensions,
      values: name.endsWith('.A') ? values.map(() => draws.normal() * deviation) : values,
    };
  });
}

/**
 * Returns a copy of the list of arrays, after checking that they are adapters of a network of this shape. Throws
 * FormatError if names or shapes do not fit.
 */
export function expectAdapters(arrays: readonly NamedArray[], shape: ModelShape): NamedArray[] {
  const rank = arrays[0]?.shape[0] ?? 0;
  const wanted = adapterNames(shape, rank);
  const words = (array?: ParameterName) => (array ? `${array.name} [${array.shape.join(', ')}]` : 'nothing');
  for (let i = 0; i < Math.max(wanted.length, arrays.length); i++) {
    if (words(arrays[i]) === words(wanted[i])) continue;
    throw new FormatError(
      spoken`adapters: expected ${words(wanted[i])}, got ${words(arrays[i])}; choose the network size for which the adapters were made.`,
    );
  }
  return [...arrays];
}

/**
 * Splits adapters into one adapter for each of Hugging Face's projections. All projections in a packed matrix get the
 * same A, and each gets its own rows of B. `adapters` are A and B of each matrix in the order of `adapterNames`.
 */
export function adaptersByProjection(adapters: readonly NamedArray[], shape: ModelShape): ProjectionAdapter[] {
  return packedParameters(shape)
    .filter(({ name }) => name.endsWith('_proj.weight'))
    .flatMap(({ parts }, i) => {
      const [a, b] = adapters.slice(2 * i) as [NamedArray, NamedArray];
      const rank = a.shape[0] as number;
      let at = 0;
      return parts.map(({ name, shape: [rows = 0] }) => {
        const values = b.values.slice(at, (at += rows * rank));
        return { name: name.slice(0, -'.weight'.length), a, b: { name: b.name, shape: [rows, rank], values } };
      });
    });
}

/** Adapters made of existing variables, which are in the order of `adapterNames`. */
export function adapterOf(variables: readonly tf.Variable[], shape: ModelShape, { base, scale }: AdapterBase): Adapter {
  const pairs: Adapter['pairs'] = new Map();
  adaptedMatrices(shape).forEach(({ name }, i) => {
    const [a, b] = variables.slice(2 * i) as [tf.Variable<tf.Rank.R2>, tf.Variable<tf.Rank.R2>];
    pairs.set(name, { a, b });
  });
  return { base, scale, pairs };
}

/** The variables of all adapters. For each adapted matrix, A comes before B. */
export function adapterVariables({ pairs }: Adapter): tf.Variable[] {
  return [...pairs.values()].flatMap(({ a, b }) => [a, b]);
}

/** The parameter tree of the network: the weights of the base, together with the adapters. */
export function adaptedTree({ base, scale, pairs }: Adapter): WeightTree {
  return new Map(
    [...base].map(([name, matrix]) => {
      const pair = pairs.get(name);
      return [name, pair && !isAdapted(matrix) ? { base: matrix as WeightMatrix, ...pair, scale } : matrix];
    }),
  );
}

/** Copies of all adapters. */
export const downloadAdapters = ({ pairs }: Adapter): Promise<NamedArray[]> => downloadPairs(pairs);

/** Copies of the adapters in a tree; null if the tree has no adapters. */
export async function namedAdapters(tree: WeightTree): Promise<NamedArray[] | null> {
  const pairs = [...tree].flatMap(([name, one]): [string, AdaptedMatrix][] => (isAdapted(one) ? [[name, one]] : []));
  return pairs.length > 0 ? downloadPairs(pairs) : null;
}

async function downloadPairs(pairs: Iterable<[string, Pick<AdaptedMatrix, 'a' | 'b'>]>): Promise<NamedArray[]> {
  const arrays = Array.from(pairs, ([name, { a, b }]) => [
    downloadVariable(nameOf(name, 'A'), a),
    downloadVariable(nameOf(name, 'B'), b),
  ]);
  return Promise.all(arrays.flat());
}
