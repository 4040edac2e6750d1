// The amount of memory that is available for computing.
import * as tf from '@tensorflow/tfjs-core';
import { sizeClass, type Heap } from './simd/heap.ts';

const gibibyte = 2 ** 30;

/**
 * Bytes that all tensors of the current backend may occupy together. The kernels of the CPU have a memory of fixed
 * size. A device and plain JavaScript do not report their memory, so a usual size is assumed.
 */
export function memoryBytes(): number {
  return fixedMemoryBytes() ?? usualMemoryBytes();
}

/**
 * Bytes that are enough for all but large models. A run that fits into them uses no more, even if more memory is
 * available.
 */
export function usualMemoryBytes(): number {
  return tf.getBackend() === 'webgpu' ? 2 * gibibyte : gibibyte;
}

/** Bytes that a tensor of this size occupies on the current backend. */
export function blockBytes(bytes: number): number {
  return fixedMemoryBytes() === null ? bytes : sizeClass(bytes);
}

/** The size of the current backend's memory in bytes if this size is fixed, otherwise null. */
export function fixedMemoryBytes(): number | null {
  const { heap } = tf.backend() as { heap?: Heap };
  return heap ? heap.end - heap.start : null;
}

/** Bytes that the current backend can bind at once; Infinity if it does not bind buffers. */
export function mostBindingBytes(): number {
  const { device } = tf.backend() as { device?: GPUDevice };
  return device ? Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize) : Infinity;
}
