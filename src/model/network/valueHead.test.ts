import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { testShapes } from '../testing/reference.ts';
import { flatVariables } from '../../engine/flat.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { initialValueHead, stateValues, type ValueHead } from './valueHead.ts';

beforeAll(async () => {
  await tf.setBackend('cpu');
});

const micro = testShapes['micro'] as ModelShape;
const uploadValueHead = (arrays: NamedArray[]): ValueHead => {
  const [weight, bias] = flatVariables(arrays) as [ValueHead['weight'], ValueHead['bias']];
  return { weight, bias };
};
const hidden = () => tf.tensor2d([1, 2, 3, -1, 0, 4], [2, 3]);
const head = () =>
  uploadValueHead([
    { name: 'value_head.weight', shape: [1, 3], values: Float32Array.of(0.5, -1, 2) },
    { name: 'value_head.bias', shape: [1], values: Float32Array.of(0.25) },
  ]);
const free = ({ weight, bias }: ValueHead) => tf.dispose([weight, bias]);

it('a fresh value head gives 0 for every state', async () => {
  const fresh = uploadValueHead(initialValueHead(micro));
  const values = stateValues(tf.ones([5, micro.hiddenSize]), fresh);
  expect([...(await values.data())]).toEqual([0, 0, 0, 0, 0]);
  free(fresh);
});

it('a value is weight · hidden + bias: 0.5 − 2 + 6 + 0.25 = 4.75', async () => {
  const own = head();
  expect([...(await stateValues(hidden(), own).data())]).toEqual([4.75, 7.75]);
  free(own);
});

it('the gradient of the summed values is the sum of the states, and their number for the bias', async () => {
  const own = head();
  const { grads } = tf.variableGrads(() => tf.sum(stateValues(hidden(), own)) as tf.Scalar, [own.weight, own.bias]);
  expect([...(await (grads[own.weight.name] as tf.Tensor).data())]).toEqual([0, 2, 7]);
  expect([...(await (grads[own.bias.name] as tf.Tensor).data())]).toEqual([2]);
  free(own);
});
