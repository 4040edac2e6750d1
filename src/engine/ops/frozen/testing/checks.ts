// Checks of products with frozen weights. Every backend must pass them, with a tolerance that depends on the accuracy
// of its float32 sums.
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import { linearReference } from '../../linear/testing/cases.ts';
import { differences, distance, normals, type Numbers } from '../../testing/numbers.ts';
import { frozenLinear } from '../frozenLinear.ts';
import type { FrozenFormat, FrozenMatrix } from '../frozenMatrix.ts';
import { backReference, frozenReference, randomFrozen } from './reference.ts';

export const matrix = (values: Numbers, columns: number) =>
  tf.tensor2d(Float32Array.from(values), [values.length / columns, columns]);

/** Computes y, and the gradient of Σ dy·y with respect to x, on the current backend. */
async function evaluated(x: Numbers, dy: Numbers, w: FrozenMatrix): Promise<[Float32Array, Float32Array]> {
  const [y, dx] = tf.tidy(() => {
    const input = matrix(x, w.columns);
    const loss = (of: tf.Tensor) => tf.sum(tf.mul(frozenLinear(of as tf.Tensor2D, w), matrix(dy, w.rows)));
    return [frozenLinear(input, w), tf.grad(loss)(input)];
  });
  const found = await Promise.all([y.data<'float32'>(), dx.data<'float32'>()]);
  tf.dispose([y, dx]);
  return found;
}

/**
 * Checks that the product of m rows with W, and its gradient, equal those computed in float64.
 * @param roundedWithin the tolerance of the product if the kernel rounds x
 */
export async function expectProducts(
  w: FrozenMatrix,
  m: number,
  within: number,
  roundedWithin = within,
): Promise<void> {
  const all = frozenReference(await w.words.data(), w);
  const [x, dy] = [normals(m * w.columns, 1), normals(m * w.rows, 2)];
  const [y, dx] = await evaluated(x, dy, w);
  expect(distance(y, linearReference(x, all, w.columns))).toBeLessThan(roundedWithin);
  expect(distance(dx, backReference(dy, all, w.rows, w.columns))).toBeLessThan(within);
}

/**
 * Checks the product of a single row of whole numbers with W. Each block has the largest number of 16 bits, with a
 * sign, so rounding to 16 bits changes nothing.
 */
export async function expectExactRow(w: FrozenMatrix, within: number): Promise<void> {
  const all = frozenReference(await w.words.data(), w);
  const x = normals(w.columns, 3).map((value, i) =>
    i % 32 === (i >> 5) % 32 ? (i & 32) * 2048 - 32767 : 9000 * value,
  );
  const whole = x.map((value) => Math.max(-32767, Math.min(32767, Math.round(value))));
  const [y] = await evaluated(whole, normals(w.rows, 2), w);
  expect(distance(y, linearReference(whole, all, w.columns))).toBeLessThan(within);
}

/** Checks that the gradient of a small product equals the one computed by finite differences. */
export async function expectSlopes(format: FrozenFormat, within: number): Promise<void> {
  const w = randomFrozen(format, 5, 32, 7);
  const all = frozenReference(await w.words.data(), w);
  const [x, dy] = [normals(96, 1), normals(15, 2)];
  const expected = differences((moved) => linearReference(moved, all, 32), x, dy);
  expect(distance((await evaluated(x, dy, w))[1], expected)).toBeLessThan(within);
  w.words.dispose();
}
