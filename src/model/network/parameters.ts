// The named parameter tree of one network: packed names (packing.ts) → TF.js variables, of a network with adapters
// (adapter.ts) also matrices with what an adapter adds to them. Model functions take the tree as an argument and never own it.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { flatVariables } from '../../engine/flat.ts';
import { linear } from '../../engine/ops/linear/linear.ts';
import { addLowRank, type LowRank } from '../../engine/ops/linear/lowRank.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { parameterNames } from '../../records/parameters.ts';
import { packArrays, packedInTurn, unpackArrays } from './packing.ts';

export type ParameterTree = Map<string, tf.Variable>;

/** A frozen matrix W and what is trained beside it: W + scale·B·A. */
export interface AdaptedMatrix extends LowRank {
  base: tf.Tensor2D;
}

/** What a network computes with by name, to be read only. */
export type WeightTree = ReadonlyMap<string, tf.Tensor | AdaptedMatrix>;

/** Whether a weight has an adapter. */
export const isAdapted = (weight: tf.Tensor | AdaptedMatrix): weight is AdaptedMatrix => !(weight instanceof tf.Tensor);

function found(tree: WeightTree, name: string): tf.Tensor | AdaptedMatrix {
  const one = tree.get(name);
  if (!one) throw new ShapeError(`parameters: ${name} is missing; was the tree made for another size?`);
  return one;
}

/** The parameter of this name, its adapter aside. Throws ShapeError when the tree has none. */
export function weight<R extends tf.Rank>(tree: WeightTree, name: string): tf.Tensor<R> {
  const one = found(tree, name);
  return (isAdapted(one) ? one.base : one) as tf.Tensor<R>;
}

/** Whether a parameter is never moved: then no pass asks for its gradient. */
export const isFrozen = (parameter: tf.Tensor): boolean => parameter instanceof tf.Variable && !parameter.trainable;

/** x [N, I] through the matrix of this name [O, I], with its adapter where it has one → [N, O]. Throws ShapeError when the tree has none. */
export function project(x: tf.Tensor2D, tree: WeightTree, name: string): tf.Tensor2D {
  const one = found(tree, name);
  if (isAdapted(one)) return addLowRank(linear(x, one.base, true), x, one);
  return linear(x, one as tf.Tensor2D, isFrozen(one));
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

/** Uploads arrays of Hugging Face's names as packed variables, which no optimiser moves where they are frozen. The caller disposes the tree. Throws FormatError when names or shapes do not fit. */
export function uploadTree(
  arrays: readonly NamedArray[],
  shape: ModelShape,
  { isFrozen: isFixed = false } = {},
): ParameterTree {
  const packed = packArrays(arrays, shape); // nothing is uploaded before all fit
  const variables = flatVariables(packed);
  if (isFixed) for (const variable of variables) variable.trainable = false;
  return treeOf(packed, variables);
}

/**
 * The same of arrays in the order of `parameterNames`, of which each is made as its turn comes: so large weights are never in
 * memory twice. Nothing stays on the device where it throws.
 */
export function uploadInTurn(arrays: Iterable<NamedArray>, shape: ModelShape): ParameterTree {
  const tree: ParameterTree = new Map();
  try {
    for (const packed of packedInTurn(arrays, shape)) tree.set(packed.name, flatVariables([packed])[0] as tf.Variable);
  } catch (error) {
    disposeTree(tree);
    throw error;
  }
  return tree;
}

/** A tree of packed arrays that are variables already. */
export function treeOf(packed: readonly NamedArray[], variables: readonly tf.Variable[]): ParameterTree {
  return new Map(packed.map(({ name }, i) => [name, variables[i] as tf.Variable]));
}

/** Copies of all weights, adapters merged into them, under Hugging Face's names and in their order. */
export async function downloadTree(tree: WeightTree, shape: ModelShape): Promise<NamedArray[]> {
  const packed = await Promise.all([...tree.values()].map(numbersOf));
  return unpackArrays(packed, shape);
}

async function numbersOf(one: tf.Tensor | AdaptedMatrix): Promise<Float32Array> {
  if (!isAdapted(one)) return one.data<'float32'>();
  const { base, a, b, scale } = one;
  const merged = tf.tidy(() => tf.add(base, tf.mul(tf.matMul(b, a), scale)));
  const values = await merged.data<'float32'>();
  merged.dispose();
  return values;
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
