// Starts a separate device and backend for tests, in the same way as the app does.
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { startWebGpu } from '../webgpu.ts';
import type { CapturingBackend } from '../webgpu/device/capturingBackend.ts';

/**
 * Makes `webgpu` the current backend on a new device.
 * @param limits the limits to request instead of the best ones that the adapter offers
 */
export async function startOwnDevice(limits: Record<string, number> = {}): Promise<CapturingBackend> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error('these tests need a WebGPU adapter');
  const request = adapter.requestDevice.bind(adapter);
  adapter.requestDevice = (descriptor) =>
    request({ ...descriptor, requiredLimits: { ...descriptor?.requiredLimits, ...limits } });
  await startWebGpu(adapter, { onLost: () => undefined, onRefusal: () => undefined });
  return tf.backend() as CapturingBackend;
}
