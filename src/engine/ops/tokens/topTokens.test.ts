// Tests the most likely tokens, in the composed form and with the CPU's kernel, against the order of the logits
// themselves.
import '@tensorflow/tfjs-backend-cpu';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ConfigError, ShapeError } from '../../../base/errors.ts';
import { registerSimd, simdName } from '../../simd.ts';
import type { SimdBackend } from '../../simd/simdBackend.ts';
import { poisonNewBlocks } from '../../testing/poisonNewBlocks.ts';
import { hasKernel } from '../kernel.ts';
import { expectTop, topCases } from './testing/topCases.ts';
import { topTokens } from './topTokens.ts';

beforeAll(async () => {
  expect(await registerSimd(await readFile(new URL('../../simd/kernels.wasm', import.meta.url)))).toBe(true);
  await tf.setBackend(simdName);
  poisonNewBlocks(tf.backend() as SimdBackend);
});

describe.each([simdName, 'cpu'])('on %s', (backend) => {
  beforeAll(async () => {
    await tf.setBackend(backend);
    expect(hasKernel('TopTokens')).toBe(backend === simdName);
  });

  it.each(topCases)('%d rows of %d tokens, the first %d at %d', async (...one) => {
    await expectTop(topTokens, one);
  });

  it('the numbers of a row worked out by hand', () => {
    const logits = tf.tensor2d([[0, Math.log(2), 0, Math.log(4)]]);
    const { topIds, topLogprobs, logprobs, ranks, entropy } = topTokens(logits, tf.tensor1d([2], 'int32'), {
      ...{ temperature: 1, k: 3 },
    });
    expect(topIds.arraySync()).toEqual([[3, 1, 0]]);
    expect(ranks.arraySync()).toEqual([3]);
    const shares = [1, 2, 1, 4].map((weight) => weight / 8);
    const near = (found: tf.Tensor, expected: number[]) =>
      Array.from(found.dataSync()).forEach((x, i) => expect(x).toBeCloseTo(expected[i] as number, 6));
    near(
      topLogprobs,
      [4, 2, 1].map((weight) => Math.log(weight / 8)),
    );
    near(logprobs, [Math.log(1 / 8)]);
    near(entropy, [-shares.reduce((sum, p) => sum + p * Math.log(p), 0)]);
  });

  it('refuses more tokens than there are, ids of another size, and a temperature of 0', () => {
    const [logits, ids] = [tf.zeros([2, 3]) as tf.Tensor2D, tf.tensor1d([0, 1], 'int32')];
    for (const k of [0, 4, 1.5]) expect(() => topTokens(logits, ids, { temperature: 1, k })).toThrow(ShapeError);
    expect(() => topTokens(logits, tf.tensor1d([0], 'int32'), { temperature: 1, k: 1 })).toThrow(ShapeError);
    expect(() => topTokens(logits, ids, { temperature: 0, k: 1 })).toThrow(ConfigError);
  });
});

it('a kernel that meets a token that is none names it', async () => {
  await tf.setBackend(simdName);
  const ids = tf.tensor1d([0, 9], 'int32');
  expect(() => topTokens(tf.zeros([2, 3]), ids, { temperature: 1, k: 2 })).toThrow('ids[1] must be in [0, 3), got 9');
});
