// Which inputs and devices the kernels are written for; all others run the composed op, slower and as right.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { limitKernel } from './ops/kernel.ts';
import { fitsHead } from './ops/attention/headWgsl.ts';

/** What one dispatch takes of a device. */
interface Needs {
  /** Storage buffers bound at once. */
  buffers: number;
  /** Memory of a workgroup. */
  sharedBytes?: number;
}

/** True where a device grants what a dispatch needs. */
export function fitsDevice({ device }: Pick<WebGPUBackend, 'device'>, { buffers, sharedBytes = 0 }: Needs): boolean {
  const { maxStorageBuffersPerShaderStage, maxComputeWorkgroupStorageSize } = device.limits;
  return buffers <= maxStorageBuffersPerShaderStage && sharedBytes <= maxComputeWorkgroupStorageSize;
}

/** The hungriest dispatch of each kernel and of its gradient; AdamW shares its variables out by itself. */
const needs: Record<string, Needs> = {
  Linear: { buffers: 5, sharedBytes: 4096 },
  RmsNorm: { buffers: 6, sharedBytes: 1024 },
  AddNorm: { buffers: 7, sharedBytes: 1024 },
  SwiGlu: { buffers: 3 },
  CausalAttention: { buffers: 8, sharedBytes: 8704 },
  Embed: { buffers: 3, sharedBytes: 1024 },
  TokenLogprobs: { buffers: 5, sharedBytes: 512 },
  TokenLoss: { buffers: 8 },
  SampleTokens: { buffers: 4, sharedBytes: 768 },
  CachedAttention: { buffers: 8, sharedBytes: 8704 },
  TakeTokens: { buffers: 6, sharedBytes: 768 },
  WriteSlots: { buffers: 3 },
  AddInto: { buffers: 2 },
  CopyInto: { buffers: 2 },
  CopyRows: { buffers: 2 },
};

type Accepts = (operands: readonly tf.Tensor[]) => boolean;

/** Inputs as the op hands them to `hasKernel`; none: the question is of the device alone. */
const shapes: Record<string, Accepts> = {
  CausalAttention: ([, cos]) => !cos || fitsHead(cos.shape.at(-1) as number),
  CachedAttention: ([, cos]) => !cos || fitsHead(cos.shape.at(-1) as number),
  Linear: ([x, w]) => !x || !w || [x.shape[1], w.shape[0]].every((size) => size !== undefined && size % 4 === 0),
};

/** Tells the ops what the kernels of this backend cannot take. */
export function limitWebGpuKernels(): void {
  for (const [name, need] of Object.entries(needs))
    limitKernel(
      name,
      'webgpu',
      (operands) => fitsDevice(tf.backend() as WebGPUBackend, need) && (shapes[name]?.(operands) ?? true),
    );
}
