// Tests that operations use their composed form for shapes that the kernels do not support, and measures the device
// limits that the kernels need.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { causalAttention, causalAttentionComposed } from './attention/causalAttention.ts';
import { hasKernel } from './kernel.ts';
import { linear } from './linear/linear.ts';
import { distance } from './testing/numbers.ts';
import { rmsNorm, rmsNormComposed } from './norm/rmsNorm.ts';
import { chooseVariant, forceVariant, recorderOf } from '../webgpu/program/kernel.ts';
import { probeMargin, probeVariant } from '../webgpu/program/probe.ts';
import { gpuBackend, grantOnly, random, randomRotation } from '../testing/gpuBackend.ts';

let backend: WebGPUBackend;

beforeAll(async () => {
  backend = await gpuBackend();
});

const attention = (size: number) => ({
  qkv: random([10, 4 * size], 1) as tf.Tensor2D,
  ...randomRotation([1, 5, size]),
  ...{ heads: 2, keyHeads: 1 },
});

describe('a kernel is not asked', () => {
  it.each([34, 132])('for heads of %d, which no registers hold', async (size) => {
    const inputs = attention(size);
    expect(hasKernel('CausalAttention', inputs.qkv, inputs.cos)).toBe(false);
    const [shipped, composed] = [causalAttention(inputs), causalAttentionComposed(inputs)];
    expect(distance(await shipped.data(), await composed.data())).toBe(0);
  });

  it('for heads of a decoder that no registers hold', () => {
    const table = random([5, 132], 1);
    expect(hasKernel('CachedAttention')).toBe(true);
    expect(hasKernel('CachedAttention', random([2, 3 * 132], 2), table)).toBe(false);
  });

  it.each([
    [5, 8],
    [8, 6],
  ])('for a linear map from %d to %d numbers', async (inner, outs) => {
    const [x, w] = [random([3, inner], 1) as tf.Tensor2D, random([outs, inner], 2) as tf.Tensor2D];
    expect(hasKernel('Linear', x, w)).toBe(false);
    expect(distance(await linear(x, w).data(), await tf.matMul(x, w, false, true).data())).toBe(0);
  });

  it('where the device binds too few buffers for it', async () => {
    const restore = grantOnly(backend, { maxStorageBuffersPerShaderStage: 5 });
    const inputs = attention(8);
    const asked = ['CausalAttention', 'RmsNorm', 'TakeTokens', 'SwiGlu'].map((name) => hasKernel(name));
    const attended = causalAttention(inputs);
    restore();
    expect(asked).toEqual([false, false, false, true]);
    expect(hasKernel('CausalAttention')).toBe(true);
    expect(distance(await attended.data(), await causalAttentionComposed(inputs).data())).toBe(0);
  });

  it('where a workgroup has too little memory for it', async () => {
    const restore = grantOnly(backend, { maxComputeWorkgroupStorageSize: 512 });
    const [x, gain] = [random([3, 8], 1) as tf.Tensor2D, random([8], 2) as tf.Tensor1D];
    const asked = ['CausalAttention', 'RmsNorm', 'Linear', 'TokenLogprobs'].map((name) => hasKernel(name));
    const normed = rmsNorm(x, gain, 1e-5);
    restore();
    expect(asked).toEqual([false, false, false, true]);
    expect(distance(await normed.data(), await rmsNormComposed(x, gain, 1e-5).data())).toBe(0);
  });
});

it('the kernels need no more than every device grants: 8 buffers, 16 kB of a workgroup', () => {
  const restore = grantOnly(backend, { maxStorageBuffersPerShaderStage: 8, maxComputeWorkgroupStorageSize: 16384 });
  const names = tf.getKernelsForBackend('webgpu').map(({ kernelName }) => kernelName);
  expect(names).toContain('CachedAttention');
  expect(names.filter((name) => !hasKernel(name))).toEqual([]);
  restore();
});

describe('the probe', () => {
  it('runs both variants, leaves the winner to the kernels and frees what it made', async () => {
    const before = backend.numDataIds();
    const chosen = await probeVariant(backend);
    expect(recorderOf(backend).variant).toBe(chosen);
    expect(chosen).toBe(chooseVariant(backend.device)); // barriers cost a software adapter more than the margin
    expect(backend.numDataIds()).toBe(before);
  });

  it.each([
    { factor: 0.9 / probeMargin, isOther: true },
    { factor: 1.1 / probeMargin, isOther: false },
  ])('with the other variant at $factor of the time, changes its mind: $isOther', async ({ factor, isOther }) => {
    forceVariant(backend, 'team');
    let now = 0;
    // A clock for the test: each time it is read, it advances by the duration that is given for the variant in use.
    const clock = () => (now += recorderOf(backend).variant === chooseVariant(backend.device) ? 100 : 100 * factor);
    const chosen = await probeVariant(backend, clock);
    expect(chosen !== chooseVariant(backend.device)).toBe(isOther);
  });
});
