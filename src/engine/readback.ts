// Numbers that outlive a replay. What a replayed run gives back lies where the next one will write: `copyOf` sets it
// aside, on the device. `readTogether` brings several tensors back by one read; asked for before a run's commands have
// left (Replays.together), the copy leaves with them and takes no submission of its own.
import * as tf from '@tensorflow/tfjs-core';
import { scalar } from './ops/constants.ts';
import type { CapturingBackend } from './webgpu/device/capturingBackend.ts';

/** The same numbers in a tensor of their own; the caller's. */
export function copyOf<T extends tf.Tensor>(tensor: T): T {
  const { copyOf: copy } = tf.backend() as Partial<CapturingBackend>;
  const copied = copy?.call(tf.backend() as CapturingBackend, tensor);
  return tf.keep((copied ?? tf.tidy(() => tf.add(tensor, scalar(0)))) as T);
}

/** The numbers of float32 tensors, one after another. Throws DeviceLostError when none come. */
export async function readTogether(tensors: readonly tf.Tensor[]): Promise<Float32Array> {
  const { readTogether: read } = tf.backend() as Partial<CapturingBackend>;
  const reading = read?.call(tf.backend() as CapturingBackend, tensors);
  if (reading) return reading;
  const parts = await Promise.all(tensors.map((tensor) => tensor.data<'float32'>()));
  const all = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
