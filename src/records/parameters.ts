// The parameters of a Llama network under Hugging Face's names. The parameters are in the order of Hugging Face's state
// dict, except that the biases of a layer come together, after their matrices. Model, checkpoints and exports all use
// this list, so an index always refers to the same array.
import type { ModelShape } from '../config/sizes.ts';
import type { NamedArray } from './stored/checkpoint.ts';

export interface ParameterName {
  name: string;
  /** Matrices are [out, in], as Hugging Face stores them. */
  shape: number[];
}

/** The low-rank adapter of one projection, which acts as W + (α/r)·B·A. */
export interface ProjectionAdapter {
  /** The name of the projection: `model.layers.0.self_attn.q_proj`. */
  name: string;
  /** [r, in] */
  a: NamedArray;
  /** [out, r] */
  b: NamedArray;
}

/**
 * Names and shapes of all parameters, without the value head; `lm_head.weight` is included only if the head is untied.
 */
export function parameterNames(shape: ModelShape): ParameterName[] {
  const { hiddenSize, intermediateSize, vocabSize } = shape;
  const queries = shape.numHeads * shape.headSize;
  const keys = shape.numKvHeads * shape.headSize;
  const names: ParameterName[] = [{ name: 'model.embed_tokens.weight', shape: [vocabSize, hiddenSize] }];
  for (let layer = 0; layer < shape.numLayers; layer++) {
    const at = (rest: string, ...dimensions: number[]) =>
      names.push({ name: `model.layers.${layer}.${rest}.weight`, shape: dimensions });
    at('self_attn.q_proj', queries, hiddenSize);
    at('self_attn.k_proj', keys, hiddenSize);
    at('self_attn.v_proj', keys, hiddenSize);
    if (shape.attentionBias)
      for (const [part, size] of [
        ['q', queries],
        ['k', keys],
        ['v', keys],
      ] as const)
        names.push({ name: `model.layers.${layer}.self_attn.${part}_proj.bias`, shape: [size] });
    at('self_attn.o_proj', hiddenSize, queries);
    if (shape.qkNorm) for (const part of ['q', 'k']) at(`self_attn.${part}_norm`, shape.headSize);
    at('mlp.gate_proj', intermediateSize, hiddenSize);
    at('mlp.up_proj', intermediateSize, hiddenSize);
    at('mlp.down_proj', hiddenSize, intermediateSize);
    at('input_layernorm', hiddenSize);
    at('post_attention_layernorm', hiddenSize);
    if (shape.outputNorms) for (const part of ['pre', 'post']) at(`${part}_feedforward_layernorm`, hiddenSize);
  }
  names.push({ name: 'model.norm.weight', shape: [hiddenSize] });
  if (!shape.isTied) names.push({ name: 'lm_head.weight', shape: [vocabSize, hiddenSize] });
  return names;
}
