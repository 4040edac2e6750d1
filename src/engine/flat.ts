// Variables that are stored one after another in one buffer, if the backend supports this (WebGPU). They can then be
// uploaded together, and the optimiser can bind them together.
import * as tf from '@tensorflow/tfjs-core';
import { mostBindingBytes } from './memory.ts';
import type { CapturingBackend } from './webgpu/device/capturingBackend.ts';

/**
 * Makes one float32 variable for each array, in order; the caller disposes them. They have separate buffers if the
 * backend cannot share a buffer, or if the device does not allow a buffer of this size.
 * @param arrays the values, which are copied
 */
export function flatVariables(arrays: readonly { shape: readonly number[]; values: Float32Array }[]): tf.Variable[] {
  const backend = tf.backend() as Partial<CapturingBackend>;
  const bytes = arrays.reduce((sum, { values }) => sum + values.byteLength + 256, 0);
  const isFlat = backend.flat && backend.device && bytes <= mostBindingBytes();
  return tf.tidy(() => {
    const tensors =
      isFlat && backend.flat
        ? backend.flat.call(
            backend as CapturingBackend,
            arrays.map(({ shape, values }) => ({ shape, values, dtype: 'float32' })),
          )
        : arrays.map(({ shape, values }) => tf.tensor(values.slice(), [...shape], 'float32'));
    const variables = tensors.map((tensor) => tf.variable(tensor));
    tf.dispose(tensors);
    return variables;
  });
}
