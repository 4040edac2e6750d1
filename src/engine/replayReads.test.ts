import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { copyOf, readTogether } from './replay.ts';

beforeAll(() => tf.setBackend('cpu'));

it('a copy keeps its numbers after the original tensor is disposed', async () => {
  const tensor = tf.tensor1d([1, 2, 3]);
  copyOf(tensor).dispose(); // makes a constant that stays
  const { numTensors } = tf.memory();
  const copy = tf.tidy(() => copyOf(tensor));
  tensor.dispose();
  expect(Array.from(await copy.data())).toEqual([1, 2, 3]);
  expect(tf.memory().numTensors).toBe(numTensors);
  copy.dispose();
});

it('several tensors are read one after another, and an empty list gives an empty result', async () => {
  const tensors = [tf.tensor1d([1, 2]), tf.scalar(3), tf.tensor2d([[4], [5]])];
  expect(await readTogether(tensors)).toEqual(Float32Array.of(1, 2, 3, 4, 5));
  expect(await readTogether([])).toEqual(new Float32Array(0));
  tf.dispose(tensors);
});
