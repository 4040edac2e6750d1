// Tests frozen weights on WebGPU: each format, kernel and variant against float64, and matrices that are larger than a
// device can bind.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { gpuBackend, grantOnly, poisonBuffers } from '../../testing/gpuBackend.ts';
import { forceVariant, recorderOf } from '../../webgpu/program/kernel.ts';
import { embed } from '../embed/embed.ts';
import { linear } from '../linear/linear.ts';
import { multiply } from '../linear/products.ts';
import { linearReference } from '../linear/testing/cases.ts';
import { distance, normals } from '../testing/numbers.ts';
import { frozenEmbed, frozenLinear } from './frozenLinear.ts';
import { type FrozenFormat, type FrozenMatrix, frozenFormats } from './frozenMatrix.ts';
import { expectProducts, expectSlopes, matrix } from './testing/checks.ts';
import { backReference, frozenReference, randomFrozen } from './testing/reference.ts';

let backend: WebGPUBackend;

beforeAll(async () => {
  backend = await gpuBackend();
});

/** Runs a function and returns the size in bytes of every buffer that is bound meanwhile. */
async function boundBytes(run: () => Promise<void>): Promise<number[]> {
  const { device } = backend;
  const make = device.createBindGroup.bind(device);
  const sizes: number[] = [];
  device.createBindGroup = (descriptor) => {
    for (const { resource } of descriptor.entries) {
      const { buffer, size } = resource as GPUBufferBinding;
      sizes.push(size ?? buffer.size);
    }
    return make(descriptor);
  };
  try {
    await run();
  } finally {
    device.createBindGroup = make;
  }
  return sizes;
}

/**
 * Each shape consists of the number of rows of x, the number of rows of W and the number of columns of W. Some numbers
 * of rows are not multiples of four, and some are larger than a workgroup.
 */
const shapes: [number, number, number][] = [
  [1, 13, 32],
  [4, 8, 96],
  [9, 259, 32],
  [22, 270, 288],
  [70, 132, 64],
  [3, 1028, 32],
];
/**
 * A software driver compiles up to three seconds for each kernel. The formats differ only in how a weight is read, so
 * all shapes are tested with one of them, and the others with a narrow and a deep shape.
 */
const shapesOf = (format: FrozenFormat) => (format === 'q4_1' ? shapes : [shapes[1], shapes[3]]) as typeof shapes;

describe.each(['solo', 'team'] as const)('the %s kernels, over poisoned buffers,', (variant) => {
  beforeAll(() => {
    forceVariant(backend, variant);
    return poisonBuffers(backend);
  });

  describe.each(frozenFormats)('%s', (format) => {
    it.each(shapesOf(format))(
      '%i rows times [%i, %i] and its gradient are those of float64',
      async (m, rows, columns) => {
        const w = randomFrozen(format, rows, columns, m);
        await expectProducts(w, m, 1e-5);
        w.words.dispose();
      },
    );

    it('its gradient is what finite differences give', () => expectSlopes(format, 1e-5));

    it('gives rows by their ids, and zeros for unknown ones', async () => {
      const w = randomFrozen(format, 11, 96, 3);
      const all = frozenReference(await w.words.data(), w);
      const ids = tf.tensor1d([10, 0, 3, 3, 11, -1], 'int32');
      const rows = frozenEmbed(ids, w);
      const expected = [10, 0, 3, 3].flatMap((id) => [...Array.from(all).slice(id * 96, id * 96 + 96)]);
      expect(distance(await rows.data(), [...expected, ...new Array<number>(192).fill(0)])).toBeLessThan(1e-6);
      tf.dispose([ids, rows, w.words]);
    });
  });
});

// The kernels that multiply in tiles are the same for both variants.
it.each([
  ['q4_1', 7, 21, 32],
  ['q4_1', 130, 76, 160],
  ['q4_0', 7, 21, 32],
  ['q8_0', 7, 21, 32],
  ['f16', 7, 21, 32],
] as const)('in tiles, %s, %i rows times [%i, %i] are those of float64', async (format, m, lines, columns) => {
  const restore = poisonBuffers(backend);
  const w = randomFrozen(format, lines, columns, m);
  const all = frozenReference(await w.words.data(), w);
  const weight = { info: w.words, format, lines, columns };
  const [x, dy] = [normals(m * columns, 1), normals(m * lines, 2)];
  const product = async (direction: 'forward' | 'back', from: tf.Tensor2D) => {
    const { to } = multiply(recorderOf(backend), { direction, from, weight, way: 'tiled' });
    return tf.engine().makeTensorFromTensorInfo(to).data<'float32'>();
  };
  const [y, dx] = [await product('forward', matrix(x, columns)), await product('back', matrix(dy, lines))];
  expect(distance(y, linearReference(x, all, columns))).toBeLessThan(1e-5);
  expect(distance(dx, backReference(dy, all, lines, columns))).toBeLessThan(1e-5);
  w.words.dispose();
  restore();
});

describe('of a matrix that is more than the device binds', () => {
  beforeAll(() => forceVariant(backend, 'solo'));

  it.each([
    ['f16', 256],
    ['q8_0', 250],
    ['q4_0', 250],
    ['q4_1', 256],
  ] as const)('%s with %i rows is cut into parts', async (format, rows) => {
    const w = randomFrozen(format, rows, 1344, 5);
    const most = 65_536;
    const restore = grantOnly(backend, { maxStorageBufferBindingSize: most });
    const ids = tf.tensor1d([0, rows - 1, 77, rows, 131], 'int32');
    const all = frozenReference(await w.words.data(), w);
    const sizes = await boundBytes(async () => {
      await expectProducts(w, 5, 1e-5);
      const found = await frozenEmbed(ids, w).data();
      const expected = [0, rows - 1, 77].flatMap((id) => Array.from(all).slice(id * 1344, id * 1344 + 1344));
      expect(distance(found.subarray(0, 3 * 1344), expected)).toBeLessThan(1e-6);
      expect(found.subarray(3 * 1344, 4 * 1344).every((value) => value === 0)).toBe(true);
    });
    restore();
    expect(sizes.length).toBeGreaterThan(6);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    tf.dispose([ids, w.words]);
  });

  it('float32 too, and rows of it', async () => {
    const [lines, columns, m] = [152, 236, 5];
    const values = normals(lines * columns, 3);
    const w = matrix(values, columns);
    const most = 65_536;
    const restore = grantOnly(backend, { maxStorageBufferBindingSize: most });
    const [x, dy] = [normals(m * columns, 1), normals(m * lines, 2)];
    const ids = tf.tensor1d([151, 0, 77, 152], 'int32');
    const sizes = await boundBytes(async () => {
      const made = tf.tidy(() => {
        const given = matrix(x, columns);
        const run = (of: tf.Tensor) => linear(of as tf.Tensor2D, w, true);
        return [run(given), tf.grad(run)(given, matrix(dy, lines)), embed(ids, w)] as const;
      });
      const [y, dx, rows] = await Promise.all(made.map((one) => one.data<'float32'>()));
      expect(distance(y as Float32Array, linearReference(x, values, columns))).toBeLessThan(1e-5);
      expect(distance(dx as Float32Array, backReference(dy, values, lines, columns))).toBeLessThan(1e-5);
      const expected = [151, 0, 77].flatMap((id) => Array.from(values).slice(id * columns, (id + 1) * columns));
      expect(distance(rows as Float32Array, [...expected, ...new Array<number>(columns).fill(0)])).toBeLessThan(1e-6);
      tf.dispose([...made]);
    });
    restore();
    expect(Math.max(...sizes)).toBeLessThanOrEqual(most);
    tf.dispose([ids, w]);
  });

  it('at the 128 MiB that every device grants', async () => {
    const [rows, columns] = [33_000, 2080];
    const bits = new Uint16Array(rows * columns);
    const one = 0x3c00;
    for (let row = 0; row < rows; row++) bits[row * columns + (row % columns)] = one; // a one on each row
    const words = tf.tensor1d(new Int32Array(bits.buffer), 'int32');
    const w: FrozenMatrix = { words, format: 'f16' satisfies FrozenFormat, rows, columns };
    expect(backend.device.limits.maxStorageBufferBindingSize).toBe(2 ** 27);
    expect(4 * words.size).toBeGreaterThan(2 ** 27);
    const x = tf.tensor2d(
      Float32Array.from({ length: columns }, (_, i) => i),
      [1, columns],
    );
    const y = frozenLinear(x, w);
    expect((await y.data()).every((value, row) => value === row % columns)).toBe(true);
    tf.dispose([words, x, y]);
  });
});

it('keeps the weights on the device in their stored size, and nothing else', async () => {
  const bytes = () => (tf.memory() as unknown as { numBytesInGPU: number }).numBytesInGPU;
  const x = tf.ones<tf.Rank.R2>([2, 1024]);
  await tf.add(x, 1).data();
  const w = randomFrozen('q4_1', 512, 1024, 1);
  const before = bytes();
  tf.dispose(frozenLinear(x, w));
  await tf.add(x, 1).data(); // submits, so that what is free returns
  expect(bytes() - before).toBeLessThan((512 * 1024 * 20) / 32 + 2 * 4 * (1024 + 512) + 1024);
  tf.dispose([x, w.words]);
});
