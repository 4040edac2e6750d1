// Registration of our kernels for the backend `webgpu`. Loaded with the backend itself, never on its own.
import * as tf from '@tensorflow/tfjs-core';
import { adamWKernels } from './ops/adamW/webgpu.ts';
import { attentionKernels } from './ops/attention/causalWebgpu.ts';
import { cachedAttentionKernels } from './ops/attention/cachedWebgpu.ts';
import { inPlaceKernels } from './ops/inPlace/webgpu.ts';
import { limitWebGpuKernels } from './webgpuLimits.ts';
import { linearKernels } from './ops/linear/webgpu.ts';
import { lossKernels } from './ops/loss/webgpu.ts';
import { modelKernels } from './ops/swiGlu/webgpu.ts';
import { rowKernels } from './ops/norm/webgpu.ts';
import { samplingKernels } from './ops/tokens/samplingWebgpu.ts';
import { tokenKernels } from './ops/tokens/webgpu.ts';

/** Makes the fused kernels known to TensorFlow.js; a second call changes nothing. */
export function registerWebGpuKernels(): void {
  for (const kernel of webGpuKernels())
    if (!tf.getKernel(kernel.kernelName, kernel.backendName)) tf.registerKernel(kernel);
  limitWebGpuKernels();
}

/** The opposite: the ops run composed again. */
export function forgetWebGpuKernels(): void {
  for (const { kernelName, backendName } of webGpuKernels())
    if (tf.getKernel(kernelName, backendName)) tf.unregisterKernel(kernelName, backendName);
}

function webGpuKernels(): tf.KernelConfig[] {
  return [
    ...rowKernels(),
    ...modelKernels(),
    ...tokenKernels(),
    ...lossKernels(),
    ...samplingKernels(),
    ...attentionKernels(),
    ...cachedAttentionKernels(),
    ...inPlaceKernels(),
    ...linearKernels(),
    ...adamWKernels(),
  ];
}
