// The Llama decoder as pure functions over a parameter tree: RMSNorm, RoPE (half-split), grouped
// heads, SwiGLU, tied or untied head; exactly the architecture of Hugging Face's LlamaForCausalLM.
// One block serves training (whole rows) and decoding (new positions over a cache): only the
// attention differs, and is handed in.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../base/errors.ts';
import type { ModelShape } from '../config/sizes.ts';
import { causalAttention } from '../engine/ops/causalAttention.ts';
import { embed } from '../engine/ops/embed.ts';
import { linear } from '../engine/ops/linear.ts';
import { rmsNorm } from '../engine/ops/rmsNorm.ts';
import { rope } from '../engine/ops/rope.ts';
import { swiGlu } from '../engine/ops/swiGlu.ts';
import { weight, type ParameterTree } from './parameters.ts';

/** cos and sin of every position of a batch: [B or 1, T, headSize]. */
export interface Rotation {
  cos: tf.Tensor3D;
  sin: tf.Tensor3D;
}

/** Attention of one layer: rotated q [B,T,H,D], rotated k and v [B,T,KV,D] → [B,T,H,D]. */
export type Attend = (layer: number, q: tf.Tensor4D, k: tf.Tensor4D, v: tf.Tensor4D) => tf.Tensor4D;

interface Context {
  tree: ParameterTree;
  shape: ModelShape;
  rotation: Rotation;
  attend: Attend;
}

/** One decoder layer: x [N, C] → [N, C], N = B · T. */
function block(x: tf.Tensor2D, layer: number, { tree, shape, rotation, attend }: Context): tf.Tensor2D {
  const at = <R extends tf.Rank = tf.Rank.R2>(name: string) => weight<R>(tree, `model.layers.${layer}.${name}.weight`);
  const length = rotation.cos.shape[1];
  const batch = x.shape[0] / length;
  const heads = (y: tf.Tensor2D, count: number) => tf.reshape(y, [batch, length, count, shape.headSize]) as tf.Tensor4D;

  const normed = rmsNorm(x, at<tf.Rank.R1>('input_layernorm'), shape.normEps);
  const q = rope(heads(linear(normed, at('self_attn.q_proj')), shape.numHeads), rotation.cos, rotation.sin);
  const k = rope(heads(linear(normed, at('self_attn.k_proj')), shape.numKvHeads), rotation.cos, rotation.sin);
  const v = heads(linear(normed, at('self_attn.v_proj')), shape.numKvHeads);
  const mixed = tf.reshape(attend(layer, q, k, v), [x.shape[0], shape.numHeads * shape.headSize]) as tf.Tensor2D;
  const attended = tf.add(x, linear(mixed, at('self_attn.o_proj'))) as tf.Tensor2D;

  const inner = rmsNorm(attended, at<tf.Rank.R1>('post_attention_layernorm'), shape.normEps);
  const gated = swiGlu(linear(inner, at('mlp.gate_proj')), linear(inner, at('mlp.up_proj')));
  return tf.add(attended, linear(gated, at('mlp.down_proj'))) as tf.Tensor2D;
}

/** ids [N] int32 → final hidden states [N, C], normed. */
export function hiddenStates(ids: tf.Tensor1D, context: Context): tf.Tensor2D {
  let x = embed(ids, weight<tf.Rank.R2>(context.tree, 'model.embed_tokens.weight'));
  for (let layer = 0; layer < context.shape.numLayers; layer++) x = block(x, layer, context);
  return rmsNorm(x, weight<tf.Rank.R1>(context.tree, 'model.norm.weight'), context.shape.normEps);
}

/** Hidden states [N, C] → logits [N, V]. */
export function logits(hidden: tf.Tensor2D, tree: ParameterTree, shape: ModelShape): tf.Tensor2D {
  return linear(hidden, weight<tf.Rank.R2>(tree, shape.isTied ? 'model.embed_tokens.weight' : 'lm_head.weight'));
}

/**
 * Final hidden states of whole rows under causal attention; padding belongs at the end of a row.
 * `keyMask` [B,T] 0 hides a token from all later ones, positions kept.
 * @returns [B·T, C]
 */
export function rowHiddenStates(
  ids: tf.Tensor2D,
  {
    tree,
    shape,
    rotation,
    keyMask,
  }: { tree: ParameterTree; shape: ModelShape; rotation: Rotation; keyMask?: tf.Tensor2D },
): tf.Tensor2D {
  if (rotation.cos.shape[1] !== ids.shape[1]) {
    throw new ShapeError(
      `rowHiddenStates: rotation must cover ${ids.shape[1]} positions, got ${rotation.cos.shape[1]}; build it for this row length.`,
    );
  }
  const attend: Attend = (_, q, k, v) => causalAttention({ q, k, v, keyMask });
  return hiddenStates(tf.reshape(ids, [-1]) as tf.Tensor1D, { tree, shape, rotation, attend });
}
