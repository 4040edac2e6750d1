import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { testShapes } from '../testing/reference.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { withHeadFacts } from './headFacts.ts';

const shape: ModelShape = {
  ...(testShapes['micro'] as ModelShape),
  numHeads: 1,
  numKvHeads: 1,
  headSize: 2,
  normEps: 0,
};
const qkv = () => tf.tensor2d([[3, 4, 6, 8, 5, 7]]);
const at = 'model.layers.0.self_attn';
const near = (values: ArrayLike<number>, wanted: number[]) =>
  wanted.forEach((value, i) => expect(values[i]).toBeCloseTo(value, 5));

beforeAll(() => tf.setBackend('cpu'));

it('the product of a Llama is returned unchanged', () => {
  const product = qkv();
  expect(withHeadFacts(product, at, new Map(), shape)).toBe(product);
});

it('Qwen 2 adds its bias to queries, keys and values', () => {
  const tree = new Map([[`${at}.qkv_proj.bias`, tf.tensor1d([1, 2, 3, 4, 5, 6])]]);
  near(withHeadFacts(qkv(), at, tree, { ...shape, attentionBias: true }).dataSync(), [4, 6, 9, 12, 10, 13]);
});

it('Qwen 3 divides each head of queries and keys by its root mean square, and leaves values', () => {
  const tree = new Map([
    [`${at}.q_norm.weight`, tf.tensor1d([1, 2])],
    [`${at}.k_norm.weight`, tf.tensor1d([1, 1])],
  ]);
  // √((9 + 16)/2) is 3.53553. If all numbers are doubled, their root mean square doubles too, so the normalised numbers
  // stay the same.
  near(
    withHeadFacts(qkv(), at, tree, { ...shape, qkNorm: true }).dataSync(),
    [0.848528, 2.262742, 0.848528, 1.131371, 5, 7],
  );
});
