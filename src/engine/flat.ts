// Variables that are stored next to each other in one buffer, if the backend supports it (WebGPU). They are then
// uploaded together, and the optimiser binds them together.
import * as tf from '@tensorflow/tfjs-core';
import { mostBindingBytes } from './memory.ts';
import type { CapturingBackend } from './webgpu/device/capturingBackend.ts';

/**
 * One float32 variable for each array, in order; the caller disposes them. They are ordinary variables on backends
 * without shared buffers, and if the device allows no buffer of this size.
 * @param arrays values are copied
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
