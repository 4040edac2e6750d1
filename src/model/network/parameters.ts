// The named parameter tree of one network: packed names (packing.ts) → TF.js variables.
// Model functions take the tree as an argument and never own it.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { flatVariables } from '../../engine/flat.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { parameterNames } from '../../records/parameters.ts';
import { packArrays, unpackArrays } from './packing.ts';

export type ParameterTree = Map<string, tf.Variable>;
/** The same to be read only; the matrices may be functions of other variables. */
export type WeightTree = ReadonlyMap<string, tf.Tensor>;

/** The parameter of this name. Throws ShapeError when the tree has none. */
export function weight<R extends tf.Rank>(tree: WeightTree, name: string): tf.Tensor<R> {
  const found = tree.get(name);
  if (!found) throw new ShapeError(`parameters: ${name} is missing; was the tree made for another size?`);
  return found as tf.Tensor<R>;
}

/**
 * Random weights: matrices normal with deviation 0.7/√width (GPT-2's 0.02 is for width 768; networks this
 * narrow learn the warm start several times slower with it), those that write into the residual stream
 * smaller by √(2·layers), gains 1, biases 0. `network` keeps the draws of several networks apart.
 */
export function initialWeights(shape: ModelShape, seed: number, network = 0): NamedArray[] {
  const draws = new Draws(seed, streams.weights, network);
  return parameterNames(shape).map(({ name, shape: dimensions }) => {
    const size = dimensions.reduce((a, b) => a * b, 1);
    if (dimensions.length === 1)
      return { name, shape: dimensions, values: new Float32Array(size).fill(name.endsWith('.bias') ? 0 : 1) };
    const isResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
    const deviation = 0.7 / Math.sqrt(shape.hiddenSize * (isResidual ? 2 * shape.numLayers : 1));
    return { name, shape: dimensions, values: Float32Array.from({ length: size }, () => draws.normal() * deviation) };
  });
}

/** Uploads arrays of Hugging Face's names as packed variables. The caller disposes the tree. Throws FormatError when names or shapes do not fit. */
export function uploadTree(arrays: readonly NamedArray[], shape: ModelShape): ParameterTree {
  const packed = packArrays(arrays, shape); // nothing is uploaded before all fit
  return treeOf(packed, flatVariables(packed));
}

/** A tree of packed arrays that are variables already. */
export function treeOf(packed: readonly NamedArray[], variables: readonly tf.Variable[]): ParameterTree {
  return new Map(packed.map(({ name }, i) => [name, variables[i] as tf.Variable]));
}

/** Copies of all weights, under Hugging Face's names and in their order. */
export async function downloadTree(tree: ParameterTree, shape: ModelShape): Promise<NamedArray[]> {
  const packed = await Promise.all([...tree.values()].map((variable) => variable.data<'float32'>()));
  return unpackArrays(packed, shape);
}

/** A copy of one variable. */
export async function downloadVariable(name: string, variable: tf.Variable): Promise<NamedArray> {
  return { name, shape: variable.shape.slice(), values: ((await variable.data()) as Float32Array).slice() };
}

/** Frees all variables. */
export function disposeTree(tree: ParameterTree): void {
  for (const variable of tree.values()) variable.dispose();
  tree.clear();
}
