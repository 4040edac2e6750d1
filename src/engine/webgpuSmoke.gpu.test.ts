// The ground the GPU tests stand on: TF.js on WebGPU runs in Node and counts right.
import * as tf from '@tensorflow/tfjs-core';
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-webgpu';
import { beforeAll, expect, it } from 'vitest';

beforeAll(async () => {
  expect(await navigator.gpu.requestAdapter(), 'an adapter').not.toBeNull();
});

async function productAndGradient(backend: string): Promise<number[]> {
  expect(await tf.setBackend(backend), `backend ${backend} starts`).toBe(true);
  const left = tf.tensor2d([1, -2, 3, 0.5, 5, -6], [2, 3]);
  const right = tf.tensor2d([7, 8, -9, 10, 11, 12], [3, 2]);
  const product = tf.matMul(left, right);
  const gradient = tf.grad((x) => tf.sum(tf.square(tf.matMul(x, right))))(left);
  const values = [...(await product.data()), ...(await gradient.data())];
  tf.dispose([left, right, product, gradient]);
  return values;
}

it('matMul and its gradient on webgpu are those on the CPU', async () => {
  const onCpu = await productAndGradient('cpu');
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  const onGpu = await productAndGradient('webgpu');
  expect(onGpu).toHaveLength(onCpu.length);
  onGpu.forEach((value, at) => expect(value).toBeCloseTo(onCpu[at]!, 2));
});
