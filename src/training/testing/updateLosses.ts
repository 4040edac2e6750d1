// The same few updates on each backend, for tests: made-up rows, cross-entropy, AdamW.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { applyAdamW } from '../../engine/ops/adamW/adamW.ts';
import { weightedSum } from '../../engine/ops/loss/weightedSum.ts';
import { disposeTree, initialWeights, uploadTree, type ParameterTree } from '../../model/network/parameters.ts';
import { rowOutputs, type DeviceRows } from '../rows/forward.ts';

// Few numbers in a head: software adapters compile the team kernels slowly.
export const shallowShape: ModelShape = {
  ...{ vocabSize: 32, hiddenSize: 16, intermediateSize: 32, numLayers: 2, numHeads: 4, numKvHeads: 2, headSize: 4 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 96 },
};

/** Made-up rows, and the mean cross-entropy over them. */
export function lossOfRows(shape: ModelShape, size: [number, number]): (tree: ParameterTree) => tf.Scalar {
  const count = size[0] * size[1];
  const token = (i: number) => (i * i + 3 * i) % shape.vocabSize;
  const ids = (from: number) => Int32Array.from({ length: count }, (_, i) => token(i + from));
  const rows: DeviceRows = {
    shape: size,
    ids: tf.tensor2d(ids(0), size, 'int32'),
    targets: tf.tensor1d(ids(1), 'int32'),
  };
  const weight = tf.fill(size, -1 / count);
  return (tree: ParameterTree) => weightedSum(rowOutputs({ tree, shape }, rows, 1).logprobs, weight);
}

/** Losses of so many updates with AdamW, from one start, on the current backend. */
export async function lossesOfUpdates(shape: ModelShape, count: number): Promise<Float32Array> {
  const tree = uploadTree(initialWeights(shape, 7), shape);
  const variables = [...tree.values()];
  const zeros = () => variables.map(({ shape }) => tf.tidy(() => tf.variable(tf.zeros(shape))));
  const state = { m: zeros(), v: zeros() };
  const loss = lossOfRows(shape, [3, 7]);
  const options = { learningRate: 3e-3, beta1: 0.9, beta2: 0.95, eps: 1e-8, maxGradNorm: 1 };
  const weightDecay = variables.map(({ rank }) => (rank > 1 ? 0.1 : 0));
  const losses: tf.Scalar[] = [];
  for (let step = 1; step <= count; step++) {
    const { value, grads } = tf.variableGrads(() => loss(tree), variables);
    const ordered = variables.map(({ name }) => grads[name] as tf.Tensor);
    applyAdamW(variables, ordered, state, { ...options, weightDecay, step }).gradNorm.dispose();
    tf.dispose(grads);
    losses.push(value);
  }
  const all = await tf.tidy(() => tf.stack(losses)).data<'float32'>();
  disposeTree(tree);
  tf.dispose([...losses, ...state.m, ...state.v]);
  return all.slice();
}
