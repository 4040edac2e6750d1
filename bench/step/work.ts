// The computation of every engine in the step bench: a Llama of a fixed size, seeded weights and tokens, and one
// update, which consists of forward, backward, clip by the global norm, and AdamW. All data are plain arrays, so that
// any library can use them.
import { Draws, streams } from '../../src/base/random.ts';
import { parameterCount, sizes, type ModelShape } from '../../src/config/sizes.ts';
import { initialWeights } from '../../src/model/network/parameters.ts';
import type { NamedArray } from '../../src/records/stored/checkpoint.ts';

export interface StepWork {
  shape: ModelShape;
  rows: number;
  /** Tokens of a row. */
  length: number;
  weights: NamedArray[];
  /** [rows · length] */
  ids: Int32Array;
  /** [rows · length]: the target at each position. */
  targets: Int32Array;
}

/** AdamW and clip of every engine. */
export const optimiser = {
  learningRate: 1e-3,
  beta1: 0.9,
  beta2: 0.95,
  eps: 1e-8,
  /** The weight decay of matrices; gains do not decay. */
  weightDecay: 0.01,
  maxGradNorm: 1,
} as const;

const seed = 5;

const shapeA: ModelShape = {
  vocabSize: 32,
  hiddenSize: 64,
  intermediateSize: 172,
  numLayers: 2,
  numHeads: 4,
  numKvHeads: 4,
  headSize: 16,
  ropeTheta: 10000,
  normEps: 1e-5,
  isTied: true,
  maxPositions: 64,
};

/** A: about 105k parameters, 1,024 tokens. B: size `small`, about 1M parameters, 4,096 tokens. */
export function stepWork(workload: 'A' | 'B'): StepWork {
  if (workload === 'A') return workOf(shapeA, 64, 16);
  return workOf({ ...sizes.small, vocabSize: 32, maxPositions: 64 }, 128, 32);
}

/** Workload A with a different number and length of rows. */
export function stretchedWork(rows: number, length: number): StepWork {
  return workOf(shapeA, rows, length);
}

function workOf(shape: ModelShape, rows: number, length: number): StepWork {
  const draws = new Draws(seed, streams.demonstrations, 0);
  const tokens = () => Int32Array.from({ length: rows * length }, () => draws.below(shape.vocabSize));
  return { shape, rows, length, weights: initialWeights(shape, seed), ids: tokens(), targets: tokens() };
}

/**
 * Returns the floating-point operations of one update; a multiply-add counts as two:
 *
 *   tokens · (6·M + 6·L·H·D·(T+1)) + 15·P
 *
 * M is the number of weights in matrices (the tied table counts once, as the head), and P the number of all parameters.
 * Forward takes a third and backward two thirds. With causal attention a query attends to (T+1)/2 keys on average,
 * twice (scores and mixture).
 */
export function updateOperations({ shape, rows, length }: StepWork): number {
  const all = parameterCount(shape);
  const gains = shape.hiddenSize * (2 * shape.numLayers + 1);
  const matrices = all - gains - (shape.isTied ? 0 : shape.vocabSize * shape.hiddenSize);
  const attention = shape.numLayers * shape.numHeads * shape.headSize * (length + 1);
  return rows * length * 6 * (matrices + attention) + 15 * all;
}

/**
 * Returns the bytes that one update has to move even with perfect kernels, in float32: 10·P for the weights (read
 * forward and backward, gradients written, then AdamW reads four arrays and writes three), and the values of every
 * token that the backward pass needs, written once and read once. These are, for each layer, two sums, two norms, q, k,
 * v, their mixture, gate, up and their product; and the logits.
 */
export function updateBytes({ shape, rows, length }: StepWork): number {
  const { hiddenSize, intermediateSize, numLayers, numHeads, numKvHeads, headSize, vocabSize } = shape;
  const heads = (2 * numHeads + 2 * numKvHeads) * headSize;
  const kept = numLayers * (4 * hiddenSize + heads + 3 * intermediateSize) + vocabSize;
  return 4 * (10 * parameterCount(shape) + 2 * rows * length * kept);
}
