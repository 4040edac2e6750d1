// The amount of memory that is available for computing.
import * as tf from '@tensorflow/tfjs-core';
import { sizeClass, type Heap } from './simd/heap.ts';

const gibibyte = 2 ** 30;

/**
 * Bytes that all tensors of the current backend together may occupy. The CPU's kernels have a memory of fixed size. A
 * GPU and plain JavaScript do not report the size of their memory, so a typical size is assumed.
 */
export function memoryBytes(): number {
  return fixedMemoryBytes() ?? usualMemoryBytes();
}

/**
 * The assumed size of the memory in bytes, which is large enough except for large models. If a run fits into this size,
 * it does not use more memory, even if more is available.
 */
export function usualMemoryBytes(): number {
  return tf.getBackend() === 'webgpu' ? 2 * gibibyte : gibibyte;
}

/** Bytes that the current backend allocates for a tensor of this size. */
export function blockBytes(bytes: number): number {
  return fixedMemoryBytes() === null ? bytes : sizeClass(bytes);
}

/** The size of the current backend's memory in bytes if it is fixed, otherwise null. */
export function fixedMemoryBytes(): number | null {
  const { heap } = tf.backend() as { heap?: Heap };
  return heap ? heap.end - heap.start : null;
}

/** The largest number of bytes of a buffer that the current backend can bind; Infinity if it does not bind buffers. */
export function mostBindingBytes(): number {
  const { device } = tf.backend() as { device?: GPUDevice };
  return device ? Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize) : Infinity;
}
