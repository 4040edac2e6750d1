// The choice of engine with a real device behind it.
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, expect, it } from 'vitest';
import { DeviceLostError } from '../base/errors.ts';
import { chooseEngine, type EngineParts } from './choice.ts';

const parts = (more: Partial<EngineParts> = {}): EngineParts => ({
  loadKernels: async () => {
    const bytes = await readFile(new URL('./simd/kernels.wasm', import.meta.url));
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  },
  onFault: (error) => expect.unreachable(error.message),
  probe: () => expect.unreachable('nothing to compare'),
  recall: () => Promise.resolve(null),
  remember: () => Promise.resolve(),
  ...more,
});

it('WebGPU asked for is WebGPU, on a device with raised limits', async () => {
  const chosen = await chooseEngine('webgpu', parts());
  expect(chosen.backend).toBe('webgpu');
  expect(chosen.adapter).not.toBe('');
  expect(tf.getBackend()).toBe('webgpu');
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const adapter = await navigator.gpu.requestAdapter();
  expect(device.limits.maxStorageBufferBindingSize).toBe(adapter?.limits.maxStorageBufferBindingSize);
  expect(device.limits.maxBufferSize).toBe(adapter?.limits.maxBufferSize);
});

it('a software adapter is not chosen by itself', async () => {
  const chosen = await chooseEngine('auto', parts());
  expect(chosen.backend).toBe('simd');
  expect(chosen.reason).toContain('is software');
});

afterAll(async () => {
  // The files that follow share this process: leave them a sound device.
  await chooseEngine('webgpu', parts());
});

const ownDevice = () => (tf.backend() as unknown as { device: GPUDevice }).device;

it('a program that the device refuses is a named fault, not silent zeros', async () => {
  const faults: Error[] = [];
  await chooseEngine('webgpu', parts({ onFault: (error) => faults.push(error) }));
  // More inputs than a program may bind: tf.addN gives zeros, and an exception on some drivers only.
  const many = Array.from({ length: 60 }, () => tf.ones([2000]));
  await tf
    .addN(many)
    .data()
    .catch(() => undefined);
  await ownDevice().queue.onSubmittedWorkDone();
  expect(globalThis.refusals.splice(0).length).toBeGreaterThan(0);
  expect(faults[0]).toBeInstanceOf(DeviceLostError);
  expect(faults[0]?.message).toMatch(/refused work: .*run\.backend = cpu/s);
});

it('a lost device is a named fault that tells the way on', async () => {
  const fault = new Promise<Error>((resolve) => {
    void chooseEngine('webgpu', parts({ onFault: resolve })).then(() => ownDevice().destroy());
  });
  const { name, message } = await fault;
  expect(name).toBe('DeviceLostError');
  expect(message).toMatch(/was lost: .*Reload to resume from the last checkpoint/s);
});
