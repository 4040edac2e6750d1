// Tests the choice of the engine with a real GPU device.
import { readFile } from 'node:fs/promises';
import * as tf from '@tensorflow/tfjs-core';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { DeviceLostError } from '../base/errors.ts';
import { inWords } from '../base/spoken.ts';
import { chooseEngine, replaceEngine, type EngineParts } from './choice.ts';

const parts = (more: Partial<EngineParts> = {}): EngineParts => ({
  loadKernels: async () => {
    const bytes = await readFile(new URL('./simd/kernels.wasm', import.meta.url));
    return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  },
  onFault: (error) => expect.unreachable(error.message),
  probe: () => expect.unreachable('nothing to compare'),
  recall: () => Promise.resolve(null),
  remember: () => Promise.resolve(),
  threads: 1, // on a busy machine helpers may come too late, which is then said
  ...more,
});

it('requested WebGPU is used, on a device with raised limits', async () => {
  const chosen = await chooseEngine('webgpu', parts());
  expect(chosen.backend).toBe('webgpu');
  expect(inWords(chosen.adapter)).not.toBe('');
  expect(tf.getBackend()).toBe('webgpu');
  const { device } = tf.backend() as unknown as { device: GPUDevice };
  const adapter = await navigator.gpu.requestAdapter();
  expect(device.limits.maxStorageBufferBindingSize).toBe(adapter?.limits.maxStorageBufferBindingSize);
  expect(device.limits.maxBufferSize).toBe(adapter?.limits.maxBufferSize);
});

it('a software adapter is not chosen by itself', async () => {
  const chosen = await chooseEngine('auto', parts());
  expect(chosen.backend).toBe('simd');
  expect(inWords(chosen.reason)).toContain('is emulated in software');
});

afterAll(async () => {
  // Restores a working device, because the next test files run in the same process.
  await chooseEngine('webgpu', parts());
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes this machine's adapter look like a hardware adapter, so that `auto` tries it. */
function asHardware() {
  const request = navigator.gpu.requestAdapter.bind(navigator.gpu);
  vi.spyOn(navigator.gpu, 'requestAdapter').mockImplementation(async () => {
    const adapter = (await request()) as GPUAdapter;
    const info = { vendor: 'acme', architecture: '', device: '', description: 'Acme 1', isFallbackAdapter: false };
    return Object.defineProperty(adapter, 'info', { value: info });
  });
}

const ownDevice = () => (tf.backend() as unknown as { device: GPUDevice }).device;

it('a program that the device refuses is a named fault, not silent zeros', async () => {
  const faults: Error[] = [];
  await chooseEngine('webgpu', parts({ onFault: (error) => faults.push(error) }));
  // Adds more inputs than a GPU program can bind. With some drivers, tf.addN then throws an exception; with others, it
  // returns zeros.
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

it('a lost device is a named fault with a remedy', async () => {
  const fault = new Promise<Error>((resolve) => {
    void chooseEngine('webgpu', parts({ onFault: resolve })).then(() => ownDevice().destroy());
  });
  const { name, message } = await fault;
  expect(name).toBe('DeviceLostError');
  expect(message).toMatch(/was lost: .*Resume from the last checkpoint, or/s);
});

it('a device that wins the probe is remembered and watched', async () => {
  asHardware();
  const [remembered, faults]: [string[], Error[]] = [[], []];
  const times = [1, 2];
  const chosen = await chooseEngine(
    'auto',
    parts({
      probe: () => Promise.resolve(times.shift() as number),
      remember: (adapter, winner) => (remembered.push(`${adapter} ${winner}`), Promise.reject(new Error('no store'))),
      onFault: (error) => faults.push(error),
    }),
  );
  expect([chosen.backend, inWords(chosen.reason)]).toEqual([
    'webgpu',
    'Acme 1 was faster than the CPU when both were tried.',
  ]);
  expect(remembered).toEqual(['Acme 1 webgpu']);
  ownDevice().destroy();
  await vi.waitUntil(() => faults.length > 0);
  expect(faults[0]?.message).toContain('was lost');
});

it('a device that is lost while its win is being stored is also a fault', async () => {
  asHardware();
  const [times, faults]: [number[], Error[]] = [[1, 2], []];
  await chooseEngine(
    'auto',
    parts({
      probe: () => Promise.resolve(times.shift() as number),
      remember: async () => {
        const { device } = tf.findBackend('webgpu') as unknown as { device: GPUDevice };
        device.destroy();
        await device.lost;
        await new Promise((resolve) => setTimeout(resolve, 20)); // heard by then
      },
      onFault: (error) => faults.push(error),
    }),
  );
  expect(faults.map(({ name, message }) => `${name}: ${message}`)).toEqual([
    expect.stringMatching(/^DeviceLostError: The graphics device was lost: /),
  ]);
});

const refusedWork = async () => {
  const buffer = ownDevice().createBuffer({ size: 16, usage: GPUBufferUsage.MAP_READ });
  const commands = ownDevice().createCommandEncoder();
  commands.copyBufferToBuffer(buffer, 0, buffer, 0, 16);
  ownDevice().queue.submit([commands.finish()]);
  await ownDevice().queue.onSubmittedWorkDone();
  expect(globalThis.refusals.splice(0).length).toBeGreaterThan(0);
  return 1;
};
const brokenProbe = () => Promise.reject(new Error('Out of memory.'));
const failures: [string, () => Promise<number>, RegExp][] = [
  [
    'refuses work',
    refusedWork,
    /^Acme 1 failed in a trial \(the graphics device refused work: .*\), so the CPU trains\.$/,
  ],
  ['cannot finish', brokenProbe, /^Acme 1 failed in a trial \(Out of memory\), so the CPU trains\.$/],
];

it('a device that is slower than the CPU is released with all its memory', async () => {
  asHardware();
  const times = [2, 1];
  let tried: GPUDevice | null = null;
  const chosen = await chooseEngine(
    'auto',
    parts({
      probe: () => {
        if (tf.getBackend() === 'webgpu') tried = ownDevice();
        return Promise.resolve(times.shift() as number);
      },
    }),
  );
  expect([chosen.backend, inWords(chosen.reason)]).toEqual([
    'simd',
    'The CPU was faster than Acme 1 when both were tried.',
  ]);
  expect(await (tried as GPUDevice | null)?.lost).toMatchObject({ reason: 'destroyed' });
  expect(tf.findBackend('webgpu')).toBeNull();
});

it.each(failures)('a device that %s during the probe is not remembered, and the CPU is used', async (_, probe, why) => {
  asHardware();
  const remember = () => expect.unreachable('a probe that failed has no winner');
  const chosen = await chooseEngine('auto', parts({ probe, remember }));
  expect(chosen.backend).toBe('simd');
  expect(inWords(chosen.reason)).toMatch(why);
  expect(tf.getBackend()).toBe('simd');
});

it('a device is replaced by another one, also by one that would not be chosen first', async () => {
  await chooseEngine('webgpu', parts({ onFault: () => undefined }));
  const before = ownDevice();
  before.destroy();
  const chosen = await replaceEngine(parts());
  expect([chosen.backend, inWords(chosen.reason)]).toEqual(['webgpu', 'A new device took over.']);
  expect(ownDevice()).not.toBe(before);
  expect(await tf.add(tf.scalar(1), tf.scalar(2)).data()).toEqual(new Float32Array([3]));
});

it('if no device can replace a lost one, the CPU is used and says why', async () => {
  await chooseEngine('webgpu', parts({ onFault: () => undefined }));
  vi.spyOn(navigator.gpu, 'requestAdapter').mockResolvedValue(null);
  const chosen = await replaceEngine(parts());
  expect(chosen.backend).toBe('simd');
  expect(inWords(chosen.reason)).toBe(
    'WebGPU is available in this browser, but there is no graphics adapter, so the CPU took over.',
  );
  expect(tf.getBackend()).toBe('simd');
});
