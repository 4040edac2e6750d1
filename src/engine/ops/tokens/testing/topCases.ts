// Cases that `topTokens` must pass on every backend: rows of odd sizes, rows with equal logits, and a large vocabulary.
import * as tf from '@tensorflow/tfjs-core';
import { expect } from 'vitest';
import { normals } from '../../testing/numbers.ts';
import type { topTokens } from '../topTokens.ts';
import { topReference } from './reference.ts';

export const topCases: [rows: number, vocabulary: number, k: number, temperature: number][] = [
  [1, 1, 1, 1],
  [1, 5, 5, 0.5],
  [7, 13, 4, 1],
  [6, 32, 3, 0.7],
  [5, 130, 4, 1.3],
  [3, 1021, 9, 0.8],
  [3, 49_153, 4, 0.7],
];

/** Logits [rows, vocabulary]; if `isTied`, many of them are equal. */
function logitsOf(rows: number, vocabulary: number, isTied: boolean): Float32Array {
  return Float32Array.from(normals(rows * vocabulary, 3), (x) => (isTied ? Math.round(2 * x) : 3 * x));
}

/** Checks the tokens that `run` returns against the order of the logits themselves, and its numbers against float64. */
export async function expectTop(
  run: typeof topTokens,
  [rows, vocabulary, k, temperature]: (typeof topCases)[number],
): Promise<void> {
  const ids = Int32Array.from({ length: rows }, (_, i) => (i * 5 + 3) % vocabulary);
  for (const isTied of [false, true]) {
    const logits = logitsOf(rows, vocabulary, isTied);
    const before = tf.memory().numTensors;
    const given = [tf.tensor2d(logits, [rows, vocabulary]), tf.tensor1d(ids, 'int32')] as const;
    const found = tf.tidy(() => ({ ...run(...given, { temperature, k }) }));
    const right = Array.from(ids, (id, row) =>
      topReference(Float64Array.from(logits.subarray(row * vocabulary, (row + 1) * vocabulary)), id, temperature),
    );
    expect(await found.topIds.array()).toEqual(right.map(({ order }) => order.slice(0, k)));
    expect(await found.ranks.array()).toEqual(right.map(({ rank }) => rank));
    const expected = {
      topLogprobs: right.flatMap(({ order, logprobs }) => order.slice(0, k).map((id) => logprobs[id] as number)),
      logprobs: right.map(({ logprobs }, row) => logprobs[ids[row] as number] as number),
      entropy: right.map(({ entropy }) => entropy),
    };
    // The tolerance allows for rounding in sums of tens of thousands of float32 numbers.
    const most = vocabulary > 10_000 ? 5e-5 : 1e-5;
    for (const [name, numbers] of Object.entries(expected)) {
      const values = await found[name as keyof typeof expected].data();
      // A log-probability near 0 is the difference of two large numbers, so its rounding error can be larger than the
      // number.
      numbers.forEach((x, i) =>
        expect(Math.abs((values[i] as number) - x), name).toBeLessThan(most * Math.max(1, Math.abs(x))),
      );
    }
    tf.dispose([...Object.values(found), ...given]);
    expect(tf.memory().numTensors - before).toBeLessThanOrEqual(8); // constants that stay
  }
}
