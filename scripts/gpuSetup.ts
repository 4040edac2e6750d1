// Installs WebGPU in Node: Dawn's globals and `navigator.gpu`. This happens before any test imports the TF.js backend,
// which looks for WebGPU only once. A device that rejects an operation gives zeros without an exception, so every
// rejection fails the test in which it happens.
import { afterAll, afterEach, expect } from 'vitest';
import { create, globals } from 'webgpu';

declare global {
  /** The operations that devices rejected in the current test; a test that provokes a rejection removes it. */
  var refusals: string[];
}
globalThis.refusals ??= [];

if (globalThis.navigator?.gpu === undefined) {
  Object.assign(globalThis, globals);
  // Node 20 has no `navigator` at all; newer versions have one without `gpu`.
  if (globalThis.navigator === undefined) Object.defineProperty(globalThis, 'navigator', { value: {} });
  const gpu = create([]);
  const request = gpu.requestAdapter.bind(gpu);
  gpu.requestAdapter = async (options) => {
    const adapter = await request(options);
    if (adapter) listenToDevices(adapter);
    return adapter;
  };
  Object.defineProperty(globalThis.navigator, 'gpu', { value: gpu });
}

function listenToDevices(adapter: GPUAdapter): void {
  const request = adapter.requestDevice.bind(adapter);
  adapter.requestDevice = async (descriptor) => {
    const device = await request(descriptor);
    device.addEventListener('uncapturederror', ({ error }) => globalThis.refusals.push(error.message));
    return device;
  };
}

afterEach(() => {
  expect(globalThis.refusals.splice(0), 'the device refused work').toEqual([]);
});

// All files share one process, and some expect the backend without the kernels of Cothink.
afterAll(async () => (await import('../src/engine/webgpuKernels.ts')).forgetWebGpuKernels());
