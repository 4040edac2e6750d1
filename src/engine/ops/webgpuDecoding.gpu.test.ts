// Tests both variants of the in-place kernels against float64: attention to a cache during decoding, the updates after
// each token of a turn, sums and copies. Each kernel runs several times with new numbers in the same tensors, as when a
// recording is replayed.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { addressOf, uniformAt } from '../../base/random.ts';
import { cachedAttention } from './attention/cachedAttention.ts';
import { normals } from './testing/numbers.ts';
import { cachedAttentionReference } from './attention/testing/reference.ts';
import { writeSlotsReference } from './inPlace/testing/reference.ts';
import { takeTokensReference } from './tokens/testing/reference.ts';
import { addInto, advance, copyInto, drawUniforms, writeSlots } from './inPlace/inPlace.ts';
import { distance } from './testing/numbers.ts';
import { takeTokens } from './tokens/takeTokens.ts';
import { forceVariant } from '../webgpu/program/kernel.ts';
import { dispatchesOf, gpuBackend, grantOnly, poisonBuffers, random, randomRotation } from '../testing/gpuBackend.ts';

let backend: WebGPUBackend;

beforeAll(async () => {
  backend = await gpuBackend();
});

const whole = (values: ArrayLike<number>) => tf.tensor1d(Int32Array.from(values), 'int32');
const zeroOrOne = (count: number, seed: number) => Float32Array.from(normals(count, seed), (x) => (x > -0.3 ? 1 : 0));

interface Cache {
  heads: number;
  keyHeads: number;
  size: number;
  capacity: number;
  window?: number;
  /** The number of new positions in each call. */
  chunks: number[];
}

/**
 * Passes one chunk of positions after another to the kernel and to the float64 reference. Returns the largest distances
 * between their outputs and between their caches.
 */
async function compare({ heads, keyHeads, size, capacity, window, chunks }: Cache) {
  const rows = 3;
  const table = 160;
  const rotation = randomRotation([1, table, size]);
  const [cos, sin] = [rotation.cos, rotation.sin].map((x) => tf.reshape(x, [table, size])) as [
    tf.Tensor2D,
    tf.Tensor2D,
  ];
  const [keys, values] = [0, 1].map(() => tf.zeros([rows, capacity, keyHeads * size])) as [tf.Tensor3D, tf.Tensor3D];
  const mask = tf.zeros([rows, capacity]) as tf.Tensor2D;
  const places = tf.zeros([rows, capacity]) as tf.Tensor2D;
  const state = whole([0, 0]);
  const expected = {
    keys: new Float64Array(keys.size),
    values: new Float64Array(keys.size),
    mask: new Float64Array(mask.size),
    places: new Float64Array(mask.size),
  };
  const place = Int32Array.of(0, 0);
  const tables = { cos: await cos.data(), sin: await sin.data() };
  let worst = 0;
  for (const [at, steps] of chunks.entries()) {
    const qkv = normals(rows * steps * (heads + 2 * keyHeads) * size, 50 + at);
    // Within a window, the positions of a row count up. A row that is padded at its beginning starts later.
    const positionOf = (i: number) => Math.max(0, (place[0] as number) + (i % steps) - Math.floor(i / steps));
    const positions = Int32Array.from({ length: rows * steps }, (_, i) =>
      window === undefined ? (i * 7 + at) % 40 : positionOf(i),
    );
    const fresh = zeroOrOne(rows * steps, 80 + at);
    writeSlots(mask, tf.tensor2d(fresh, [rows, steps]), state);
    writeSlots(places, tf.tensor2d(Float32Array.from(positions), [rows, steps]), state);
    const packed = tf.tensor2d(Float32Array.from(qkv), [rows * steps, (heads + 2 * keyHeads) * size]);
    const y = cachedAttention(
      { keys, values, qkv: packed, cos, sin, positions: whole(positions), mask, places, state },
      { heads, keyHeads, ...(window !== undefined && { window }) },
    );
    advance(state, { slots: steps, steps: 1 });
    writeSlotsReference(expected.mask, fresh, place, rows);
    writeSlotsReference(expected.places, positions, place, rows);
    const right = cachedAttentionReference(
      { ...expected, qkv, ...tables, positions, state: place },
      { rows, capacity, steps, heads, keyHeads, size, ...(window !== undefined && { window }) },
    );
    place.set([(place[0] as number) + steps, at + 1]);
    worst = Math.max(worst, distance(await y.data(), right));
  }
  expect(Array.from(await state.data())).toEqual(Array.from(place));
  expect(distance(await mask.data(), expected.mask)).toBe(0);
  const caches = [distance(await keys.data(), expected.keys), distance(await values.data(), expected.values)];
  return { worst, cache: Math.max(...caches) };
}

const caches: Cache[] = [
  { heads: 4, keyHeads: 2, size: 12, capacity: 16, chunks: [5, 1, 1, 2, 1] },
  { heads: 2, keyHeads: 1, size: 8, capacity: 160, chunks: [70, 1, 66, 1] },
  { heads: 3, keyHeads: 3, size: 6, capacity: 9, chunks: [1, 1, 7] },
  { heads: 2, keyHeads: 2, size: 32, capacity: 80, chunks: [70, 1] },
  { heads: 1, keyHeads: 1, size: 72, capacity: 4, chunks: [2, 1, 1] },
  { heads: 4, keyHeads: 2, size: 12, capacity: 16, window: 3, chunks: [5, 1, 1, 2, 1] },
  { heads: 2, keyHeads: 1, size: 8, capacity: 160, window: 68, chunks: [70, 1, 66, 1] },
  { heads: 4, keyHeads: 1, size: 256, capacity: 160, window: 9, chunks: [70, 1, 2] },
  { heads: 2, keyHeads: 1, size: 256, capacity: 160, chunks: [70, 1, 2] },
];

describe.each(['solo', 'team'] as const)('the %s kernels in place, over poisoned buffers,', (variant) => {
  beforeAll(() => {
    forceVariant(backend, variant);
    return poisonBuffers(backend);
  });

  it.each(caches)('cachedAttention of $heads heads of $size, chunks of $chunks', async (cache) => {
    const { worst, cache: stored } = await compare(cache);
    expect(worst).toBeLessThan(1e-4);
    expect(stored).toBeLessThan(1e-5);
  });

  it('cachedAttention is the same where the device binds eight buffers', async () => {
    const restoreLimits = grantOnly(backend, { maxStorageBuffersPerShaderStage: 8 });
    for (const at of [0, 5]) {
      const { worst, cache } = await compare(caches[at] as Cache);
      expect(worst).toBeLessThan(1e-4);
      expect(cache).toBeLessThan(1e-5);
    }
    restoreLimits();
  });

  it.each([
    { vocabulary: 13, buffers: 16 },
    { vocabulary: 130, buffers: 16 },
    { vocabulary: 32, buffers: 8 },
  ])('takeTokens of $vocabulary tokens with $buffers buffers, four steps', async ({ vocabulary, buffers }) => {
    const restoreLimits = grantOnly(backend, { maxStorageBuffersPerShaderStage: buffers });
    const [rows, window, capacity] = [5, 4, 9];
    const uniforms = Float32Array.from({ length: window * rows }, (_, i) => (i + 0.5) / (window * rows));
    const right = {
      ids: new Int32Array(rows),
      out: new Float32Array(window * 2 * rows),
      uniforms,
      alive: Float32Array.of(1, 1, 0, 1, 1),
      mask: new Float32Array(rows * capacity),
      starts: Int32Array.of(3, 9, 4, 0, 8),
      positions: new Int32Array(rows),
      state: Int32Array.of(2, 0),
    };
    const state = whole(right.state);
    const tensors = {
      ids: whole(right.ids),
      out: tf.zeros([window, 2, rows]) as tf.Tensor3D,
      uniforms: tf.tensor2d(uniforms, [window, rows]),
      alive: tf.tensor1d(right.alive.slice()),
      mask: tf.zeros([rows, capacity]) as tf.Tensor2D,
      starts: whole(right.starts),
      positions: whole(right.positions),
    };
    const options = { temperature: 0.8, endIds: [1, 4, 7], maxPosition: 9 };
    for (let step = 0; step < window; step++) {
      const logits = normals(rows * vocabulary, 20 + step);
      takeTokens({ ...tensors, state, logits: tf.tensor2d(Float32Array.from(logits), [rows, vocabulary]) }, options);
      advance(state, { slots: 1, steps: 1 });
      takeTokensReference({ ...right, logits }, options);
      right.state.set([3 + step, step + 1]);
    }
    restoreLimits();
    for (const name of ['ids', 'positions', 'alive', 'mask'] as const)
      expect(Array.from(await tensors[name].data()), name).toEqual(Array.from(right[name]));
    expect(distance(await tensors.out.data(), right.out)).toBeLessThan(1e-5);
    expect(right.alive).toContain(0);
    expect(right.alive).toContain(1);
  });
});

describe('a tensor written in place', () => {
  it('keeps its buffer and its holders, and a read after it sees the new numbers', async () => {
    const [sum, x, count] = [tf.tensor1d([1, 2, 3]), tf.tensor1d([10, 20, 30]), whole([1, 2])];
    const view = tf.reshape(sum, [3, 1]);
    await sum.data();
    const { numTensors } = tf.memory();
    const { dataId } = sum;
    addInto(sum, x);
    addInto(sum, x);
    expect(Array.from(await sum.data())).toEqual([21, 42, 63]);
    expect(Array.from(await view.data())).toEqual([21, 42, 63]);
    copyInto(sum, tf.tensor1d([7, 8, 9]));
    copyInto(count, whole([-3, 5]));
    advance(count, { slots: 2, steps: 1 });
    expect(Array.from(await sum.data())).toEqual([7, 8, 9]);
    expect(Array.from(await count.data())).toEqual([-1, 6]);
    expect(sum.dataId).toBe(dataId);
    expect(backend.refCount(dataId)).toBe(2);
    expect(tf.memory().numTensors).toBe(numTensors + 2); // the two that were copied from
  });

  it('is given numbers, though TensorFlow.js casts integers by renaming them', async () => {
    const mask = tf.zeros([1, 4]) as tf.Tensor2D;
    copyInto(mask, tf.cast(tf.tensor2d([[1, 0, 1, 1]], [1, 4], 'int32'), 'float32'));
    addInto(mask, tf.ones([1, 4]));
    expect(Array.from(await mask.data())).toEqual([2, 1, 2, 2]);
  });
});

it('the numbers of a turn are those of the generator at each row’s address, bit for bit', async () => {
  const addresses = [0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, addressOf(7, 3, 12, 4096)];
  const uniforms = tf.ones([70, addresses.length]) as tf.Tensor2D;
  for (const shift of [0, 977]) {
    const moved = addresses.map((address) => (address + shift) >>> 0);
    drawUniforms(uniforms, whole(new Int32Array(moved)));
    const expected = Array.from({ length: 70 }, (_, t) => moved.map((address) => uniformAt(address, t)));
    expect(await uniforms.array()).toEqual(expected);
  }
});

it('a decoding step takes one dispatch for each of its ops', () => {
  forceVariant(backend, 'team');
  const rows = 2;
  const [state, mask] = [whole([3, 0]), tf.ones([rows, 8]) as tf.Tensor2D];
  const rotation = randomRotation([1, 9, 8]);
  const [cos, sin] = [rotation.cos, rotation.sin].map((x) => tf.reshape(x, [9, 8])) as [tf.Tensor2D, tf.Tensor2D];
  const cache = { keys: random([rows, 8, 16], 1) as tf.Tensor3D, values: random([rows, 8, 16], 2) as tf.Tensor3D };
  const positions = whole([3, 4]);
  const qkv = random([rows, 64], 3) as tf.Tensor2D;
  const attend = () => cachedAttention({ ...cache, qkv, cos, sin, positions, mask, state }, { heads: 4, keyHeads: 2 });
  attend();
  expect(dispatchesOf(attend)).toBe(1);
  expect(dispatchesOf(() => advance(state, { slots: 1, steps: 1 }))).toBe(1);
});
