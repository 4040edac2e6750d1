import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateLoss, farTokens, lossCases, lossSlopes } from './testing/cases.ts';
import { lossReference } from './testing/reference.ts';
import { distance } from '../testing/numbers.ts';
import { lossTerms } from './tokenLoss.ts';
import { registerSimd, simdName } from '../../simd.ts';
import type { SimdBackend } from '../../simd/simdBackend.ts';
import { poisonNewBlocks } from '../../testing/poisonNewBlocks.ts';

let backend: SimdBackend;

beforeAll(async () => {
  await registerSimd(await readFile(new URL('../../simd/kernels.wasm', import.meta.url)));
  await tf.setBackend(simdName);
  backend = tf.backend() as SimdBackend;
  poisonNewBlocks(backend);
});

const cases = [1, 2, 3].flatMap(lossCases);

describe('the loss in one kernel, over poisoned memory,', () => {
  it.each(cases)('of $title: terms of float64, gradients of finite differences', async (given) => {
    const [metrics, ...gradients] = (await evaluateLoss(given)) as [Float32Array, ...Float32Array[]];
    expect(distance(metrics, lossReference(given.learned, given.given))).toBeLessThan(1e-5);
    expect(gradients).toHaveLength(given.learned.length);
    gradients.forEach((gradient, at) => {
      expect(distance(gradient, lossSlopes(given, at))).toBeLessThan(1e-5);
      const masked = gradient.filter((_, token) => (given.given.ids[token] as number) < 0);
      expect(masked.every((slope) => slope === 0)).toBe(true);
    });
  });

  it.each(farTokens)('pulls to the reference from far: $title', async ({ distance, slope, ...one }) => {
    const [metrics, gradient] = (await evaluateLoss(one)) as [Float32Array, Float32Array];
    const { klCoef } = one.given.settings;
    expect(metrics[lossTerms.indexOf('refKl')]).toBeCloseTo(distance, 4);
    expect(gradient[0]).toBeCloseTo(klCoef * slope, 4);
  });

  it('meets every clip and bound in these cases', () => {
    const sums = cases.map(({ learned, given }) => lossReference(learned, given));
    const acts = (name: (typeof lossTerms)[number]) => sums.filter((sum) => sum[lossTerms.indexOf(name)] !== 0).length;
    for (const name of lossTerms) expect(acts(name), name).toBeGreaterThan(cases.length / 3);
  });

  it('gives all tokens of a span one ratio: a long span is clipped as a whole', async () => {
    for (const given of cases.filter(({ title }) => title.startsWith('64 tokens of one span'))) {
      const share = Float64Array.from(given.given.ids, (id) => (id < 0 ? 0 : 1));
      given.given.facts.share = share;
      const whole = share.reduce((sum, x) => sum + x, 0);
      const [metrics] = (await evaluateLoss(given)) as [Float32Array];
      expect([0, whole]).toContain(metrics[lossTerms.indexOf('clipped')]);
      expect([0, whole]).toContain(metrics[lossTerms.indexOf('dualClipped')]);
    }
  });

  it('frees all it takes', async () => {
    const held = () => ({ tensors: tf.memory().numTensors, bytes: backend.heap.usedBytes });
    const before = held();
    for (const given of lossCases(4)) await evaluateLoss(given);
    expect(held()).toEqual(before);
  });
});
