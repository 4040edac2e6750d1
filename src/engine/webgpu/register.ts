// Registration of our kernels for the backend `webgpu`. Loaded with the backend itself, never on its own.
import * as tf from '@tensorflow/tfjs-core';
import { limitKernel } from '../ops/kernel.ts';
import { adamWKernels } from './adamW.ts';
import { attentionKernels } from './attention.ts';
import { fitsHead } from './attentionText.ts';
import { linearKernels } from './linear.ts';
import { modelKernels } from './model.ts';
import { rowKernels } from './rows.ts';
import { tokenKernels } from './tokens.ts';

/** Makes the fused kernels known to TensorFlow.js; a second call changes nothing. */
export function registerWebGpuKernels(): void {
  for (const kernel of webGpuKernels())
    if (!tf.getKernel(kernel.kernelName, kernel.backendName)) tf.registerKernel(kernel);
  limitKernel('CausalAttention', 'webgpu', ([q]) => fitsHead(q?.shape[3] ?? Infinity));
  limitKernel('CachedAttention', 'webgpu', ([q]) => fitsHead(q?.shape[3] ?? Infinity));
  limitKernel(
    'Linear',
    'webgpu',
    (operands) =>
      operands.every((x) => x.shape[1] !== 0 && isMultiple(x.shape[1])) && isMultiple(operands[1]?.shape[0]),
  );
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
    ...attentionKernels(),
    ...linearKernels(),
    ...adamWKernels(),
  ];
}

function isMultiple(size: number | undefined): boolean {
  return size !== undefined && size % 4 === 0;
}
