// Tests the linear map with an adapter on WebGPU: its output and all gradients against float64, for each format,
// kernel, variant and rank.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { dispatchesOf, gpuBackend, grantOnly, poisonBuffers } from '../../testing/gpuBackend.ts';
import { forceVariant, recorderOf } from '../../webgpu/program/kernel.ts';
import { type FrozenMatrix, frozenFormats } from '../frozen/frozenMatrix.ts';
import { backReference, frozenReference, randomFrozen } from '../frozen/testing/reference.ts';
import type { WeightFormat } from '../frozen/wgsl.ts';
import { hasKernel } from '../kernel.ts';
import { distance, fill, get, normals, type Numbers, sum } from '../testing/numbers.ts';
import { adaptedLinear } from './adaptedLinear.ts';
import { multiply, multiplyBack } from './products.ts';
import { linearReference } from './testing/cases.ts';

let backend: WebGPUBackend;

beforeAll(async () => {
  backend = await gpuBackend();
});

const scale = 1.5;
const matrix = (values: Numbers, columns: number) =>
  tf.tensor2d(Float32Array.from(values), [values.length / columns, columns]);

/** A random matrix in the given format, together with its numbers. */
async function weightOf(format: WeightFormat, lines: number, columns: number) {
  if (format === 'f32') {
    const values = normals(lines * columns, 9);
    return { base: matrix(values, columns), values: values as Numbers, held: undefined };
  }
  const base = randomFrozen(format, lines, columns, 3);
  return { base, values: frozenReference(await base.words.data(), base), held: base.words };
}

interface Case {
  format: WeightFormat;
  rows: number;
  lines: number;
  columns: number;
  rank: number;
}

/** The output and all gradients in float64, computed from x, A, B and dy. */
function expectedOf({ lines, columns, rank }: Case, { x, a, b, dy, w }: Record<'x' | 'a' | 'b' | 'dy' | 'w', Numbers>) {
  const rows = x.length / columns;
  const narrow = linearReference(x, a, columns);
  const dNarrow = backReference(dy, b, lines, rank);
  const plus = (one: Numbers, other: Numbers) => fill(one.length, (i) => get(one, i) + scale * get(other, i));
  const across = (left: Numbers, n: number, right: Numbers, m: number) =>
    fill(n * m, (at) => {
      const [i, j] = [Math.floor(at / m), at % m];
      return scale * sum(rows, (row) => get(left, row * n + i) * get(right, row * m + j));
    });
  return {
    y: plus(linearReference(x, w, columns), linearReference(narrow, b, rank)),
    dx: plus(backReference(dy, w, lines, columns), backReference(dNarrow, a, rank, columns)),
    da: across(dNarrow, rank, x, columns),
    db: across(dy, lines, narrow, rank),
  };
}

function numbersOf({ rows, lines, columns, rank }: Case) {
  return {
    x: normals(rows * columns, 1),
    a: normals(rank * columns, 2),
    b: normals(lines * rank, 3),
    dy: normals(rows * lines, 4),
  };
}

async function evaluated(
  base: tf.Tensor2D | FrozenMatrix,
  { lines, columns, rank }: Case,
  given: ReturnType<typeof numbersOf>,
) {
  const found = tf.tidy(() => {
    const inputs = [matrix(given.x, columns), matrix(given.a, columns), matrix(given.b, rank)];
    const run = (x: tf.Tensor, a: tf.Tensor, b: tf.Tensor) =>
      adaptedLinear(x as tf.Tensor2D, base, { a: a as tf.Tensor2D, b: b as tf.Tensor2D, scale });
    const [x, a, b] = inputs as [tf.Tensor, tf.Tensor, tf.Tensor];
    const loss = (...of: tf.Tensor[]) =>
      tf.sum(tf.mul(run(of[0] as tf.Tensor, of[1] as tf.Tensor, of[2] as tf.Tensor), matrix(given.dy, lines)));
    return [run(x, a, b), ...tf.grads(loss)(inputs)];
  });
  const [y, dx, da, db] = await Promise.all(found.map((one) => one.data<'float32'>()));
  tf.dispose(found);
  return { y, dx, da, db };
}

async function expectAdapted(given: Case): Promise<void> {
  const { base, values, held } = await weightOf(given.format, given.lines, given.columns);
  const numbers = numbersOf(given);
  const expected = expectedOf(given, { ...numbers, w: values });
  const found = await evaluated(base, given, numbers);
  for (const name of ['y', 'dx', 'da', 'db'] as const)
    expect(distance(found[name] as Float32Array, expected[name]), name).toBeLessThan(1e-5);
  tf.dispose(held ?? (base as tf.Tensor));
}

// A software driver compiles one to three seconds for each kernel, so the forms of a kernel are covered with one format,
// and the formats, which only differ in how a weight is read, with its shortest form.
const cases: Case[] = [
  { format: 'f32', rows: 1, lines: 8, columns: 12, rank: 1 },
  { format: 'f32', rows: 3, lines: 20, columns: 4, rank: 3 },
  { format: 'f32', rows: 70, lines: 68, columns: 28, rank: 8 },
  { format: 'f32', rows: 5, lines: 524, columns: 516, rank: 23 },
  { format: 'f32', rows: 9, lines: 36, columns: 40, rank: 64 },
  { format: 'q4_1', rows: 13, lines: 44, columns: 96, rank: 6 },
  ...frozenFormats.map((format): Case => ({ format, rows: 2, lines: 36, columns: 64, rank: 16 })),
];

const title = ({ format, rows, lines, columns, rank }: Case) =>
  `${format}, ${rows} rows, [${lines}, ${columns}], rank ${rank}`;

describe.each(['solo', 'team'] as const)('the %s kernels, over poisoned buffers,', (variant) => {
  beforeAll(() => {
    forceVariant(backend, variant);
    return poisonBuffers(backend);
  });

  it.each(cases.map((one) => [title(one), one] as const))('%s: output and gradients are those of float64', (_, one) => {
    return expectAdapted(one);
  });

  it.each([
    [8, 1],
    [40, variant === 'solo' ? 2 : 1],
  ])('takes of %i rows %i dispatches, and two on the way back', (rows, forward) => {
    const [x, w] = [tf.ones<tf.Rank.R2>([rows, 64]), tf.ones<tf.Rank.R2>([96, 64])];
    const [a, b] = [tf.ones<tf.Rank.R2>([8, 64]), tf.ones<tf.Rank.R2>([96, 8])];
    const run = (of: tf.Tensor, p: tf.Tensor, q: tf.Tensor) =>
      adaptedLinear(of as tf.Tensor2D, w, { a: p as tf.Tensor2D, b: q as tf.Tensor2D, scale });
    const dy = tf.ones<tf.Rank.R2>([rows, 96]);
    expect(dispatchesOf(() => tf.dispose(run(x, a, b)))).toBe(forward);
    expect(dispatchesOf(() => tf.dispose(tf.grads(run)([x, a, b], dy)))).toBe(forward + 2);
    tf.dispose([x, w, a, b, dy]);
  });
});

it.each([
  [{ format: 'f32', rows: 130, lines: 76, columns: 44, rank: 7 }],
  [{ format: 'q8_0', rows: 65, lines: 140, columns: 96, rank: 36 }],
] as [Case][])('in tiles, %o is that of float64', async (given) => {
  const restore = poisonBuffers(backend);
  const { format, lines, columns, rank } = given;
  const { base, values, held } = await weightOf(format, lines, columns);
  const numbers = numbersOf(given);
  const expected = expectedOf(given, { ...numbers, w: values });
  const [x, a] = [matrix(numbers.x, columns), matrix(numbers.a, columns)];
  const [dy, b] = [matrix(numbers.dy, lines), matrix(numbers.b, rank)];
  const weight = { info: held ?? (base as tf.Tensor), format, lines, columns };
  const pair = { a, b, rank, scale };
  const recorder = recorderOf(backend);
  const { to, narrow } = multiply(recorder, { direction: 'forward', from: x, weight, pair, way: 'tiled' });
  const passed = { x, narrow: narrow as tf.TensorInfo };
  const found = { y: to, ...passed, ...multiplyBack(recorder, { from: dy, weight, pair, way: 'tiled' }, passed) };
  for (const name of ['y', 'dx', 'da', 'db'] as const) {
    const made = tf.engine().makeTensorFromTensorInfo(found[name]);
    expect(distance(await made.data<'float32'>(), expected[name]), name).toBeLessThan(1e-5);
  }
  restore();
});

it('what the kernel does not take is composed', async () => {
  const odd: Case = { format: 'f32', rows: 3, lines: 7, columns: 12, rank: 2 };
  const [x, w] = [tf.ones<tf.Rank.R2>([3, 12]), tf.ones<tf.Rank.R2>([7, 12])];
  const pair = (rank: number, lines: number) => [tf.ones([rank, 12]), tf.ones([lines, rank])] as const;
  expect(hasKernel('AdaptedLinear', x, w, ...pair(2, 7))).toBe(false);
  expect(hasKernel('AdaptedLinear', x, w, ...pair(2, 8))).toBe(true);
  expect(hasKernel('AdaptedLinear', x, w, ...pair(68, 8))).toBe(false);
  await expectAdapted(odd);
  const restore = grantOnly(backend, { maxStorageBufferBindingSize: 65_536 });
  const wide: Case = { format: 'q8_0', rows: 3, lines: 260, columns: 288, rank: 4 };
  await expectAdapted(wide);
  restore();
});

it('says which adapter does not fit', () => {
  const [x, w] = [tf.ones<tf.Rank.R2>([3, 12]), tf.ones<tf.Rank.R2>([8, 12])];
  const [a, b] = [tf.ones<tf.Rank.R2>([2, 16]), tf.ones<tf.Rank.R2>([8, 2])];
  expect(() => adaptedLinear(x, w, { a, b, scale })).toThrow(/adaptedLinear: expected y \[N, O\].*another matrix/);
});
