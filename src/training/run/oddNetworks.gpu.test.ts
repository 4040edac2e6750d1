// Tests networks whose widths, numbers of heads and vocabularies are not multiples of the kernels' tile sizes. On
// WebGPU, operations without a suitable kernel are composed of other operations. The numbers must be the same as on the
// CPU.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { distance } from '../../engine/ops/testing/numbers.ts';
import { startOwnDevice } from '../../engine/testing/ownDevice.ts';
import { decodingPolicy } from '../../model/decoding/decoder.ts';
import { DecodingStates } from '../../model/decoding/decodingStates.ts';
import { growingPolicy } from '../../model/decoding/growingDecoder.ts';
import { disposeTree, uploadTree, type ParameterTree } from '../../model/network/parameters.ts';
import { playRounds } from '../../model/testing/playedRows.ts';
import { livelyWeights } from '../../model/testing/reference.ts';
import type { Policy } from '../../records/policy.ts';
import { disposeRows, rowOutputs, type DeviceRows } from '../rows/forward.ts';
import { composedNote } from './slowerPaths.ts';

beforeAll(() => startOwnDevice());

const base = { ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 48, numLayers: 1 } as const;
const shapes: ModelShape[] = [
  { ...base, vocabSize: 31, hiddenSize: 20, intermediateSize: 28, numHeads: 2, numKvHeads: 1, headSize: 10 },
  { ...base, vocabSize: 32, hiddenSize: 18, intermediateSize: 30, numHeads: 3, numKvHeads: 3, headSize: 6 },
  { ...base, vocabSize: 82, hiddenSize: 36, intermediateSize: 52, numHeads: 1, numKvHeads: 1, headSize: 36 },
  { ...base, vocabSize: 33, hiddenSize: 17, intermediateSize: 19, numHeads: 1, numKvHeads: 1, headSize: 34 },
];

/** The gradient of the mean log-probability of invented rows with respect to each parameter. */
async function gradientOf(shape: ModelShape): Promise<Float32Array[]> {
  const [size, count]: [[number, number], number] = [[3, 7], 21];
  const ids = (from: number) => Int32Array.from({ length: count }, (_, i) => ((i + from) * 5 + 3) % shape.vocabSize);
  const tree = uploadTree(livelyWeights(shape, 3), shape);
  const variables = [...tree.values()];
  const rows: DeviceRows = {
    shape: size,
    ids: tf.tensor2d(ids(0), size, 'int32'),
    targets: tf.tensor1d(ids(1), 'int32'),
  };
  const { value, grads } = tf.variableGrads(
    () => tf.mean(rowOutputs({ tree, shape }, rows, 0.9).logprobs) as tf.Scalar,
    variables,
  );
  const all = [value, ...variables.map(({ name }) => grads[name] as tf.Tensor)];
  const read = await Promise.all(all.map(async (tensor) => (await tensor.data<'float32'>()).slice()));
  disposeTree(tree);
  disposeRows(rows);
  tf.dispose(all);
  return read;
}

/** The tokens that are sampled after two rounds, in which texts of unequal length are added to the contexts. */
async function tokensOf(shape: ModelShape, policyOf: (tree: ParameterTree) => Policy): Promise<number[][]> {
  const tree = uploadTree(livelyWeights(shape, 3), shape);
  const chunk = (window: number, row: number, round: number) => ({
    tokens: Array.from({ length: 1 + ((window + row) % window) }, (_, t) => (7 * t + row + round) % shape.vocabSize),
  });
  const rounds = [5, 3].map((window, round) => ({
    window: 3,
    chunks: [0, 1, 2].map((row) => chunk(window, row, round)),
  }));
  const said = await playRounds(policyOf(tree), rounds, { seed: 4, temperature: 0.8, endIds: [2] });
  disposeTree(tree);
  return said.map(({ ids }) => Array.from(ids));
}

describe.each(shapes)('with $hiddenSize numbers a token, heads of $headSize and $vocabSize tokens', (shape) => {
  it('gradients on WebGPU are those of composed ops on the CPU', async () => {
    await tf.setBackend('cpu');
    const expected = await gradientOf(shape);
    await tf.setBackend('webgpu');
    const actual = await gradientOf(shape);
    expect(composedNote(shape)).toMatch(/^No fused kernel supports /);
    expect(actual).toHaveLength(expected.length);
    actual.forEach((values, i) => expect(distance(values, expected[i] as Float32Array)).toBeLessThan(1e-4));
  });

  it('the same tokens are sampled, again and again in the same rooms', async () => {
    await tf.setBackend('cpu');
    const expected = await tokensOf(shape, (tree) => growingPolicy(tree, shape));
    expect(new Set(expected.flat()).size).toBeGreaterThan(3);
    await tf.setBackend('webgpu');
    const rooms = new DecodingStates(true);
    for (let time = 0; time < 3; time++)
      expect(await tokensOf(shape, (tree) => decodingPolicy(tree, shape, rooms))).toEqual(expected);
    rooms.dispose();
  });
});
