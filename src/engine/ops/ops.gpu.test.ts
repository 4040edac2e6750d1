// Tests on WebGPU the composed forms of the operations, which are used if there is no fused kernel.
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { opCases } from './testing/cases.ts';
import { normals } from './testing/numbers.ts';
import { evaluate } from './testing/opCase.ts';
import { distance } from './testing/numbers.ts';
import { sampleReference } from './tokens/testing/reference.ts';
import { sampleTokensComposed } from './tokens/sampleTokens.ts';

beforeAll(async () => {
  expect(await navigator.gpu.requestAdapter(), 'an adapter').not.toBeNull();
  tf.env().set('WEBGPU_CPU_FORWARD', false);
});

it.each(opCases())('$title, composed, is the same on webgpu', async ({ shapes, composed }) => {
  const values = shapes.map((shape, i) => normals(tf.util.sizeFromShape(shape), 31 + i));
  await tf.setBackend('cpu');
  const expected = await evaluate(composed, shapes, values);
  expect(await tf.setBackend('webgpu')).toBe(true);
  const actual = await evaluate(composed, shapes, values);
  expect(distance(actual.output, expected.output)).toBeLessThan(1e-5);
  actual.gradients.forEach((gradient, i) => {
    expect(distance(gradient, expected.gradients[i] as Float32Array)).toBeLessThan(1e-4);
  });
});

it('sampleTokens, composed, draws the tokens of the float64 reference on webgpu', async () => {
  expect(await tf.setBackend('webgpu')).toBe(true);
  const logits = normals(40 * 9, 2);
  const uniforms = Float32Array.from({ length: 40 }, (_, i) => (i + 0.5) / 40);
  const { ids } = sampleTokensComposed(tf.tensor2d(Float32Array.from(logits), [40, 9]), tf.tensor1d(uniforms), 0.8);
  expect(Array.from(await ids.data())).toEqual(sampleReference(logits, uniforms, 9, 0.8));
});
