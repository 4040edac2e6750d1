// Tests each format of frozen weights against float64, on the cpu backend of TensorFlow.js and with the kernels that
// read the weights as they are stored.
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { registerSimd, simdName } from '../../simd.ts';
import type { SimdBackend } from '../../simd/simdBackend.ts';
import { poisonNewBlocks } from '../../testing/poisonNewBlocks.ts';
import { frozenEmbed, frozenLinear } from './frozenLinear.ts';
import { type FrozenMatrix, frozenFormats } from './frozenMatrix.ts';
import { expectExactRow, expectProducts, expectSlopes } from './testing/checks.ts';
import { frozenReference, randomFrozen } from './testing/reference.ts';

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../simd/kernels.wasm', import.meta.url)))).toBe(true);
  await tf.setBackend(simdName);
  poisonNewBlocks(tf.backend() as SimdBackend);
});

/**
 * Each shape consists of the number of rows of x, the number of rows of W and the number of columns of W. There are
 * shapes with few and with many rows of x, and with a W that is wider and deeper than one block of a product.
 */
const shapes: [number, number, number][] = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((m): [number, number, number] => [m, 13, 32 + 32 * (m % 3)]),
  [1, 1, 32],
  [22, 270, 288],
  [3, 259, 544],
];

describe.each(['cpu', simdName])('on %s', (backend) => {
  beforeAll(async () => {
    await tf.setBackend(backend);
  });

  describe.each(frozenFormats)('%s', (format) => {
    it.each(shapes)('%i rows times [%i, %i] and its gradient are those of float64', async (m, rows, columns) => {
      const w = randomFrozen(format, rows, columns, m);
      const isRounded = backend === simdName && m === 1 && format !== 'f16';
      await expectProducts(w, m, 1e-6, isRounded ? 1e-4 : 1e-6);
      w.words.dispose();
    });

    it.each([1, 2, 5])('a row that is not changed by rounding, over %i blocks, is exact', async (blocks) => {
      const w = randomFrozen(format, 9, 32 * blocks, blocks);
      await expectExactRow(w, 1e-6);
      w.words.dispose();
    });

    it('its gradient is what finite differences give', () => expectSlopes(format, 1e-6));

    it('gives rows by their ids, exactly', async () => {
      const w = randomFrozen(format, 11, 96, 3);
      const all = frozenReference(await w.words.data(), w);
      const rows = tf.tidy(() => frozenEmbed(tf.tensor1d([10, 0, 3, 3], 'int32'), w).dataSync());
      const expected = [10, 0, 3, 3].flatMap((id) => Array.from(all.slice(id * 96, id * 96 + 96), Math.fround));
      expect(Array.from(rows, (x) => x + 0)).toEqual(expected.map((x) => x + 0));
      w.words.dispose();
    });
  });

  it('reads every number of 16 bits', () => {
    const bits = Uint16Array.from({ length: 65536 }, (_, i) => i);
    const words = tf.tensor1d(new Int32Array(bits.buffer), 'int32');
    const w: FrozenMatrix = { words, format: 'f16', rows: 2048, columns: 32 };
    const ids = tf.tensor1d(Int32Array.from({ length: 2048 }, (_, i) => i));
    const values = tf.tidy(() => frozenEmbed(ids, w).dataSync());
    const size = (half: number) => {
      const [exponent, mantissa] = [half >> 10, half & 1023];
      if (exponent === 31) return mantissa === 0 ? Infinity : NaN;
      return exponent === 0 ? mantissa * 2 ** -24 : (1024 + mantissa) * 2 ** (exponent - 25);
    };
    const expected = Float32Array.from(bits, (half) => (half < 32768 ? size(half) : -size(half - 32768)));
    expect(values.every((value, i) => Object.is(value, expected[i]))).toBe(true);
    tf.dispose([words, ids]);
  });

  it('leaves no tensors, and gives W no gradient', () => {
    const w = randomFrozen('q4_1', 13, 64, 1);
    const before = tf.memory().numTensors;
    const { value, grads } = tf.tidy(() => {
      const x = tf.variable(tf.ones([2, 64]));
      const found = tf.variableGrads(() => tf.sum(frozenLinear(x as tf.Tensor2D, w)) as tf.Scalar);
      x.dispose();
      return found;
    });
    expect(Object.keys(grads)).toHaveLength(1);
    tf.dispose([value, Object.values(grads)]);
    expect(tf.memory().numTensors).toBe(before);
    w.words.dispose();
  });

  it('names an argument that does not fit', () => {
    const w = randomFrozen('q8_0', 3, 64, 1);
    expect(() => frozenLinear(tf.ones([2, 32]), w)).toThrow(/x must be float32 \[N, 64\], got float32 \[2, 32\]/);
    expect(() => frozenLinear(tf.ones([2, 33]), { ...w, columns: 33 })).toThrow(/multiple of 32, got 33/);
    expect(() => frozenLinear(tf.ones([2, 64]), { ...w, rows: 4 })).toThrow(
      /needs words of type int32 \[68\], got int32 \[51\]/,
    );
    w.words.dispose();
  });
});

it('an id outside the matrix is an error that names it', async () => {
  await tf.setBackend(simdName);
  const w = randomFrozen('q4_0', 4, 32, 1);
  expect(() => frozenEmbed(tf.tensor1d([0, 4], 'int32'), w)).toThrow(/ids\[1\] must be in \[0, 4\), got 4/);
});
