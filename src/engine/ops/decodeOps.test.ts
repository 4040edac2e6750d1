// Tests the operations that decode in place against results computed by hand, and all backends against plain loops in
// float64. New blocks of memory are first filled with NaN.
import '@tensorflow/tfjs-backend-cpu';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ShapeError } from '../../base/errors.ts';
import { addressOf, Draws, uniform, uniformAt } from '../../base/random.ts';
import { registerSimd, simdName } from '../simd.ts';
import type { SimdBackend } from '../simd/simdBackend.ts';
import { poisonNewBlocks } from '../testing/poisonNewBlocks.ts';
import { cachedAttention, cachedAttentionComposed } from './attention/cachedAttention.ts';
import { normals } from './testing/numbers.ts';
import { cachedAttentionReference, type CacheSizes } from './attention/testing/reference.ts';
import { emulatedKernels } from './testing/emulatedKernels.ts';
import { takeTokensReference } from './tokens/testing/reference.ts';
import { addInto, advance, copyInto, drawUniforms, peek, writeSlots } from './inPlace/inPlace.ts';
import { type Numbers, distance } from './testing/numbers.ts';
import { takeTokens } from './tokens/takeTokens.ts';

const backends = [simdName, 'cpu'];

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../simd/kernels.wasm', import.meta.url)))).toBe(true);
  for (const kernel of emulatedKernels('cpu')) tf.registerKernel(kernel);
  await tf.setBackend(simdName);
  poisonNewBlocks(tf.backend() as SimdBackend);
});

const state = (slots: number, step: number) => tf.tensor1d([slots, step], 'int32');
const floats = (values: ArrayLike<number>) => Float32Array.from(values);

describe.each(backends)('in place on %s', (backend) => {
  beforeAll(async () => {
    await tf.setBackend(backend);
  });

  it('the numbers of a turn are those of the generator at each row’s address, bit for bit', () => {
    const before = tf.memory().numTensors;
    const addresses = [0, 1, 0x7fffffff, 0x80000000, 0xfffffffe, addressOf(7, 3, 12, 4096)];
    const given = tf.tensor1d(new Int32Array(addresses), 'int32');
    const uniforms = tf.ones<tf.Rank.R2>([9, addresses.length]);
    drawUniforms(uniforms, given);
    const expected = Array.from({ length: 9 }, (_, t) => addresses.map((address) => uniformAt(address, t)));
    expect(uniforms.arraySync()).toEqual(expected);
    expect(expected[5]?.[5]).toBe(uniform(7, 3, 12, 4096 + 5));
    const few = state(0, 0);
    expect(() => drawUniforms(uniforms, few)).toThrow(ShapeError);
    tf.dispose([given, uniforms, few]);
    expect(tf.memory().numTensors).toBe(before);
  });

  it('a sum, a copy and a count change where they lie, and no tensor is left', () => {
    const before = tf.memory().numTensors;
    const sum = tf.tensor2d([1, 2, 3, 4, 5, 6], [2, 3]);
    const also = tf.reshape(sum, [6]); // shares the buffer
    const x = tf.tensor2d([10, 20, 30, 40, 50, 60], [2, 3]);
    addInto(sum, x);
    expect([...also.dataSync()]).toEqual([11, 22, 33, 44, 55, 66]);
    copyInto(sum, tf.tensor1d([6, 5, 4, 3, 2, 1]));
    expect([...also.dataSync()]).toEqual([6, 5, 4, 3, 2, 1]);
    const counts = state(3, 1);
    advance(counts, { slots: 5, steps: 0 });
    advance(counts, { slots: 1, steps: 2 });
    expect([...counts.dataSync()]).toEqual([9, 3]);
    expect([...(peek(counts) ?? [])]).toEqual([9, 3]);
    tf.dispose([sum, also, x, counts]);
    expect(tf.memory().numTensors - before).toBe(1); // the argument of copyInto
  });

  it('a size or a type that does not fit is refused before anything is written', () => {
    const sum = tf.zeros([4]);
    expect(() => addInto(sum, tf.ones([2, 2]))).toThrow(/addInto: x must be float32 \[4\]/);
    expect(() => copyInto(sum, tf.ones([3]))).toThrow(/copyInto: from must contain 4 numbers of float32, got 3/);
    expect(() => copyInto(sum, tf.ones([4], 'int32'))).toThrow(/of int32/);
    expect([...sum.dataSync()]).toEqual([0, 0, 0, 0]);
  });

  it('the fresh part of a mask lands behind the slots in use', () => {
    const mask = tf.fill([2, 5], 9) as tf.Tensor2D;
    writeSlots(mask, tf.tensor2d([1, 0, 0, 1], [2, 2]), state(2, 0));
    expect([...mask.dataSync()]).toEqual([9, 9, 1, 0, 9, 9, 9, 0, 1, 9]);
  });

  it('a token is drawn, noted, placed, and may be its row’s last', () => {
    const [rows, vocabulary, capacity, window] = [3, 7, 4, 2];
    const logits = normals(rows * vocabulary, 5);
    const draws = [0.9, 0.9, 0.9, 0.05, 0.5, 0.999];
    const tensors = {
      ids: tf.tensor1d([0, 0, 0], 'int32'),
      out: tf.fill([window, 2, rows], -7) as tf.Tensor3D,
      logits: tf.tensor2d(floats(logits), [rows, vocabulary]),
      uniforms: tf.tensor2d(draws, [window, rows]),
      alive: tf.tensor1d([1, 0, 1]),
      mask: tf.fill([rows, capacity], 5) as tf.Tensor2D,
      starts: tf.tensor1d([10, 20, 3], 'int32'),
      positions: tf.tensor1d([0, 0, 0], 'int32'),
      state: state(2, 1),
    };
    const arrays = {
      ids: new Int32Array(rows),
      out: new Float64Array(2 * window * rows).fill(-7),
      ...{ logits, uniforms: floats(draws), alive: Float64Array.of(1, 0, 1) },
      mask: new Float64Array(rows * capacity).fill(5),
      ...{ starts: [10, 20, 3], positions: new Int32Array(rows), state: [2, 1] },
    };
    takeTokensReference(arrays, { temperature: 0.8, endIds: [99], maxPosition: 20 });
    const ending = arrays.ids[2] as number;
    const options = { temperature: 0.8, endIds: [99, ending], maxPosition: 20 };
    takeTokens(tensors, options);
    const drawn = [...arrays.ids];
    expect([...tensors.ids.dataSync()]).toEqual(drawn);
    expect(distance(tensors.out.dataSync(), arrays.out)).toBeLessThan(1e-5);
    expect([...tensors.out.dataSync().subarray(0, 6)]).toEqual([-7, -7, -7, -7, -7, -7]); // step 0 was another call
    expect([...tensors.alive.dataSync()]).toEqual([1, 0, 1].map((is, b) => (drawn[b] === ending ? 0 : is)));
    expect([...tensors.mask.dataSync()]).toEqual([5, 5, 1, 5, 5, 5, 0, 5, 5, 5, 1, 5]);
    expect([...tensors.positions.dataSync()]).toEqual([11, 20, 4]);
    tf.dispose(Object.values(tensors));
  });

  it('a turn of several tokens retires rows as they end, on and on in the same tensors', () => {
    const [rows, window, capacity, vocabulary] = [4, 5, 6, 9];
    const draws = Float32Array.from({ length: window * rows }, (_, i) => ((i * 7) % 20) / 20.5);
    const right = {
      ...{ ids: new Int32Array(rows), out: new Float32Array(window * 2 * rows), positions: new Int32Array(rows) },
      ...{ uniforms: draws, alive: Float32Array.of(1, 1, 0, 1), mask: new Float32Array(rows * capacity) },
      ...{ starts: Int32Array.of(3, 0, 7, 5), state: Int32Array.of(2, 1) },
    };
    const tensors = {
      ...{ ids: tf.tensor1d(right.ids, 'int32'), out: tf.zeros<tf.Rank.R3>([window, 2, rows]) },
      ...{ uniforms: tf.tensor2d(draws, [window, rows]), alive: tf.tensor1d(right.alive.slice()) },
      ...{ mask: tf.zeros<tf.Rank.R2>([rows, capacity]), starts: tf.tensor1d(right.starts, 'int32') },
      ...{ positions: tf.tensor1d(right.positions, 'int32'), state: state(2, 1) },
    };
    const options = { temperature: 0.8, endIds: [1, 4, 6], maxPosition: 8 };
    for (const seed of [1, 2, 3]) {
      const logits = normals(rows * vocabulary, seed);
      const given = tf.tensor2d(floats(logits), [rows, vocabulary]);
      takeTokens({ ...tensors, logits: given }, options);
      takeTokensReference({ ...right, logits }, options);
      advance(tensors.state, { slots: 1, steps: 1 });
      right.state.set([2 + seed, 1 + seed]);
      given.dispose();
    }
    for (const name of ['ids', 'positions', 'alive', 'mask', 'state'] as const)
      expect([...tensors[name].dataSync()], name).toEqual([...right[name]]);
    expect(distance(tensors.out.dataSync(), right.out)).toBeLessThan(1e-5);
    expect([...right.alive]).not.toEqual([1, 1, 0, 1]);
    tf.dispose(Object.values(tensors));
  });

  it('attention of the newest position alone is what it is among all, and the cache is the same', () => {
    const sizes = { rows: 3, capacity: 20, steps: 5, heads: 4, keyHeads: 2, size: 6 };
    const { actual, keys } = attended(sizes, 4, 11);
    const newest = attended(sizes, 4, 11, true);
    const width = sizes.heads * sizes.size;
    const last = actual.filter((_: number, i: number) => Math.floor(i / width) % sizes.steps === sizes.steps - 1);
    expect(distance(newest.actual, last)).toBeLessThan(1e-6);
    expect(newest.keys).toEqual(keys);
  });

  it('attention over the cache agrees with float64, whatever lies in unused slots', () => {
    const draws = new Draws(7, 0, 0);
    for (let i = 0; i < 24; i++) {
      const keyHeads = 1 + draws.below(3);
      const sizes = {
        ...{ rows: 1 + draws.below(4), capacity: 16 + draws.below(20), steps: 1 + draws.below(6) },
        ...{ heads: keyHeads * (1 + draws.below(3)), keyHeads, size: 2 * (1 + draws.below(9)) },
      };
      const window = i % 2 === 0 ? {} : { window: 1 + draws.below(8) };
      const { actual, expected, keys, expectedKeys } = attended({ ...sizes, ...window }, draws.below(9), i);
      expect(distance(actual, expected)).toBeLessThan(1e-5);
      expect(distance(keys, expectedKeys)).toBeLessThan(1e-5);
    }
  });
});

it('the composed form over a growing cache is the same as one chunk in place', () => {
  const [rows, steps, heads, size] = [2, 5, 2, 4];
  const [q, k, v] = [1, 2, 3].map((seed) => normals(rows * steps * heads * size, seed)) as [Numbers, Numbers, Numbers];
  const four = (x: Numbers) => tf.tensor4d(floats(x), [rows, steps, heads, size]);
  const none = tf.zeros([rows, 0, heads, size]) as tf.Tensor4D;
  const mask = tf.tensor2d([1, 0, 1, 1, 1, 1, 1, 0, 0, 1], [rows, steps]);
  const composed = cachedAttentionComposed({
    ...{ q: four(q), k: four(k), v: four(v), pastK: none, pastV: none },
    ...{ pastMask: tf.zeros([rows, 0]) as tf.Tensor2D, selfMask: mask },
  });
  const packed = Float64Array.from({ length: rows * steps * 3 * heads * size }, (_, i) => {
    const width = heads * size;
    const [row, column] = [Math.floor(i / (3 * width)), i % (3 * width)];
    return ([q, k, v][Math.floor(column / width)] as Numbers)[row * width + (column % width)] as number;
  });
  const cache = () => new Float64Array(rows * steps * heads * size);
  const inPlace = cachedAttentionReference(
    {
      ...{ keys: cache(), values: cache(), qkv: packed, positions: new Int32Array(rows * steps) },
      ...{ cos: [1, 1, 1, 1], sin: [0, 0, 0, 0], mask: mask.dataSync(), state: [0, 0] },
    },
    { rows, capacity: steps, steps, heads, keyHeads: heads, size },
  );
  expect(distance(composed.dataSync(), inPlace)).toBeLessThan(1e-5);
});

/**
 * Calls the operation with a cache in which `used` slots contain random numbers and the other slots contain NaN. Also
 * returns the expected result.
 */
function attended(sizes: CacheSizes, used: number, seed: number, isNewest = false) {
  const { rows, capacity, steps, heads, keyHeads, size, window } = sizes;
  const width = keyHeads * size;
  const cache = (key: number) =>
    normals(rows * capacity * width, key).map((x, i) => (Math.floor(i / width) % capacity < used ? x : Number.NaN));
  const [keys, values] = [cache(seed + 1), cache(seed + 2)];
  const qkv = normals(rows * steps * (heads + 2 * keyHeads) * size, seed + 3);
  const table = 60;
  const angle = (i: number) => Math.floor(i / size) * 100 ** (-2 * ((i % (size / 2)) / size));
  const [cos, sin] = [Math.cos, Math.sin].map((turn) =>
    Float64Array.from({ length: table * size }, (_, i) => Math.fround(turn(angle(i)))),
  ) as [Numbers, Numbers];
  const positions = Int32Array.from({ length: rows * steps }, (_, i) => (i * 7 + seed) % table);
  // The new positions count up, as in a dialogue; the earlier slots contain some of the positions before them.
  const places = Float64Array.from({ length: rows * capacity }, (_, i) => Math.floor(((i % capacity) * 3) / 2) % table);
  if (window !== undefined)
    for (let i = 0; i < rows * steps; i++) {
      const slot = used + (i % steps);
      positions[i] = places[slot] as number;
    }
  const mask = Float64Array.from(normals(rows * capacity, seed + 4), (x) => (x > -0.3 ? 1 : 0));
  const tensors = {
    keys: tf.tensor3d(floats(keys), [rows, capacity, width]),
    values: tf.tensor3d(floats(values), [rows, capacity, width]),
    qkv: tf.tensor2d(floats(qkv), [rows * steps, qkv.length / (rows * steps)]),
    cos: tf.tensor2d(floats(cos), [table, size]),
    sin: tf.tensor2d(floats(sin), [table, size]),
    positions: tf.tensor1d(positions, 'int32'),
    mask: tf.tensor2d(floats(mask), [rows, capacity]),
    places: tf.tensor2d(floats(places), [rows, capacity]),
    state: state(used, 3),
  };
  const out = cachedAttention(tensors, { heads, keyHeads, isNewest, ...(window && { window }) });
  const expected = cachedAttentionReference(
    { keys, values, qkv, cos, sin, positions, mask, places, state: [used, 3] },
    sizes,
  );
  const inUse = (x: ArrayLike<number>) =>
    Array.from(x).filter((_, i) => Math.floor(i / width) % capacity < used + steps);
  const result = {
    ...{ actual: out.dataSync(), expected, keys: inUse(tensors.keys.dataSync()), expectedKeys: inUse(keys) },
  };
  tf.dispose([out, ...Object.values(tensors)]);
  return result;
}

it('a token in a full cache leaves the next row alone, and a number where one share ends draws the next token', async () => {
  await tf.setBackend(simdName);
  const mask = tf.zeros<tf.Rank.R2>([2, 3]);
  const [ids, starts, positions] = [0, 0, 0].map(() => tf.tensor1d([0, 0], 'int32')) as [
    tf.Tensor1D,
    tf.Tensor1D,
    tf.Tensor1D,
  ];
  const inputs = {
    ...{ ids, starts, positions, mask, state: state(3, 0), alive: tf.ones<tf.Rank.R1>([2]) },
    ...{ out: tf.zeros<tf.Rank.R3>([1, 2, 2]), uniforms: tf.tensor2d([[0.5, 1]]) },
    logits: tf.zeros<tf.Rank.R2>([2, 4]),
  };
  takeTokens(inputs, { temperature: 1, endIds: [], maxPosition: 9 });
  expect([...mask.dataSync()]).toEqual([0, 0, 0, 0, 0, 0]);
  expect([...ids.dataSync()]).toEqual([2, 3]); // no number lies beyond the last token, whatever the shares add up to
  tf.dispose(Object.values(inputs));
});
