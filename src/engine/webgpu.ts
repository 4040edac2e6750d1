// Starts the WebGPU backend on its own device, with the highest limits that the adapter allows, and reports if the
// device is lost. This file and its backend are loaded only if WebGPU is requested.
import * as tf from '@tensorflow/tfjs-core';
import { CapturingBackend } from './webgpu/device/capturingBackend.ts';
import { chooseVariant } from './webgpu/program/kernel.ts';
import { probeVariant } from './webgpu/program/probe.ts';
import { registerWebGpuKernels } from './webgpuKernels.ts';

const raisedLimits = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupSizeY',
  'maxComputeWorkgroupsPerDimension',
  'maxStorageBuffersPerShaderStage',
] as const;
const wantedFeatures = ['shader-f16', 'subgroups', 'timestamp-query'] as const;

export interface DeviceNews {
  /** Called with the reason if the device is lost. */
  onLost: (reason: string) => void;
  /**
   * Called with the reason if the device refuses a program. Such a program throws no error, but its results are zeros.
   */
  onRefusal: (reason: string) => void;
}

/**
 * Creates a device on the adapter, and makes it the backend of TensorFlow.js. Returns a function that removes the
 * backend and destroys the device.
 */
export async function startWebGpu(adapter: GPUAdapter, { onLost, onRefusal }: DeviceNews): Promise<() => void> {
  const requiredLimits: Record<string, number> = {};
  for (const name of raisedLimits) if (adapter.limits[name]) requiredLimits[name] = adapter.limits[name];
  const requiredFeatures = wantedFeatures.filter((name) => adapter.features.has(name)) as GPUFeatureName[];
  const device = await adapter.requestDevice({ requiredLimits, requiredFeatures });
  void device.lost.then(({ message }) => onLost(message || 'the browser gave no reason'));
  device.addEventListener('uncapturederror', ({ error }) => onRefusal(error.message));
  // Disposed buffers can be used again only after commands are submitted. With fewer submissions, a step therefore uses
  // more memory, but it takes half the time.
  tf.env().set('WEBGPU_DEFERRED_SUBMIT_BATCH_SIZE', 1000);
  if (tf.findBackendFactory('webgpu')) tf.removeBackend('webgpu');
  registerWebGpuKernels();
  tf.registerBackend('webgpu', () => new CapturingBackend(device, adapter.info));
  await tf.setBackend('webgpu');
  await tf.ready();
  // On a software adapter, the variants are not compared: compiling their programs would take seconds, and for this
  // kind of adapter the faster variant is known.
  if (chooseVariant(device) === 'team') await probeVariant(tf.backend() as CapturingBackend);
  return () => {
    tf.removeBackend('webgpu');
    device.destroy();
  };
}
