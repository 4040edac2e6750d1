// Tests that frozen weights in the format of their file give the same results as the same weights in float32, and are
// exported as the same float32 numbers.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import { asNamedArray, type StoredMatrix } from '../../records/stored/storedMatrix.ts';
import { storedMatrices } from '../testing/storedMatrices.ts';
import { logits, rowHiddenStates } from './llama.ts';
import { disposeTree, downloadTree, tensorOf, uploadFrozen, uploadTree, type WeightTree } from './parameters.ts';
import { rotaryTables } from './positions.ts';

beforeAll(async () => {
  await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)));
  await tf.setBackend(simdName);
  const tree = uploadFrozen(storedMatrices(shape, 'Q8_0'), shape);
  said(tree); // its constants stay
  disposeTree(tree);
});

const shape: ModelShape = {
  ...{ vocabSize: 41, hiddenSize: 64, intermediateSize: 96, numLayers: 2, numHeads: 4, numKvHeads: 2, headSize: 16 },
  ...{ ropeTheta: 10000, normEps: 1e-5, isTied: true, maxPositions: 16 },
};

const said = (tree: WeightTree, ids = [3, 40, 0, 17, 5]) =>
  tf.tidy(() => {
    const { cos, sin } = rotaryTables(ids.length, shape);
    const table = (values: Float32Array) => tf.tensor3d(values, [1, ids.length, shape.headSize]);
    const rotation = { cos: table(cos), sin: table(sin) };
    const hidden = rowHiddenStates(tf.tensor2d([ids], [1, ids.length], 'int32'), { tree, shape, rotation });
    return Array.from(logits(hidden, tree, shape).dataSync());
  });

describe.each(['F16', 'Q8_0', 'Q4_0', 'Q4_1'] as const)('weights stored as %s', (format) => {
  it('keep their format on the device, give the same outputs as their numbers, and leave no tensors', async () => {
    const { numTensors } = tf.memory();
    const matrices = storedMatrices(shape, format);
    const stored = uploadFrozen(matrices, shape);
    const numbers = uploadTree(matrices.map(asNamedArray), shape, { isFrozen: true });
    expect([...stored.keys()]).toEqual([...numbers.keys()]);
    const bytes = [...stored.values()].reduce((sum, one) => sum + ('base' in one ? 0 : 4 * tensorOf(one).size), 0);
    const asStored = matrices.reduce((sum, one) => sum + one.bytes.length, 0);
    expect(bytes).toBeGreaterThanOrEqual(asStored);
    expect(bytes).toBeLessThan(asStored + 4 * stored.size);
    const [ours, theirs] = [said(stored), said(numbers)];
    const largest = Math.max(...theirs.map(Math.abs));
    ours.forEach((x, i) => expect(Math.abs(x - (theirs[i] as number))).toBeLessThan(1e-5 * largest));
    expect(await downloadTree(stored, shape)).toEqual(await downloadTree(numbers, shape));
    disposeTree(stored);
    disposeTree(numbers);
    expect(tf.memory().numTensors).toBe(numTensors);
  });
});

it('packed parts of different formats are uploaded as numbers', () => {
  const mixed = storedMatrices(shape, 'Q8_0').map((one, i) =>
    one.name.endsWith('k_proj.weight') ? (storedMatrices(shape, 'Q4_1')[i] as StoredMatrix) : one,
  );
  const tree = uploadFrozen(mixed, shape);
  const numbers = uploadTree(mixed.map(asNamedArray), shape, { isFrozen: true });
  expect(tree.get('model.layers.0.self_attn.qkv_proj.weight')).toBeInstanceOf(tf.Variable);
  expect(tree.get('model.layers.0.mlp.down_proj.weight')).not.toBeInstanceOf(tf.Variable);
  const [ours, theirs] = [said(tree), said(numbers)];
  ours.forEach((x, i) => expect(Math.abs(x - (theirs[i] as number))).toBeLessThan(1e-3));
  disposeTree(tree);
  disposeTree(numbers);
});

it('stored embeddings can be read for more tokens than the vocabulary has', () => {
  const ids = Array.from({ length: shape.vocabSize + 9 }, (_, i) => (7 * i) % shape.vocabSize);
  const matrices = storedMatrices(shape, 'Q8_0');
  const [stored, numbers] = [uploadFrozen(matrices, shape), uploadTree(matrices.map(asNamedArray), shape)];
  const [ours, theirs] = [said(stored, ids), said(numbers, ids)];
  const largest = Math.max(...theirs.map(Math.abs));
  ours.forEach((x, i) => expect(Math.abs(x - (theirs[i] as number))).toBeLessThan(1e-5 * largest));
  disposeTree(stored);
  disposeTree(numbers);
});

it('weights that are missing or of another shape are refused by name, and no tensors are left', () => {
  const { numTensors } = tf.memory();
  const matrices = storedMatrices(shape, 'Q4_0');
  expect(() => uploadFrozen(matrices.slice(0, -1), shape)).toThrow(
    'model.norm.weight must have the shape [64], got nothing',
  );
  const wrong = matrices.with(1, { ...(matrices[1] as StoredMatrix), shape: [64, 32] });
  expect(() => uploadFrozen(wrong, shape)).toThrow(FormatError);
  expect(tf.memory().numTensors).toBe(numTensors);
});
