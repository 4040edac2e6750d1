// Constants that exist as long as their backend. `tf.mul(x, 0.5)` uploads a scalar in every call, but a tensor that is
// kept is uploaded only once. Each backend has its own table, so the constants of a backend that is removed (after its
// device was lost) are removed with it.
import * as tf from '@tensorflow/tfjs-core';

const tables = new WeakMap<object, Map<string, tf.Tensor>>();

/**
 * The kept tensor of this name on the current backend. The tensor is created on first use and must never be disposed.
 */
export function keptConstant<T extends tf.Tensor>(name: string, make: () => T): T {
  const backend = tf.backend();
  let table = tables.get(backend);
  if (table === undefined) tables.set(backend, (table = new Map<string, tf.Tensor>()));
  let constant = table.get(name);
  if (constant === undefined || constant.isDisposed) table.set(name, (constant = tf.keep(tf.tidy(make))));
  return constant as T;
}

/**
 * A constant for a step that may be recorded. On WebGPU it is kept, because a step that uploads data cannot be
 * recorded. On other backends it is created in each call, and the surrounding tf.tidy frees it.
 */
export function recordedConstant<T extends tf.Tensor>(name: string, make: () => T): T {
  return tf.getBackend() === 'webgpu' ? keptConstant(name, make) : make();
}

/** A kept float32 scalar. */
export function scalar(value: number): tf.Scalar {
  return keptConstant(`scalar ${String(value)}`, () => tf.scalar(value));
}

/**
 * The number that is added to a score in order to hide a key. The number is finite, because WGSL does not guarantee
 * Infinity.
 */
export const hidden = -1e9;

/** [length, length]: 1 if a key comes before its query, else 0. */
export function earlierKeys(length: number): tf.Tensor2D {
  return keptConstant(`earlier ${String(length)}`, () => triangle(length, (query, key) => (key < query ? 1 : 0)));
}

/**
 * [length, length]: 0 if a key is at or before its query, and less than `window` positions before it; otherwise −1e9.
 */
export function causalBias(length: number, window = Infinity): tf.Tensor2D {
  return keptConstant(`causal ${String(length)} ${String(window)}`, () =>
    triangle(length, (query, key) => (key <= query && query - key < window ? 0 : hidden)),
  );
}

/** [size]: 0, 1, 2, … as int32. */
export function countUp(size: number): tf.Tensor1D {
  return keptConstant(`count ${String(size)}`, () => tf.range(0, size, 1, 'int32'));
}

function triangle(length: number, entry: (query: number, key: number) => number): tf.Tensor2D {
  const values = new Float32Array(length * length);
  for (let i = 0; i < values.length; i++) values[i] = entry(Math.floor(i / length), i % length);
  return tf.tensor2d(values, [length, length]);
}
