// Causal self-attention over whole rows with grouped heads (Vaswani et al. 2017; Ainslie et al. 2023).
// Scores of hidden keys get −1e9: finite, since WGSL promises no Infinity. A position always sees itself,
// so no row of the softmax is empty.
import * as tf from '@tensorflow/tfjs-core';
import { expectHeads, stackHeads, unstackHeads } from './attentionHeads.ts';
import { causalBias, earlierKeys, hidden, scalar } from './constants.ts';
import { expectShape, hasKernel, runKernel, runKernels, withGradient } from './kernel.ts';

tf.registerGradient({
  kernelName: 'CausalAttention',
  inputsToSave: ['q', 'k', 'v', 'keyMask'],
  gradFunc: (dy, saved, attrs) => {
    const [q, k, v, keyMask] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
    const inputs = { q, k, v, keyMask, dy: dy as tf.Tensor };
    const [dq, dk, dv] = runKernels('CausalAttentionGrad', inputs, attrs) as [tf.Tensor, tf.Tensor, tf.Tensor];
    return { q: () => dq, k: () => dk, v: () => dv };
  },
});

export interface AttentionInputs {
  /** [B, T, H, D] */
  q: tf.Tensor4D;
  /** [B, T, KV, D], KV divides H */
  k: tf.Tensor4D;
  /** [B, T, KV, D] */
  v: tf.Tensor4D;
  /** [B, T] float32: 1 = visible, 0 = hidden from every other position; all visible when absent */
  keyMask?: tf.Tensor2D | undefined;
}

/**
 * softmax(q·kᵀ/√D + mask)·v, each position seeing itself and the visible positions before it.
 * @returns [B, T, H, D]; differentiable in q, k and v
 * @throws ShapeError when shapes do not fit.
 */
export function causalAttention({ q, k, v, keyMask }: AttentionInputs): tf.Tensor4D {
  expectHeads('causalAttention', q, [k, v]);
  expectShape('causalAttention: k', k, [q.shape[0], q.shape[1], k.shape[2], q.shape[3]]);
  if (keyMask) expectShape('causalAttention: keyMask', keyMask, [q.shape[0], q.shape[1]]);
  if (!hasKernel('CausalAttention', q)) return causalAttentionComposed({ q, k, v, keyMask });
  // A registered gradient saves every named input, so an absent mask is a placeholder plus a flag.
  const inputs = { q, k, v, keyMask: keyMask ?? scalar(1) };
  return runKernel('CausalAttention', inputs, { isMasked: keyMask !== undefined });
}

/** The same from stock ops: the reference of every kernel. */
export function causalAttentionComposed({ q, k, v, keyMask }: AttentionInputs): tf.Tensor4D {
  const [batch, length, heads, size] = q.shape;
  const keyHeads = k.shape[2];
  const scale = 1 / Math.sqrt(size);
  return withGradient<tf.Tensor4D>([q, k, v], (inputs, save) => {
    const [queries, keys, values] = inputs as [tf.Tensor4D, tf.Tensor4D, tf.Tensor4D];
    const qs = tf.mul(stackHeads(queries, keyHeads), scalar(scale)); // [B·KV, G·T, D]
    const ks = stackHeads(keys, keyHeads); // [B·KV, T, D]
    const vs = stackHeads(values, keyHeads);
    const scores = tf.reshape(tf.matMul(qs, ks, false, true), [batch, heads, length, length]);
    const p = tf.reshape(tf.softmax(tf.add(scores, scoreBias(length, keyMask))), [batch * keyHeads, -1, length]);
    save([qs, ks, vs, p]);
    return {
      value: unstackHeads(tf.matMul(p, vs), q.shape),
      gradients: (dy, saved) => {
        const [qSaved, kSaved, vSaved, shares] = saved as [tf.Tensor3D, tf.Tensor3D, tf.Tensor3D, tf.Tensor3D];
        const dOut = stackHeads(dy, keyHeads);
        const dShares = tf.mul(shares, tf.matMul(dOut, vSaved, false, true)); // [B·KV, G·T, T]
        const dScores = tf.sub(dShares, tf.mul(shares, tf.sum(dShares, 2, true)));
        const dq = tf.mul(tf.matMul(dScores, kSaved), scalar(scale));
        return [
          unstackHeads(dq, q.shape),
          unstackHeads(tf.matMul(dScores, qSaved, true, false), k.shape),
          unstackHeads(tf.matMul(shares, dOut, true, false), v.shape),
        ];
      },
    };
  });
}

/** What is added to the scores [B, H, T, T]: the causal triangle and, below the diagonal, the hidden keys. */
function scoreBias(length: number, keyMask: tf.Tensor2D | undefined): tf.Tensor {
  const causal = causalBias(length); // [T, T]
  if (!keyMask) return causal;
  const isHidden = tf.mul(tf.sub(scalar(1), keyMask), scalar(hidden));
  const perKey = tf.mul(tf.reshape(isHidden, [keyMask.shape[0], 1, 1, length]), earlierKeys(length));
  return tf.add(perKey, causal); // [B, 1, T, T]
}
