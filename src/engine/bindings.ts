// How much memory a kernel may see as one piece.
import * as tf from '@tensorflow/tfjs-core';

/** Bytes that the current backend can bind at once; Infinity where nothing is bound. */
export function mostBindingBytes(): number {
  const { device } = tf.backend() as { device?: GPUDevice };
  return device ? Math.min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize) : Infinity;
}
