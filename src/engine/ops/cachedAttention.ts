// Attention of a few new positions over a cache of earlier keys and values and over themselves:
// the decoding step (and the prefill in chunks). Forward only.
import * as tf from '@tensorflow/tfjs-core';
import { expectHeads, stackHeads, unstackHeads } from './attentionHeads.ts';
import { causalBias, earlierKeys, hidden, scalar } from './constants.ts';
import { expectShape, hasKernel, runKernel } from './kernel.ts';

export interface CachedAttentionInputs {
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
}

/**
 * softmax(q·[pastK; k]ᵀ/√D + mask)·[pastV; v], causal within the new positions.
 * @returns [B, S, H, D]; not differentiable
 * @throws ShapeError when shapes do not fit.
 */
export function cachedAttention(inputs: CachedAttentionInputs): tf.Tensor4D {
  const { q, pastK, pastV, k, v, pastMask, selfMask } = inputs;
  expectHeads('cachedAttention', q, [k, v]);
  expectHeads('cachedAttention', q, [pastK, pastV]);
  expectShape('cachedAttention: k', k, [q.shape[0], q.shape[1], pastK.shape[2], q.shape[3]]);
  expectShape('cachedAttention: pastMask', pastMask, [q.shape[0], pastK.shape[1]]);
  expectShape('cachedAttention: selfMask', selfMask, [q.shape[0], q.shape[1]]);
  return hasKernel('CachedAttention', q)
    ? runKernel('CachedAttention', { q, pastK, pastV, k, v, pastMask, selfMask })
    : cachedAttentionComposed(inputs);
}

/** The same from stock ops: the reference of every kernel. */
export function cachedAttentionComposed(inputs: CachedAttentionInputs): tf.Tensor4D {
  return tf.tidy(() => {
    const { q, pastK, pastV, k, v, pastMask, selfMask } = inputs;
    const [batch, steps, heads, size] = q.shape;
    const keyHeads = k.shape[2];
    const length = pastK.shape[1] + steps;
    const qs = tf.mul(stackHeads(q, keyHeads), scalar(1 / Math.sqrt(size))); // [B·KV, G·S, D]
    const ks = stackHeads(tf.concat([pastK, k], 1), keyHeads); // [B·KV, P + S, D]
    const vs = stackHeads(tf.concat([pastV, v], 1), keyHeads);
    const scores = tf.reshape(tf.matMul(qs, ks, false, true), [batch, heads, steps, length]);
    const shares = tf.softmax(tf.add(scores, scoreBias(pastMask, selfMask)));
    return unstackHeads(tf.matMul(tf.reshape(shares, [batch * keyHeads, -1, length]), vs), q.shape);
  });
}

/** [B, 1, S, P + S]: hidden cache entries, then the causal triangle with hidden new positions below the diagonal. */
function scoreBias(pastMask: tf.Tensor2D, selfMask: tf.Tensor2D): tf.Tensor4D {
  const [batch, past] = pastMask.shape;
  const steps = selfMask.shape[1];
  const hide = (mask: tf.Tensor2D) => tf.mul(tf.sub(scalar(1), mask), scalar(hidden));
  const pastBias = tf.tile(tf.reshape(hide(pastMask), [batch, 1, 1, past]), [1, 1, steps, 1]);
  const perKey = tf.mul(tf.reshape(hide(selfMask), [batch, 1, 1, steps]), earlierKeys(steps));
  return tf.concat([pastBias, tf.add(perKey, causalBias(steps))], 3) as tf.Tensor4D;
}
