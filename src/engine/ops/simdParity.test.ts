// Tests the kernels for training against float64 on random shapes. New blocks of memory are first filled with NaN.
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import { normals } from './testing/numbers.ts';
import { type OpCase, evaluate } from './testing/opCase.ts';
import { randomCases } from './testing/cases.ts';
import { type Numbers, distance } from './testing/numbers.ts';
import { registerSimd, simdName } from '../simd.ts';
import type { SimdBackend } from '../simd/simdBackend.ts';
import { poisonNewBlocks } from '../testing/poisonNewBlocks.ts';

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../simd/kernels.wasm', import.meta.url)))).toBe(true);
  await tf.setBackend(simdName);
  poisonNewBlocks(tf.backend() as SimdBackend);
});

const shapesOfAKind = 40;

/** The slope of Σ weights·f when one input moves along a direction, by central differences in float64. */
function slope(
  { reference }: OpCase,
  values: Numbers[],
  { input, direction }: { input: number; direction: Numbers },
  weights: Numbers,
): number {
  const step = 1e-5;
  const total = (shift: number) => {
    const moved = values.map((x, i) => (i === input ? x.map((v, j) => v + shift * (direction[j] as number)) : x));
    return reference(moved).reduce((sum, value, i) => sum + value * (weights[i] as number), 0);
  };
  return (total(step) - total(-step)) / (2 * step);
}

it.each(Object.entries(randomCases))(
  '%s: outputs and gradients on random shapes are those of float64',
  async (_, caseOf) => {
    for (let seed = 1; seed <= shapesOfAKind; seed++) {
      const draws = new Draws(seed, 0, 77);
      const found = caseOf(draws);
      const values = found.shapes.map((shape, i) => normals(tf.util.sizeFromShape(shape), 7 * seed + i));
      const { output, gradients } = await evaluate(found.shipped, found.shapes, values);
      expect(distance(output, found.reference(values)), found.title).toBeLessThan(1e-5);
      const weights = normals(output.length, 5); // those of `evaluate`
      gradients.forEach((gradient, input) => {
        expect(gradient.every(Number.isFinite), found.title).toBe(true);
        const length = Math.max(1e-3, Math.hypot(...gradient));
        // A random direction to which every entry of the input contributes.
        const direction = Float64Array.from(gradient, () => (draws.below(2) === 0 ? -1 : 1) * (0.5 + draws.next() / 2));
        const along = gradient.reduce((sum, x, i) => sum + x * (direction[i] as number), 0);
        const gap = Math.abs(along - slope(found, values, { input, direction }, weights)) / length;
        expect(gap, `${found.title}, input ${input}`).toBeLessThan(1e-5);
      });
    }
  },
);
