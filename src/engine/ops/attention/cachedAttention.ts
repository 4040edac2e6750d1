// Attention of a few new positions to a cache of earlier keys and values and to the new positions themselves, for the
// decoding step (and the prefill in chunks). This operation has only a forward pass, in two versions. `cachedAttention`
// writes to a cache of fixed capacity; it is used if the backend has the kernel. `cachedAttentionComposed` consists of
// TensorFlow.js operations and reads a cache that the caller extends.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { expectHeads, stackHeads, unstackHeads } from './heads.ts';
import { causalBias, earlierKeys, hidden, scalar } from '../constants.ts';
import { expectShape, runKernel } from '../kernel.ts';

/** The numbers of query heads and key heads of a layer; the second divides the first. */
export interface HeadCounts {
  heads: number;
  keyHeads: number;
  /**
   * If true, all new positions are written to the cache, but attention is computed only for the last position of each
   * row.
   */
  isNewest?: boolean;
  /** The number of newest positions that each position sees, including itself; if absent, it sees all earlier ones. */
  window?: number;
}

/** The attributes of the kernel; `window` is 0 if there is none. */
export interface CachedAttrs {
  heads: number;
  keyHeads: number;
  isNewest: boolean;
  window: number;
}

export interface CachedAttentionInputs {
  /** [B, cap, KV·D] rotated keys; the keys of the new positions are written to it */
  keys: tf.Tensor3D;
  /** [B, cap, KV·D] values; the values of the new positions are written to it */
  values: tf.Tensor3D;
  /** [B·S, (H + 2·KV)·D] queries, keys and values of the new positions, before rotation */
  qkv: tf.Tensor2D;
  /** [P, D] whole rotary table */
  cos: tf.Tensor2D;
  /** [P, D] */
  sin: tf.Tensor2D;
  /** [B·S] int32, each in [0, P) */
  positions: tf.Tensor1D;
  /** [B, cap] float32: 1 = visible to later positions, 0 = hidden; a position always sees itself */
  mask: tf.Tensor2D;
  /** [B, cap] float32: the position of each slot, including the new ones; needed only with a window */
  places?: tf.Tensor2D | undefined;
  /**
   * int32 [2], whose first number is the number of slots in use; the caller must ensure that this number plus S is at
   * most cap
   */
  state: tf.Tensor1D;
}

/**
 * Rotates the new queries and keys, writes keys and values to the slots from state[0] on, and computes the attention of
 * each new position to itself and the visible slots before it that are within the window. Needs the backend's kernel `CachedAttention`.
 * @returns [B·S, H·D], or [B, H·D] if `isNewest`; a new tensor, not differentiable
 * @throws ShapeError if shapes do not fit together
 */
export function cachedAttention(
  inputs: CachedAttentionInputs,
  { heads, keyHeads, isNewest = false, window = 0 }: HeadCounts,
): tf.Tensor2D {
  const { keys, values, qkv, cos, sin, positions, mask, places, state } = inputs;
  const [rows, capacity, width] = keys.shape;
  const size = cos.shape[1];
  if (width !== keyHeads * size || heads % keyHeads !== 0 || qkv.shape[0] % rows !== 0)
    throw new ShapeError(
      `cachedAttention: keys must be [B, cap, ${String(keyHeads * size)}] where B divides the ${String(qkv.shape[0])} rows of qkv, got [${keys.shape.join(', ')}]; was the cache made for another model or batch?`,
    );
  expectShape('cachedAttention: values', values, keys.shape);
  expectShape('cachedAttention: qkv', qkv, [qkv.shape[0], (heads + 2 * keyHeads) * size]);
  expectShape('cachedAttention: sin', sin, cos.shape);
  expectShape('cachedAttention: positions', positions, [qkv.shape[0]], 'int32');
  expectShape('cachedAttention: mask', mask, [rows, capacity]);
  expectShape('cachedAttention: state', state, [2], 'int32');
  if (window > 0 && !places)
    throw new ShapeError(
      'cachedAttention: a window needs the position of each slot, got none; pass them as `places`, or leave out the window.',
    );
  if (places) expectShape('cachedAttention: places', places, [rows, capacity]);
  const attrs: CachedAttrs = { heads, keyHeads, isNewest, window };
  return runKernel(
    'CachedAttention',
    { keys, values, qkv, cos, sin, positions, mask, state, ...(places && { places }) },
    attrs,
  );
}

export interface GrownCacheInputs {
  /** [B, S, H, D] */
  q: tf.Tensor4D;
  /** [B, P, KV, D] */
  pastK: tf.Tensor4D;
  /** [B, P, KV, D] */
  pastV: tf.Tensor4D;
  /** [B, S, KV, D] */
  k: tf.Tensor4D;
  /** [B, S, KV, D] */
  v: tf.Tensor4D;
  /** [B, P] float32: 1 = visible, 0 = hidden */
  pastMask: tf.Tensor2D;
  /** [B, S] float32: 1 = visible to later positions, 0 = hidden; a position always sees itself */
  selfMask: tf.Tensor2D;
  /** If present, a position sees only the positions of a window. */
  near?: PlacedWindow | undefined;
}

export interface PlacedWindow {
  /** The number of newest positions that each position sees, including itself. */
  window: number;
  /** [B, P + S] float32: the position of each entry of the cache and of each new position */
  places: tf.Tensor2D;
}

/**
 * softmax(q·[pastK; k]ᵀ/√D + mask)·[pastV; v], causal within the new positions; queries and keys are already rotated.
 * @returns [B, S, H, D]; not differentiable
 * @throws ShapeError if shapes do not fit together
 */
export function cachedAttentionComposed(inputs: GrownCacheInputs): tf.Tensor4D {
  const { q, pastK, pastV, k, v, pastMask, selfMask, near } = inputs;
  expectHeads('cachedAttentionComposed', q, [k, v]);
  expectHeads('cachedAttentionComposed', q, [pastK, pastV]);
  expectShape('cachedAttentionComposed: k', k, [q.shape[0], q.shape[1], pastK.shape[2], q.shape[3]]);
  expectShape('cachedAttentionComposed: pastMask', pastMask, [q.shape[0], pastK.shape[1]]);
  expectShape('cachedAttentionComposed: selfMask', selfMask, [q.shape[0], q.shape[1]]);
  return tf.tidy(() => {
    const [batch, steps, heads, size] = q.shape;
    const keyHeads = k.shape[2];
    const length = pastK.shape[1] + steps;
    const qs = tf.mul(stackHeads(q, keyHeads), scalar(1 / Math.sqrt(size))); // [B·KV, G·S, D]
    const ks = stackHeads(tf.concat([pastK, k], 1), keyHeads); // [B·KV, P + S, D]
    const vs = stackHeads(tf.concat([pastV, v], 1), keyHeads);
    const scores = tf.reshape(tf.matMul(qs, ks, false, true), [batch, heads, steps, length]);
    const bias = scoreBias(pastMask, selfMask);
    const shares = tf.softmax(tf.add(scores, near ? tf.add(bias, farBias(near, steps)) : bias));
    return unstackHeads(tf.matMul(tf.reshape(shares, [batch * keyHeads, -1, length]), vs), q.shape);
  });
}

/**
 * Numbers that are added to the scores, [B, 1, S, P + S]. They hide the masked entries of the cache, the masked earlier
 * ones of the new positions, and all later positions.
 */
function scoreBias(pastMask: tf.Tensor2D, selfMask: tf.Tensor2D): tf.Tensor4D {
  const [batch, past] = pastMask.shape;
  const steps = selfMask.shape[1];
  const hide = (mask: tf.Tensor2D) => tf.mul(tf.sub(scalar(1), mask), scalar(hidden));
  const pastBias = tf.tile(tf.reshape(hide(pastMask), [batch, 1, 1, past]), [1, 1, steps, 1]);
  const perKey = tf.mul(tf.reshape(hide(selfMask), [batch, 1, 1, steps]), earlierKeys(steps));
  return tf.concat([pastBias, tf.add(perKey, causalBias(steps))], 3) as tf.Tensor4D;
}

/** Numbers that are added to the scores, [B, 1, S, P + S]. They hide the positions before the window of each query. */
function farBias({ window, places }: PlacedWindow, steps: number): tf.Tensor {
  const [batch, length] = places.shape;
  const first = tf.sub(tf.slice(places, [0, length - steps], [batch, steps]), scalar(window - 1)); // [B, S]
  const isFar = tf.less(tf.reshape(places, [batch, 1, 1, length]), tf.reshape(first, [batch, 1, steps, 1]));
  return tf.mul(tf.cast(isFar, 'float32'), scalar(hidden));
}
