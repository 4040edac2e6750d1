// Tests that log-probabilities and entropies that are computed in parts, and again in the backward pass, equal those
// that are computed for all states together.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { headLogprobs } from './headLogprobs.ts';
import { disposeTree, uploadTree } from './parameters.ts';

beforeAll(async () => {
  await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)));
  await tf.setBackend(simdName);
});

const shape = { ...(testShapes['micro'] as ModelShape), isTied: false };

/** Log-probabilities, entropies, and the gradient of a weighted sum of both with respect to the hidden states. */
async function read(most: number, isFrozen = true) {
  const draws = new Draws(4, 0, 0);
  const { numTensors } = tf.memory();
  const tree = uploadTree(livelyWeights(shape, 2), shape, { isFrozen });
  const states = tf.tidy(() =>
    tf.variable(
      tf.tensor2d(
        Float32Array.from({ length: 11 * shape.hiddenSize }, () => draws.normal()),
        [11, shape.hiddenSize],
      ),
    ),
  );
  const ids = tf.tensor1d(
    Array.from({ length: 11 }, () => draws.below(shape.vocabSize)),
    'int32',
  );
  const weights = tf.tensor1d(Array.from({ length: 11 }, () => draws.normal()));
  const kept: tf.Tensor[] = [];
  const { value, grads } = lossAndGradients(() => {
    const { logprobs, entropy } = headLogprobs(states as tf.Tensor2D, ids, { tree, shape, temperature: 0.8, most });
    kept.push(tf.keep(tf.clone(logprobs)), tf.keep(tf.clone(entropy)));
    // Both results are used, so that the test fails if recomputing one of them changes the gradient of the other.
    const sum = tf.add(tf.mul(logprobs, weights), tf.mul(entropy, tf.square(weights)));
    return tf.add(tf.sum(sum), tf.sum(tf.square(states))) as tf.Scalar;
  }, [states]);
  const found = [value, ...Object.values(grads), ...kept].map((x) => Array.from(x.dataSync()));
  tf.dispose([value, ...Object.values(grads), ...kept, states, ids, weights]);
  disposeTree(tree);
  expect(tf.memory().numTensors).toBe(numTensors);
  return found;
}

it('a frozen head gives the same values and gradients in parts of three rows, and leaves no tensors', async () => {
  const whole = await read(Infinity);
  const parts = await read(3 * shape.vocabSize);
  expect(parts.map((numbers) => numbers.length)).toEqual(whole.map((numbers) => numbers.length));
  whole.forEach((numbers, i) =>
    numbers.forEach((x, at) => expect(Math.abs((parts[i]?.[at] as number) - x)).toBeLessThan(2e-5)),
  );
});

it('a trainable head is never computed in parts', async () => {
  expect(await read(3 * shape.vocabSize, false)).toEqual(await read(Infinity, false));
});
