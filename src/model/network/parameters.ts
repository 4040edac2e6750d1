// The named parameter tree of one network: packed names (packing.ts) → TF.js variables. In a network with adapters
// (adapter.ts), each adapted matrix is stored together with its adapter. The functions of the model take the tree as an
// argument and never dispose it.
import * as tf from '@tensorflow/tfjs-core';
import { FormatError, ShapeError } from '../../base/errors.ts';
import { Draws, streams } from '../../base/random.ts';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { flatVariables } from '../../engine/flat.ts';
import { adaptedLinear } from '../../engine/ops/linear/adaptedLinear.ts';
import { scalar } from '../../engine/ops/constants.ts';
import { embed } from '../../engine/ops/embed/embed.ts';
import { frozenEmbed, frozenLinear } from '../../engine/ops/frozen/frozenLinear.ts';
import { dequantized, frozenFormats, type FrozenMatrix } from '../../engine/ops/frozen/frozenMatrix.ts';
import { hasKernel } from '../../engine/ops/kernel.ts';
import { linear } from '../../engine/ops/linear/linear.ts';
import type { LowRank } from '../../engine/ops/linear/lowRank.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { parameterNames, type ParameterName } from '../../records/parameters.ts';
import { dequantised, type StoredMatrix } from '../../records/stored/storedMatrix.ts';
import { packArrays, packedParameters, unpackArrays } from './packing.ts';

export type ParameterTree = Map<string, tf.Variable>;

/** A matrix [out, in]: either a tensor of float32 numbers, or frozen weights in the format of their file. */
export type WeightMatrix = tf.Tensor2D | FrozenMatrix;

/** A frozen matrix W with its trained adapter. Together they act as W + scale·B·A. */
export interface AdaptedMatrix extends LowRank {
  base: WeightMatrix;
}

type Weight = tf.Tensor | FrozenMatrix | AdaptedMatrix;

/** The weights of a network, by name. The map is read-only. */
export type WeightTree = ReadonlyMap<string, Weight>;

export const embeddingName = 'model.embed_tokens.weight';

/** Whether a weight has an adapter. */
export const isAdapted = (one: Weight): one is AdaptedMatrix => 'base' in one;
const isStored = (one: Weight): one is FrozenMatrix => 'words' in one;

/** The tensor that contains a weight: its numbers or, for frozen weights in the format of their file, 32-bit words. */
export const tensorOf = (one: tf.Tensor | FrozenMatrix): tf.Tensor => (isStored(one) ? one.words : one);

function found(tree: WeightTree, name: string): Weight {
  const one = tree.get(name);
  if (!one) throw new ShapeError(`parameters: ${name} is missing; were the parameters made for another size?`);
  return one;
}

/**
 * The parameter of this name, without its adapter. Throws ShapeError if the tree has no such parameter, or if the
 * parameter is stored in the format of its file, which only the kernels for products can read.
 */
export function weight<R extends tf.Rank>(tree: WeightTree, name: string): tf.Tensor<R> {
  const one = found(tree, name);
  const plain = isAdapted(one) ? one.base : one;
  if (isStored(plain))
    throw new ShapeError(`parameters: ${name} is stored as ${plain.format}; it can be used only in a matrix product.`);
  return plain as tf.Tensor<R>;
}

/**
 * Whether a parameter is a tensor of numbers. Otherwise, the parameter is a matrix with an adapter, or is stored in the
 * format of its file.
 */
export const isPlain = (tree: WeightTree, name: string): boolean => found(tree, name) instanceof tf.Tensor;

/** Whether a parameter is never trained, so that its gradient is not needed. */
export function isFrozen(tree: WeightTree, name: string): boolean {
  const one = found(tree, name);
  return !(one instanceof tf.Tensor) || isFixed(one);
}

const isFixed = (one: tf.Tensor) => one instanceof tf.Variable && !one.trainable;

/**
 * Multiplies x [N, I] by the matrix of this name [O, I], with its adapter if it has one → [N, O]. Throws ShapeError if
 * the tree has no such matrix.
 */
export function project(x: tf.Tensor2D, tree: WeightTree, name: string): tf.Tensor2D {
  const one = found(tree, name);
  if (isAdapted(one)) return adaptedLinear(x, one.base, one);
  if (isStored(one)) return frozenLinear(x, one);
  return linear(x, one as tf.Tensor2D, isFixed(one));
}

/** The embeddings of tokens: ids [N] int32 → [N, C]. */
export function embedded(ids: tf.Tensor1D, tree: WeightTree, shape: ModelShape): tf.Tensor2D {
  const one = found(tree, embeddingName);
  return asInput(isStored(one) ? frozenEmbed(ids, one) : embed(ids, weight(tree, embeddingName)), shape);
}

/** Embeddings as the first layer reads them, [N, C]. Some families multiply them by the square root of the width. */
export const asInput = (embeddings: tf.Tensor2D, { scaledEmbeddings, hiddenSize }: ModelShape): tf.Tensor2D =>
  scaledEmbeddings ? tf.mul(embeddings, scalar(Math.sqrt(hiddenSize))) : embeddings;

/**
 * Random weights. Matrices are normally distributed with standard deviation 0.7/√width. The value 0.02 of GPT-2 is
 * meant for a width of 768; with this value, networks as narrow as ours learn the warm start several times more slowly.
 * In matrices whose output is added to the residual stream, the standard deviation is divided by √(2·layers). Gains are
 * 1, and biases are
 * 0. Networks with different numbers (`network`) get independent random numbers.
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

/**
 * Uploads arrays with Hugging Face's names as packed variables. If `isFrozen` is true, the variables are not trainable.
 * The caller must dispose the tree. Throws FormatError if names or shapes do not fit.
 */
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
 * Uploads frozen weights, one packed parameter after the other. Matrices stay in the format of their file if the engine
 * has kernels for this format; all other weights are converted to float32. The caller must dispose the tree. Throws
 * FormatError if names or shapes do not fit.
 */
export function uploadFrozen(matrices: readonly StoredMatrix[], shape: ModelShape): WeightTree {
  const byName = new Map(matrices.map((matrix) => [matrix.name, matrix]));
  const tree = new Map<string, tf.Tensor | FrozenMatrix>();
  try {
    for (const { name, shape: dimensions, parts } of packedParameters(shape)) {
      const own = parts.map((part) => expectPart(part, byName.get(part.name)));
      tree.set(name, frozenOf(own, dimensions) ?? frozenFloats(own, dimensions));
    }
  } catch (error) {
    disposeTree(tree);
    throw error;
  }
  return tree;
}

function expectPart(part: ParameterName, matrix: StoredMatrix | undefined): StoredMatrix {
  if (matrix && matrix.shape.join() === part.shape.join()) return matrix;
  const came = matrix ? `[${matrix.shape.join(', ')}]` : 'nothing';
  throw new FormatError(
    spoken`weights: ${part.name} must have the shape [${part.shape.join(', ')}], got ${came}; choose the size that the weights were made for.`,
  );
}

/**
 * The parts of a packed matrix, one below the other, in the format of their file. Null if the parts have different
 * formats, or if the engine has no kernels for the format.
 */
function frozenOf(parts: readonly StoredMatrix[], [rows = 0, columns = 0]: readonly number[]): FrozenMatrix | null {
  const format = frozenFormats.find((name) => name === parts[0]?.format.toLowerCase());
  const isOne = parts.every((part) => part.format === parts[0]?.format && part.shape.length === 2);
  if (!format || !isOne || columns % 32 !== 0 || !hasKernel('FrozenLinear')) return null;
  const bytes = parts.reduce((sum, part) => sum + part.bytes.length, 0);
  const words = new Int32Array(Math.ceil(bytes / 4));
  const into = new Uint8Array(words.buffer);
  let at = 0;
  for (const part of parts) {
    into.set(part.bytes, at);
    at += part.bytes.length;
  }
  return { words: tf.tensor1d(words, 'int32'), format, rows, columns };
}

/** The stacked parts as float32. */
function frozenFloats(parts: readonly StoredMatrix[], dimensions: readonly number[]): tf.Variable {
  const values = new Float32Array(dimensions.reduce((a, b) => a * b, 1));
  let at = 0;
  for (const part of parts) {
    const numbers = dequantised(part);
    values.set(numbers, at);
    at += numbers.length;
  }
  const [variable] = flatVariables([{ shape: dimensions, values }]) as [tf.Variable];
  variable.trainable = false;
  return variable;
}

/** A tree made of existing variables, which are packed. */
export function treeOf(packed: readonly NamedArray[], variables: readonly tf.Variable[]): ParameterTree {
  return new Map(packed.map(({ name }, i) => [name, variables[i] as tf.Variable]));
}

/** Copies of all weights, with adapters merged into them. The copies have Hugging Face's names and order. */
export async function downloadTree(tree: WeightTree, shape: ModelShape): Promise<NamedArray[]> {
  const packed = await Promise.all([...tree.values()].map(numbersOf));
  return unpackArrays(packed, shape);
}

async function numbersOf(one: Weight): Promise<Float32Array> {
  if (isStored(one)) return dequantized((await one.words.data()) as Int32Array, one);
  if (!isAdapted(one)) return one.data<'float32'>();
  const { base, a, b, scale } = one;
  const numbers = await numbersOf(base);
  const merged = tf.tidy(() => {
    const product = tf.mul(tf.matMul(b, a), scale);
    return tf.add(tf.tensor(numbers, product.shape), product);
  });
  const values = await merged.data<'float32'>();
  merged.dispose();
  return values;
}

/** A copy of one variable. */
export async function downloadVariable(name: string, variable: tf.Tensor): Promise<NamedArray> {
  return { name, shape: variable.shape.slice(), values: ((await variable.data()) as Float32Array).slice() };
}

/**
 * The tensors of a tree that do not belong to its base: the tensors of adapters, and weights that the base does not
 * contain.
 */
export function ownTensors(tree: WeightTree, base?: WeightTree): tf.Tensor[] {
  return [...tree].flatMap(([name, one]) => {
    if (isAdapted(one)) return [one.a, one.b];
    return one === base?.get(name) ? [] : [tensorOf(one)];
  });
}

/**
 * Frees the tensors of this tree. Weights with adapters are not freed, because their tensors belong to the base and to
 * the adapters.
 */
export function disposeTree(tree: WeightTree): void {
  for (const one of tree.values()) if (!isAdapted(one)) tensorOf(one).dispose();
  if (tree instanceof Map) tree.clear();
}
