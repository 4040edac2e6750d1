// Functions that the GPU tests of the kernels share: they start the backend with the project's own kernels, fill
// buffers with NaN, and make random tensors.
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { normals } from '../ops/testing/numbers.ts';
import { registerWebGpuKernels } from '../webgpuKernels.ts';

/**
 * Makes `webgpu` the current backend, on a device that can bind as many buffers as the adapter allows, with the
 * project's own kernels.
 */
export async function gpuBackend(): Promise<WebGPUBackend> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error('these tests need a WebGPU adapter');
  const { maxStorageBuffersPerShaderStage } = adapter.limits;
  const device = await adapter.requestDevice({ requiredLimits: { maxStorageBuffersPerShaderStage } });
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  tf.removeBackend('webgpu');
  tf.registerBackend('webgpu', () => new WebGPUBackend(device, adapter.info));
  registerWebGpuKernels();
  if (!(await tf.setBackend('webgpu'))) throw new Error('the backend webgpu does not start');
  return tf.backend() as WebGPUBackend;
}

/** Fills every new buffer with NaN, so that the test fails if a kernel does not write all elements of its output. */
export function poisonBuffers({ bufferManager, queue }: WebGPUBackend): () => void {
  const acquire = bufferManager.acquireBuffer.bind(bufferManager);
  bufferManager.acquireBuffer = (size, usage, ...rest) => {
    const buffer = acquire(size, usage, ...rest);
    const isWritable = (usage & GPUBufferUsage.STORAGE) !== 0 && buffer.mapState === 'unmapped';
    if (isWritable && size > 0) queue.writeBuffer(buffer, 0, new Float32Array(size / 4).fill(NaN));
    return buffer;
  };
  return () => {
    bufferManager.acquireBuffer = acquire;
  };
}

/** Standard normal numbers. */
export function random(shape: number[], seed: number): tf.Tensor {
  return tf.tensor(Float32Array.from(normals(tf.util.sizeFromShape(shape), seed)), shape);
}

/** The number of dispatches that `run` issues. */
export function dispatchesOf(run: () => void): number {
  const begin = GPUComputePassEncoder.prototype.dispatchWorkgroups;
  let count = 0;
  GPUComputePassEncoder.prototype.dispatchWorkgroups = function (...counts) {
    count++;
    begin.apply(this, counts);
  };
  try {
    run();
  } finally {
    GPUComputePassEncoder.prototype.dispatchWorkgroups = begin;
  }
  return count;
}

/** cos and sin of random angles, [tables, length, size] each; both halves of the last axis are equal. */
export function randomRotation(shape: [number, number, number]): { cos: tf.Tensor3D; sin: tf.Tensor3D } {
  const [tables, length, size] = shape;
  const angles = normals((tables * length * size) / 2, 91);
  const table = (f: (x: number) => number) =>
    tf.tensor3d(
      Float32Array.from({ length: 2 * angles.length }, (_, at) =>
        f(angles[(Math.floor(at / size) * size) / 2 + (at % (size / 2))] as number),
      ),
      shape,
    );
  return { cos: table(Math.cos), sin: table(Math.sin) };
}

/** Makes the device report lower limits than it really has. Returns a function that undoes this. */
export function grantOnly(
  { device }: WebGPUBackend,
  limits: Partial<Record<keyof GPUSupportedLimits, number>>,
): () => void {
  const own = Object.getOwnPropertyDescriptor(device, 'limits');
  const granted = device.limits;
  const least = (name: keyof GPUSupportedLimits) => Math.min(limits[name] ?? Infinity, Number(granted[name]));
  const value = new Proxy(granted, { get: (_, name) => least(name as keyof GPUSupportedLimits) });
  Object.defineProperty(device, 'limits', { configurable: true, value });
  return () => {
    if (own) Object.defineProperty(device, 'limits', own);
    else delete (device as { limits?: unknown }).limits;
  };
}
