// The Llama decoder as pure functions over a parameter tree, with RMSNorm, RoPE (half-split), grouped heads, SwiGLU,
// and a tied or untied head. The computation is the same as in Hugging Face's LlamaForCausalLM. Related architectures
// are supported too; the shape states how they differ. Training (whole rows) and decoding (new positions with a cache)
// use the same block. Only their attention differs, so it is passed as a function. Projections that read the same input
// are computed as one packed product.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import { localAt, type LocalAttention, type ModelShape } from '../../config/sizes.ts';
import { causalAttention } from '../../engine/ops/attention/causalAttention.ts';
import { embed, picksRows } from '../../engine/ops/embed/embed.ts';
import { geGlu } from '../../engine/ops/geGlu/geGlu.ts';
import { addNorm, rmsNorm } from '../../engine/ops/norm/rmsNorm.ts';
import type { Rotation } from '../../engine/ops/attention/rope.ts';
import { swiGlu } from '../../engine/ops/swiGlu/swiGlu.ts';
import { withHeadFacts } from './headFacts.ts';
import { asInput, embedded, embeddingName, isPlain, project, weight, type WeightTree } from './parameters.ts';

/**
 * Computes the attention of one layer: the packed queries, keys and values [N, (H + 2·KV)·D] before RoPE → [N, H·D].
 */
export type Attend = (layer: number, qkv: tf.Tensor2D) => tf.Tensor2D;

interface Context {
  tree: WeightTree;
  shape: ModelShape;
  attend: Attend;
  /**
   * Selects the requested positions from a tensor [N, w]. For all other positions, the last layer computes only keys
   * and values.
   */
  narrow?: (x: tf.Tensor2D) => tf.Tensor2D;
}

/**
 * ids [N] int32 → the normalised final hidden states [N, C], or only those of the positions that `narrow` selects.
 * `addNorm` computes the residual stream: each block returns what it adds, and the sum is computed together with the
 * norm of the next block.
 */
export function hiddenStates(ids: tf.Tensor1D, { tree, shape, attend, narrow }: Context): tf.Tensor2D {
  const { numLayers, normEps: eps, outputNorms, gelu } = shape;
  const gain = (name: string) => weight<tf.Rank.R1>(tree, `${name}.weight`);
  // In some families, the outputs of attention and of the feed-forward layer are normalised before they are added.
  const asDelta = (output: tf.Tensor2D, name: string) => (outputNorms ? rmsNorm(output, gain(name), eps) : output);
  const activated = gelu ? geGlu : swiGlu;
  const projected = (normed: tf.Tensor2D, layer: number) => {
    const at = `model.layers.${layer}.self_attn`;
    return withHeadFacts(project(normed, tree, `${at}.qkv_proj.weight`), at, tree, shape);
  };
  const first = (of: tf.Tensor2D) => projected(rmsNorm(of, gain('model.layers.0.input_layernorm'), eps), 0);
  let x = lean(() => embedded(ids, tree, shape));
  // The input of the next layer: the hidden states after its norm and its first projection. After the last layer, only
  // the normalised states are returned.
  let next = lean(() =>
    isOncePerWord(ids, shape) && isPlain(tree, embeddingName)
      ? embed(ids, first(asInput(weight(tree, embeddingName), shape)))
      : first(x),
  );
  for (let layer = 0; layer < numLayers; layer++) {
    const at = `model.layers.${layer}`;
    const isLast = layer === numLayers - 1;
    const block = () => {
      const mixed = attend(layer, next);
      const stream = isLast && narrow ? narrow(x) : x; // `attend` answers for the same positions
      const attended = asDelta(project(mixed, tree, `${at}.self_attn.o_proj.weight`), `${at}.post_attention_layernorm`);
      const gained = gain(`${at}.${outputNorms ? 'pre_feedforward' : 'post_attention'}_layernorm`);
      const middle = addNorm({ x: stream, delta: attended, gain: gained, eps });
      const gated = activated(project(middle.normed, tree, `${at}.mlp.gate_up_proj.weight`));
      const delta = asDelta(project(gated, tree, `${at}.mlp.down_proj.weight`), `${at}.post_feedforward_layernorm`);
      const following = gain(isLast ? 'model.norm' : `model.layers.${layer + 1}.input_layernorm`);
      return addNorm({ x: middle.sum, delta, gain: following, eps, isLast });
    };
    const { sum, normed } = lean(block);
    const before = [x, next, ...(isLast ? [] : [normed])];
    x = sum;
    next = isLast ? normed : projected(normed, layer + 1);
    tf.dispose(before); // the tape holds what the backward pass needs
  }
  return next;
}

/** Runs `block` and returns its result. All other tensors are freed, except those that the backward pass needs. */
const lean = <T>(block: () => T): T => tf.tidy(block as () => tf.TensorContainer) as T;

/**
 * Whether the first projection is computed once for each entry of the vocabulary. Before the first attention, the
 * projection depends only on the token, so this saves time if there are more positions than entries in the vocabulary.
 */
const isOncePerWord = (ids: tf.Tensor1D, { vocabSize }: ModelShape) =>
  vocabSize < Math.min(ids.size, wholeVocabulary) && picksRows();
/** The largest vocabulary for which all entries are projected. */
const wholeVocabulary = 4096;

/** The matrix that maps hidden states to logits. */
export const headName = ({ isTied }: ModelShape): string => (isTied ? embeddingName : 'lm_head.weight');

/** Hidden states [N, C] → logits [N, V]. */
export function logits(hidden: tf.Tensor2D, tree: WeightTree, shape: ModelShape): tf.Tensor2D {
  return project(hidden, tree, headName(shape));
}

/** The rotary tables of a network. */
export interface Rotations extends Rotation {
  /** The tables of the layers with local attention; absent if there are no such layers. */
  local?: Rotation;
}

interface RowContext {
  tree: WeightTree;
  shape: ModelShape;
  rotation: Rotations;
  /** [B, T] 0 for each token that is hidden from all later tokens. Hidden tokens still count in the positions. */
  keyMask?: tf.Tensor2D;
  /** [M] int32: the requested positions, as numbers in [0, B·T); if absent, all positions are requested. */
  places?: tf.Tensor1D;
  /** The distinct prefixes of the rows; used only together with `places`. */
  shared?: SharedStates;
}

/** The inputs for rows whose equal prefixes are computed only once (beginnings.ts). */
export interface SharedStates {
  /** [U] int32: the last token of each distinct prefix. */
  ids: tf.Tensor1D;
  /** [U] int32 */
  places: tf.Tensor1D;
  /** [N] int32: for each position, the number of the prefix that ends there. */
  numbers: tf.Tensor1D;
  /** [M] int32: for each requested position, the number of the prefix that ends there. */
  asked: tf.Tensor1D;
}

/**
 * Final hidden states of whole rows under causal attention; if a row is padded, its padding must be at its end.
 * @returns [B·T, C], or [M, C] of the places
 */
export function rowHiddenStates(ids: tf.Tensor2D, context: RowContext): tf.Tensor2D {
  const { tree, shape, rotation, keyMask, places, shared } = context;
  if (rotation.cos.shape[1] !== ids.shape[1]) {
    throw new ShapeError(
      `rowHiddenStates: rotation must cover ${ids.shape[1]} positions, got ${rotation.cos.shape[1]}; build it for this row length.`,
    );
  }
  const attend = (layer: number, qkv: tf.Tensor2D) => rowAttention(layer, qkv, { shape, rotation, keyMask });
  if (!places) return hiddenStates(tf.reshape(ids, [-1]) as tf.Tensor1D, { tree, shape, attend });
  if (shared) return sharedHiddenStates({ ...shared, at: places }, { tree, shape, attend });
  const narrow = (x: tf.Tensor2D) => embed(places, x);
  const narrowed: Attend = (layer, qkv) =>
    layer === shape.numLayers - 1 ? narrow(attend(layer, qkv)) : attend(layer, qkv);
  return hiddenStates(tf.reshape(ids, [-1]) as tf.Tensor1D, { tree, shape, attend: narrowed, narrow });
}

/** The attention of a layer over whole rows: qkv [B·T, (H + 2·KV)·D] → [B·T, H·D]. */
export function rowAttention(
  layer: number,
  qkv: tf.Tensor2D,
  { shape, rotation, keyMask }: Pick<RowContext, 'shape' | 'rotation'> & { keyMask?: tf.Tensor2D | undefined },
): tf.Tensor2D {
  const { numHeads: heads, numKvHeads: keyHeads } = shape;
  const local = localAt(shape, layer);
  const { cos, sin } = rotationAt(rotation, local !== undefined);
  const window = windowWithin(local, cos.shape[1]);
  return causalAttention({ qkv, cos, sin, heads, keyHeads, keyMask, window });
}

/** The rotary tables of a layer. Throws ShapeError if the tables of layers with local attention are missing. */
export function rotationAt(rotation: Rotations, isLocal: boolean): Rotation {
  if (!isLocal) return rotation;
  if (rotation.local) return rotation.local;
  throw new ShapeError(
    'rotation: the tables of layers with local attention are missing; build the tables from the whole shape of the network.',
  );
}

/** The window of a layer with local attention; undefined if a text of this length is not longer than the window. */
export const windowWithin = (local: LocalAttention | undefined, length: number): number | undefined =>
  local && local.window < length ? local.window : undefined;

/**
 * The hidden states of the M requested positions. Matrix products are computed only once for each distinct prefix.
 * @param attend computes the attention of all N positions; in the last layer it may return only the requested positions
 * @param at [M] int32: the requested positions among those that `attend` returns in the last layer; absent: all of them
 */
export function sharedHiddenStates(
  { ids, places, numbers, asked, at }: SharedStates & { at?: tf.Tensor1D },
  { tree, shape, attend }: Pick<Context, 'tree' | 'shape' | 'attend'>,
): tf.Tensor2D {
  const ofBeginnings: Attend = (layer, qkv) => {
    const mixed = attend(layer, embed(numbers, qkv));
    if (layer < shape.numLayers - 1) return embed(places, mixed);
    return at ? embed(at, mixed) : mixed;
  };
  return hiddenStates(ids, { tree, shape, attend: ofBeginnings, narrow: (x) => embed(asked, x) });
}
