// Tests the backend with several threads through TensorFlow.js, and that no other code can get a view of its shared
// memory.
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { linear } from '../../ops/linear/linear.ts';
import { distance } from '../../ops/testing/numbers.ts';
import { registerSimd, simdName, simdThreads } from '../../simd.ts';
import type { SimdBackend } from '../simdBackend.ts';

let kernels: Uint8Array<ArrayBuffer>;

beforeAll(async () => {
  kernels = Uint8Array.from(await readFile(new URL('../kernels.wasm', import.meta.url)));
  expect(await registerSimd(kernels, { threads: 2 })).toBe(true);
  await tf.setBackend(simdName);
});

/** A sine wave whose period is not a whole number of elements, so that all rows differ. */
const wave = (rows: number, columns: number): tf.Tensor2D =>
  tf.tensor2d(
    Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(i * 0.37)),
    [rows, columns],
  );

it('computes with two threads what the stock backend computes', async () => {
  const run = () => {
    const { value, grads } = tf.valueAndGrads((x: tf.Tensor, w: tf.Tensor) =>
      tf.sum(tf.square(linear(x as tf.Tensor2D, w as tf.Tensor2D))),
    )([wave(1024, 64), wave(192, 64)]);
    return [value, ...grads].map((tensor) => tensor.dataSync() as Float32Array);
  };
  expect(simdThreads()).toBe(2);
  const ours = tf.tidy(run);
  await tf.setBackend('cpu');
  const stock = tf.tidy(run);
  await tf.setBackend(simdName);
  ours.forEach((values, i) => {
    expect(distance(values, stock[i] as Float32Array)).toBeLessThan(1e-5);
  });
});

it('every read is a copy that may be stored, sent and decoded', async () => {
  const x = tf.add(wave(4, 4), tf.scalar(1));
  const ids = tf.cast(tf.mul(x, 50), 'int32');
  (tf.backend() as SimdBackend).address(ids);
  const part = tf.slice(ids, [1, 0], [2, 4]);
  const reads = [x.dataSync(), await x.data(), ids.dataSync(), part.dataSync(), (await x.buffer()).values];
  for (const read of reads as Float32Array<ArrayBuffer>[]) {
    const { length, buffer } = read;
    expect(buffer).toBeInstanceOf(ArrayBuffer);
    expect(structuredClone(read, { transfer: [buffer] })).toHaveLength(length);
  }
  expect(await new Blob([x.dataSync() as Float32Array<ArrayBuffer>]).arrayBuffer()).toHaveProperty('byteLength', 64);
});

it('removed, it ends its threads, and can be registered again with one', async () => {
  const backend = tf.backend() as SimdBackend & { pool: { threads: number } };
  expect(backend.pool.threads).toBe(2);
  await tf.setBackend('cpu');
  tf.removeBackend(simdName);
  expect(backend.pool.threads).toBe(1);
  expect(await registerSimd(kernels)).toBe(true);
  await tf.setBackend(simdName);
  expect(simdThreads()).toBe(1);
  expect(tf.sum(wave(8, 8)).dataSync()[0]).toBeCloseTo(
    Array.from({ length: 64 }, (_, i) => Math.sin(i * 0.37)).reduce((sum, value) => sum + value, 0),
    4,
  );
});
