// Tests that the most likely tokens are the same whether logits are computed in parts or all together, and that the
// logits are never all in memory when they are computed in parts.
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { Draws } from '../../base/random.ts';
import type { ModelShape } from '../../config/sizes.ts';
import { topTokens } from '../../engine/ops/tokens/topTokens.ts';
import { registerSimd, simdName } from '../../engine/simd.ts';
import { livelyWeights, testShapes } from '../testing/reference.ts';
import { headTopTokens } from './headTopTokens.ts';
import { logits } from './llama.ts';
import { disposeTree, uploadTree } from './parameters.ts';

beforeAll(async () => {
  await registerSimd(await readFile(new URL('../../engine/simd/kernels.wasm', import.meta.url)));
  await tf.setBackend(simdName);
});

const rows = 50;

it.each([true, false])(
  'parts of seven rows give the same tokens as the whole, in less memory (frozen: %s)',
  async (isFrozen) => {
    const shape: ModelShape = { ...(testShapes['micro'] as ModelShape), vocabSize: 3001 };
    const draws = new Draws(4, 0, 0);
    const { numTensors } = tf.memory();
    const tree = uploadTree(livelyWeights(shape, 2), shape, { isFrozen });
    const numbers = Float32Array.from({ length: rows * shape.hiddenSize }, () => draws.normal());
    const states = tf.tensor2d(numbers, [rows, shape.hiddenSize]);
    const ids = tf.tensor1d(
      Int32Array.from({ length: rows }, () => draws.below(shape.vocabSize)),
      'int32',
    );
    const asked = { temperature: 0.8, k: 4 };
    const whole = tf.tidy(() => ({ ...topTokens(logits(states, tree, shape), ids, asked) }));
    const before = tf.memory().numBytes;
    const { peakBytes, result } = await tf.profile(() => ({
      ...headTopTokens(states, ids, { tree, shape, most: 7 * shape.vocabSize, ...asked }),
    }));
    const parts = result as unknown as typeof whole;
    for (const name of ['topIds', 'topLogprobs', 'logprobs', 'entropy', 'ranks'] as const) {
      const [one, other] = [await parts[name].data(), await whole[name].data()];
      expect(parts[name].shape).toEqual(whole[name].shape);
      one.forEach((x, i) => expect(x).toBeCloseTo(other[i] as number, 5));
    }
    expect(peakBytes - before).toBeLessThan((4 * rows * shape.vocabSize) / 4);
    const all = tf.tidy(() => headTopTokens(states, ids, { tree, shape, temperature: 1, k: 5000 }).topIds.shape);
    expect(all).toEqual([rows, shape.vocabSize]);
    tf.dispose([...Object.values(whole), ...Object.values(parts), states, ids]);
    disposeTree(tree);
    expect(tf.memory().numTensors).toBe(numTensors);
  },
);
