// Tests that tensors that share one device buffer behave like all others: in the kernels of TensorFlow.js, in reads, in
// the optimiser and in the buffer pool.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { counters } from './counters.ts';
import { countersSince } from './testing/countersSince.ts';
import { flatVariables } from './flat.ts';
import { applyAdamW } from './ops/adamW/adamW.ts';
import { addInto } from './ops/inPlace/inPlace.ts';
import { startOwnDevice } from './testing/ownDevice.ts';

/** Starts a device on which a program can bind at most this many buffers. */
async function startDevice(buffers: number): Promise<void> {
  const { device } = await startOwnDevice({ maxStorageBuffersPerShaderStage: buffers });
  expect(device.limits.maxStorageBuffersPerShaderStage).toBe(buffers);
}

beforeAll(async () => {
  await startDevice(10);
});

const shapes = [[3], [7, 5], [64, 8], [1], [130]];
const sizeOf = (shape: number[]) => tf.util.sizeFromShape(shape);
const wave = (shape: number[], phase: number) =>
  Float32Array.from({ length: sizeOf(shape) }, (_, i) => Math.sin(phase + i));
const arrays = (phase: number) => shapes.map((shape, i) => ({ shape, values: wave(shape, phase + i) }));
const ordinary = (list: ReturnType<typeof arrays>) =>
  list.map(({ shape, values }) => tf.tidy(() => tf.variable(tf.tensor(values, shape))));
const read = async (tensors: tf.Tensor[]) => Promise.all(tensors.map(async (x) => Array.from(await x.data())));

it('flat variables hold their arrays, and stock kernels work on them as on others', async () => {
  const before = counters();
  const flat = flatVariables(arrays(1));
  expect(await read(flat)).toEqual(arrays(1).map(({ values }) => Array.from(values)));
  const sums = flat.map((x) => tf.sum(tf.mul(x, x)));
  const plain = ordinary(arrays(1));
  expect(await read(sums)).toEqual(await read(plain.map((x) => tf.sum(tf.mul(x, x)))));
  tf.dispose([flat, sums, plain]);
  expect(countersSince(before).readBytes).toBe(4 * (3 + 35 + 512 + 1 + 130 + 5 + 5));
});

it('the buffer goes back to the pool with the last of them', async () => {
  const [first, ...others] = flatVariables(arrays(1)) as [tf.Variable, ...tf.Variable[]];
  const { usedBytes } = counters();
  tf.dispose(others);
  expect(counters().usedBytes).toBe(usedBytes);
  expect(await read([first])).toEqual([Array.from(wave([3], 1))]);
  first.dispose();
  expect(counters().usedBytes).toBe(usedBytes - (256 + 256 + 2048 + 256 + 768));
});

it('one can be assigned another tensor and leaves the buffer', async () => {
  const flat = flatVariables(arrays(1));
  tf.tidy(() => (flat[1] as tf.Variable).assign(tf.ones([7, 5])));
  const all = await read(flat);
  expect(all[1]).toEqual(new Array(35).fill(1));
  expect(all[2]).toEqual(Array.from(wave([64, 8], 3)));
  tf.dispose(flat);
});

it('a write in place while a read is under way is seen by the next read', async () => {
  const [flat] = flatVariables([{ shape: [2], values: Float32Array.of(1, 2) }]) as [tf.Variable];
  const under = flat.data();
  addInto(flat, tf.tensor1d([10, 10]));
  expect(Array.from(await under)).toEqual([1, 2]);
  expect(Array.from(await flat.data())).toEqual([11, 12]);
  flat.dispose();
});

it.each([8, 10])(
  'a step of the optimiser is that of ordinary variables, bit by bit, with %i bindings',
  async (buffers) => {
    await startDevice(buffers);
    const steps = async (make: typeof ordinary) => {
      const [variables, m, v] = [arrays(1), zeros(), zeros()].map(make) as [
        tf.Variable[],
        tf.Variable[],
        tf.Variable[],
      ];
      for (let step = 1; step <= 3; step++) {
        const grads = arrays(10 * step).map(({ shape, values }) => tf.tensor(values, shape));
        const rates = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: [0, 0.1, 0.2, 0, 0] };
        applyAdamW(variables, grads, { m, v }, { ...rates, maxGradNorm: 1, step }).gradNorm.dispose();
        tf.dispose(grads);
      }
      const numbers = await read([...variables, ...m, ...v]);
      tf.dispose([variables, m, v]);
      return numbers;
    };
    expect(await steps(flatVariables)).toEqual(await steps(ordinary));
  },
);

function zeros() {
  return shapes.map((shape) => ({ shape, values: new Float32Array(sizeOf(shape)) }));
}

it.each([
  [8, 7],
  [10, 6],
])('fourteen flat variables take, at %i bindings, %i dispatches', async (buffers, dispatches) => {
  await startDevice(buffers);
  const list = () => Array.from({ length: 14 }, (_, i) => ({ shape: [i + 1], values: wave([i + 1], i) }));
  const [variables, m, v] = [list(), list(), list()].map(flatVariables) as [
    tf.Variable[],
    tf.Variable[],
    tf.Variable[],
  ];
  const grads = list().map(({ values }) => tf.tensor1d(values));
  const rates = { learningRate: 0.1, beta1: 0.9, beta2: 0.95, eps: 1e-8, maxGradNorm: 1, step: 1 };
  const before = counters();
  applyAdamW(variables, grads, { m, v }, { ...rates, weightDecay: list().map(() => 0) }).gradNorm.dispose();
  expect(countersSince(before).dispatches).toBe(dispatches);
  tf.dispose([variables, m, v, grads]);
});
