// Operations that change a tensor in place, so that the tensor keeps its buffer and a recorded step can be replayed.
// They have only a forward pass, and need a kernel of the backend, because operations of TensorFlow.js never write into
// a tensor. The engine of TensorFlow.js counts the tensor that a kernel returns as another reference to the buffer, so
// this reference is released immediately.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { expectShape, runKernel } from '../kernel.ts';

/** Runs a kernel that writes into its first input, and releases the tensor that it returns. */
export function runInPlace(name: string, inputs: tf.NamedTensorMap, attrs: object = {}): void {
  runKernel(name, inputs, attrs).dispose();
}

/**
 * sum += x.
 * @param sum float32, any shape; changed
 * @param x of the same shape
 * @throws ShapeError if the shapes differ
 */
export function addInto(sum: tf.Tensor, x: tf.Tensor): void {
  expectShape('addInto: x', x, sum.shape);
  runInPlace('AddInto', { sum, x });
}

/**
 * to ← from, element by element in memory order.
 * @param to float32 or int32; changed
 * @param from of the same size and type, any shape
 * @throws ShapeError if sizes or types differ
 */
export function copyInto(to: tf.Tensor, from: tf.Tensor): void {
  if (to.size !== from.size || to.dtype !== from.dtype)
    throw new ShapeError(
      `copyInto: from must contain ${String(to.size)} numbers of ${to.dtype}, got ${String(from.size)} of ${from.dtype}; were the two tensors made for different batches?`,
    );
  runInPlace('CopyInto', { to, from });
}

/**
 * to[b] ← to[from[b]], row by row, so that some rows continue as copies of others.
 * @param to float32 [B, …]; changed
 * @param from int32 [B]; a row that is copied must not change itself (from[from[b]] = from[b]), because rows are
 * written in no particular order
 * @throws ShapeError if `from` does not contain one number for each row
 */
export function copyRows(to: tf.Tensor, from: tf.Tensor1D): void {
  expectShape('copyRows: from', from, [to.shape[0] ?? 0], 'int32');
  runInPlace('CopyRows', { to, from });
}

/**
 * state[0] += slots, state[1] += steps.
 * @param state int32 [2]: the number of slots of the cache in use, and the step of the turn; changed
 */
export function advance(state: tf.Tensor1D, by: { slots: number; steps: number }): void {
  expectShape('advance: state', state, [2], 'int32');
  runInPlace('Advance', { state }, by);
}

/**
 * Writes the newest slots of a cache's mask, which states whether later positions can attend to them: mask[b, state[0]
 * + s] ← fresh[b, s].
 * @param mask [B, cap] float32; changed
 * @param fresh [B, S] float32: 1 = visible, 0 = hidden
 * @param state int32 [2]: the number of slots in use, and the step of the turn; the caller must ensure that state[0] +
 * S ≤ cap
 * @throws ShapeError if shapes do not fit together
 */
export function writeSlots(mask: tf.Tensor2D, fresh: tf.Tensor2D, state: tf.Tensor1D): void {
  const [rows, capacity] = mask.shape;
  expectShape('writeSlots: fresh', fresh, [rows, Math.min(fresh.shape[1], capacity)]);
  expectShape('writeSlots: state', state, [2], 'int32');
  runInPlace('WriteSlots', { mask, fresh, state });
}

/**
 * Generates the random numbers of a turn on the device: uniforms[t, b] ← `uniformAt(addresses[b], t)` of
 * base/random.ts, with identical bits.
 * @param uniforms float32 [W, B]; changed
 * @param addresses int32 [B], the 32 bits of each address
 * @throws ShapeError if the number of addresses is not the number of rows
 */
export function drawUniforms(uniforms: tf.Tensor2D, addresses: tf.Tensor1D): void {
  expectShape('drawUniforms: addresses', addresses, [uniforms.shape[1]], 'int32');
  runInPlace('DrawUniforms', { uniforms, addresses });
}

/**
 * The memory with the values of a tensor, not a copy, if the backend computes synchronously in main memory; null if the
 * values are on a device. The caller may only read the values, and only before the next operation, which may change or
 * free them.
 */
export function peek(tensor: tf.Tensor): tf.TypedArray | null {
  const { data } = tf.backend() as { data?: { get: (id: tf.DataId) => { values?: tf.TypedArray } | undefined } };
  return data?.get(tensor.dataId)?.values ?? null;
}
