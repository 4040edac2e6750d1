// Tests the GPU program that computes the loss of an update, against float64 and finite differences.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { evaluateLoss, farTokens, lossCases, lossSlopes } from './testing/cases.ts';
import { lossReference } from './testing/reference.ts';
import { distance } from '../testing/numbers.ts';
import { hasTokenLoss, lossTerms } from './tokenLoss.ts';
import { gpuBackend, grantOnly, poisonBuffers } from '../../testing/gpuBackend.ts';

let backend: WebGPUBackend;

beforeAll(async () => {
  backend = await gpuBackend();
});

describe('the loss in one program, over poisoned buffers,', () => {
  beforeAll(() => poisonBuffers(backend));

  it.each([1, 2, 3].flatMap(lossCases))('of $title: terms of float64, gradients of finite differences', async (one) => {
    const [metrics, ...gradients] = (await evaluateLoss(one)) as [Float32Array, ...Float32Array[]];
    expect(distance(metrics, lossReference(one.learned, one.given))).toBeLessThan(1e-4);
    expect(gradients).toHaveLength(one.learned.length);
    gradients.forEach((gradient, at) => expect(distance(gradient, lossSlopes(one, at))).toBeLessThan(1e-4));
  });

  it.each(farTokens)('pulls to the reference from far: $title', async ({ distance, slope, ...one }) => {
    const [metrics, gradient] = (await evaluateLoss(one)) as [Float32Array, Float32Array];
    const { klCoef } = one.given.settings;
    expect(metrics[lossTerms.indexOf('refKl')]).toBeCloseTo(distance, 4);
    expect(gradient[0]).toBeCloseTo(klCoef * slope, 4);
  });

  it('frees all it takes', async () => {
    const held = () => ({ tensors: tf.memory().numTensors, ids: backend.numDataIds() });
    const before = held();
    for (const one of lossCases(4)) await evaluateLoss(one);
    expect(held()).toEqual(before);
  });
});

it('is not asked where the device binds too few buffers for it', () => {
  const granted = [7, 8, 9].map((maxStorageBuffersPerShaderStage) => {
    const restore = grantOnly(backend, { maxStorageBuffersPerShaderStage });
    const answers = [hasTokenLoss(false), hasTokenLoss(true)];
    restore();
    return answers;
  });
  expect(granted).toEqual([
    [false, false],
    [true, false],
    [true, true],
  ]);
});
