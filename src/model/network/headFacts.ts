// Some families of models change queries, keys and values before RoPE is applied. Qwen 2 adds a bias. Qwen 3 and Gemma 3
// normalise each head of queries and keys, with one gain for all query heads and one for all key heads. If Gemma 3
// scales the scores of attention by another number than the head size, the gain of the query heads contains the ratio.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { scalar } from '../../engine/ops/constants.ts';
import { rmsNorm } from '../../engine/ops/norm/rmsNorm.ts';
import { weight, type WeightTree } from './parameters.ts';

/**
 * @param qkv [N, (H + 2·KV)·D], the packed product of queries, keys and values; it is returned unchanged if the family
 * does not change it
 * @param at `model.layers.0.self_attn`
 * @returns [N, (H + 2·KV)·D]
 */
export function withHeadFacts(qkv: tf.Tensor2D, at: string, tree: WeightTree, shape: ModelShape): tf.Tensor2D {
  const { attentionBias, qkNorm, queryScalar, numHeads, numKvHeads, headSize, normEps } = shape;
  const biased = attentionBias ? tf.add<tf.Tensor2D>(qkv, weight(tree, `${at}.qkv_proj.bias`)) : qkv;
  if (!qkNorm) return biased;
  const rows = qkv.shape[0];
  const part = (from: number, heads: number) => tf.slice(biased, [0, from * headSize], [rows, heads * headSize]);
  const gains = (name: string): tf.Tensor1D => {
    const gain = weight<tf.Rank.R1>(tree, `${at}.${name}.weight`);
    if (name !== 'q_norm' || queryScalar === undefined) return gain;
    return tf.mul(gain, scalar(Math.sqrt(headSize / queryScalar)));
  };
  const normed = (from: number, heads: number, name: string) => {
    const each = tf.reshape(part(from, heads), [rows * heads, headSize]) as tf.Tensor2D;
    return tf.reshape(rmsNorm(each, gains(name), normEps), [rows, heads * headSize]);
  };
  const [queries, keys] = [normed(0, numHeads, 'q_norm'), normed(numHeads, numKvHeads, 'k_norm')];
  return tf.concat([queries, keys, part(numHeads + numKvHeads, numKvHeads)], 1) as tf.Tensor2D;
}
