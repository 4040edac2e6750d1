// Causal self-attention over whole rows with grouped heads and rotary positions (Vaswani et al. 2017; Ainslie et al.
// 2023; Su et al. 2021), computed from the packed result of one projection. 1e9 is subtracted from the scores of hidden
// keys. This number is finite, because WGSL does not guarantee Infinity. A position always sees itself, so every
// position sees at least one key.
import * as tf from '@tensorflow/tfjs-core';
import { packHeads, splitHeads, stackHeads, unstackHeads, type PackedHeads } from './heads.ts';
import { causalBias, earlierKeys, hidden, scalar } from '../constants.ts';
import { expectShape, hasKernel, runKernel, runKernels, withGradient } from '../kernel.ts';
import { expectRotation, rotate, type Rotation } from './rope.ts';

tf.registerGradient({
  kernelName: 'CausalAttention',
  inputsToSave: ['qkv', 'cos', 'sin', 'keyMask'],
  outputsToSave: [true, true, true],
  gradFunc: (dys, saved, attrs) => {
    const [qkv, cos, sin, keyMask, y, ...kept] = saved as [tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor, tf.Tensor];
    const dy = (Array.isArray(dys) ? dys[0] : dys) as tf.Tensor;
    const own = Object.fromEntries((kept as tf.Tensor[]).map((tensor, i) => [`kept${String(i)}`, tensor]));
    return { qkv: () => runKernel('CausalAttentionGrad', { qkv, cos, sin, keyMask, y, ...own, dy }, attrs) };
  },
});

export interface AttentionInputs extends Rotation {
  /** [B·T, (H + 2·KV)·D]: queries, keys and values of every position side by side, not yet rotated */
  qkv: tf.Tensor2D;
  /** H */
  heads: number;
  /** KV, divides H */
  keyHeads: number;
  /** [B, T] float32: 1 = visible, 0 = hidden from every other position; if absent, all positions are visible */
  keyMask?: tf.Tensor2D | undefined;
  /** The number of newest positions that each position sees, including itself; if absent, it sees all earlier ones. */
  window?: number | undefined;
}

/** The attributes of the kernel; `window` is 0 if there is none. */
export interface CausalAttrs {
  heads: number;
  keyHeads: number;
  batch: number;
  isMasked: boolean;
  window: number;
}

/**
 * softmax(rotated q · rotated kᵀ/√D + mask)·v, where each position sees itself and the visible positions before it that
 * are within the window.
 * @returns [B·T, H·D]; differentiable in qkv
 * @throws ShapeError if shapes do not fit together
 */
export function causalAttention(inputs: AttentionInputs): tf.Tensor2D {
  const { qkv, cos, sin, heads, keyHeads, keyMask, window = 0 } = inputs;
  const { batch, length, size } = sizesOf(inputs);
  expectRotation('causalAttention', inputs, batch, size);
  if (keyMask) expectShape('causalAttention: keyMask', keyMask, [batch, length]);
  const attrs: CausalAttrs = { heads, keyHeads, batch, isMasked: keyMask !== undefined, window };
  if (!hasKernel('CausalAttention', qkv, cos)) return causalAttentionComposed(inputs);
  // A registered gradient saves every named input, so a missing mask must be replaced by another tensor, and a flag
  // states whether there is a mask.
  const named = { qkv, cos, sin, keyMask: keyMask ?? scalar(1) };
  const outputs = runKernels('CausalAttention', named, attrs) as tf.Tensor2D[] | tf.Tensor2D;
  return Array.isArray(outputs) ? (outputs[0] as tf.Tensor2D) : outputs;
}

/**
 * The composed form of the same attention, which consists of TensorFlow.js operations. It is the reference for every
 * kernel.
 */
export function causalAttentionComposed(inputs: AttentionInputs): tf.Tensor2D {
  const { qkv, cos, sin, keyMask, keyHeads, window } = inputs;
  const sizes = sizesOf(inputs);
  const { batch, length, heads, size } = sizes;
  const scale = 1 / Math.sqrt(size);
  const queryShape: [number, number, number, number] = [batch, length, heads, size];
  const keyShape: [number, number, number, number] = [batch, length, keyHeads, size];
  return withGradient<tf.Tensor2D>([qkv], ([packed], save) => {
    const { q, k, v } = splitHeads(packed as tf.Tensor2D, sizes);
    const qs = tf.mul(stackHeads(rotate(q, { cos, sin }), keyHeads), scalar(scale)); // [B·KV, G·T, D]
    const ks = stackHeads(rotate(k, { cos, sin }), keyHeads); // [B·KV, T, D]
    const vs = stackHeads(v, keyHeads);
    const scores = tf.reshape(tf.matMul(qs, ks, false, true), [batch, heads, length, length]);
    const p = tf.reshape(tf.softmax(tf.add(scores, scoreBias(length, keyMask, window))), [
      batch * keyHeads,
      -1,
      length,
    ]);
    save([qs, ks, vs, p, cos, sin]);
    return {
      value: tf.reshape(unstackHeads(tf.matMul(p, vs), queryShape), [batch * length, -1]) as tf.Tensor2D,
      gradients: (dy, saved) => {
        const [qSaved, kSaved, vSaved, shares] = saved as [tf.Tensor3D, tf.Tensor3D, tf.Tensor3D, tf.Tensor3D];
        const tables = { cos: saved[4] as tf.Tensor3D, sin: saved[5] as tf.Tensor3D };
        const dOut = stackHeads(tf.reshape(dy, queryShape), keyHeads);
        const dShares = tf.mul(shares, tf.matMul(dOut, vSaved, false, true)); // [B·KV, G·T, T]
        const dScores = tf.sub(dShares, tf.mul(shares, tf.sum(dShares, 2, true)));
        const dq = unstackHeads(tf.mul(tf.matMul(dScores, kSaved), scalar(scale)), queryShape);
        const dk = unstackHeads(tf.matMul(dScores, qSaved, true, false), keyShape);
        const dv = unstackHeads(tf.matMul(shares, dOut, true, false), keyShape);
        return [packHeads({ q: rotate(dq, tables, true), k: rotate(dk, tables, true), v: dv })];
      },
    };
  });
}

function sizesOf({ qkv, cos, heads, keyHeads }: AttentionInputs): PackedHeads {
  const [, length, size] = cos.shape;
  expectShape('causalAttention: qkv', qkv, [qkv.shape[0] - (qkv.shape[0] % length), (heads + 2 * keyHeads) * size]);
  return { batch: qkv.shape[0] / length, length, heads, keyHeads, size };
}

/**
 * Numbers that are added to the scores, [B, H, T, T]. They hide all later keys, those of the earlier keys that are
 * masked, and those before the window.
 */
function scoreBias(length: number, keyMask: tf.Tensor2D | undefined, window: number | undefined): tf.Tensor {
  const causal = causalBias(length, window); // [T, T]
  if (!keyMask) return causal;
  const isHidden = tf.mul(tf.sub(scalar(1), keyMask), scalar(hidden));
  const perKey = tf.mul(tf.reshape(isHidden, [keyMask.shape[0], 1, 1, length]), earlierKeys(length));
  return tf.add(perKey, causal); // [B, 1, T, T]
}
