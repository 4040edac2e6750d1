// Registers the project's own kernels for the backend `webgpu`. This file is loaded together with the backend, never
// separately.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { adamWKernels } from './ops/adamW/webgpu.ts';
import { cachedAttentionKernels } from './ops/attention/cachedWebgpu.ts';
import { causalAttentionKernels } from './ops/attention/causalWebgpu.ts';
import { embedKernels } from './ops/embed/webgpu.ts';
import { frozenKernels } from './ops/frozen/webgpu.ts';
import { inPlaceKernels } from './ops/inPlace/webgpu.ts';
import { limitKernel } from './ops/kernel.ts';
import { adaptedKernels } from './ops/linear/adaptedWebgpu.ts';
import { linearKernels } from './ops/linear/webgpu.ts';
import { lossKernels } from './ops/loss/webgpu.ts';
import { normKernels } from './ops/norm/webgpu.ts';
import { geGluKernels } from './ops/geGlu/webgpu.ts';
import { swiGluKernels } from './ops/swiGlu/webgpu.ts';
import { samplingKernels } from './ops/tokens/samplingWebgpu.ts';
import { tokenKernels } from './ops/tokens/webgpu.ts';
import { fitsDevice } from './webgpu/program/kernel.ts';

const kernels = [
  ...adamWKernels,
  ...adaptedKernels,
  ...cachedAttentionKernels,
  ...causalAttentionKernels,
  ...embedKernels,
  ...frozenKernels,
  ...inPlaceKernels,
  ...linearKernels,
  ...lossKernels,
  ...normKernels,
  ...samplingKernels,
  ...swiGluKernels,
  ...geGluKernels,
  ...tokenKernels,
];

/**
 * Registers the fused kernels with TensorFlow.js, together with their requirements for devices and inputs. A second
 * call changes nothing.
 */
export function registerWebGpuKernels(): void {
  for (const { needs, ...kernel } of kernels) {
    if (!tf.getKernel(kernel.kernelName, kernel.backendName)) tf.registerKernel(kernel);
    if (needs)
      limitKernel(
        kernel.kernelName,
        kernel.backendName,
        (operands) => fitsDevice(tf.backend() as WebGPUBackend, needs) && (needs.accepts?.(operands) ?? true),
      );
  }
}

/** Reverses `registerWebGpuKernels`, so that operations use their composed forms again. */
export function forgetWebGpuKernels(): void {
  for (const { kernelName, backendName } of kernels)
    if (tf.getKernel(kernelName, backendName)) tf.unregisterKernel(kernelName, backendName);
}
