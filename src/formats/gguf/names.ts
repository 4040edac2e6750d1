// Converts names of parameters between llama.cpp and Hugging Face.
import type { ModelShape } from '../../config/sizes.ts';

const layerNames: Readonly<Record<string, string>> = {
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
  input_layernorm: 'attn_norm',
  post_attention_layernorm: 'ffn_norm',
};
/** The names of the norms in families whose layers also normalise their outputs. */
const outputNormNames: Readonly<Record<string, string>> = {
  ...layerNames,
  post_attention_layernorm: 'post_attention_norm',
  pre_feedforward_layernorm: 'ffn_norm',
  post_feedforward_layernorm: 'post_ffw_norm',
};

const otherNames: Readonly<Record<string, string>> = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
};

const turned = (names: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(Object.entries(names).map(([theirs, own]) => [own, theirs]));
const [layerNamesBack, otherNamesBack] = [turned(layerNames), turned(otherNames)];
const outputNormNamesBack = turned(outputNormNames);

/** The facts about a family that determine its names. */
type Facts = Pick<ModelShape, 'outputNorms'>;

/** `model.layers.0.self_attn.q_proj.weight` → `blk.0.attn_q.weight` */
export function ggufName(name: string, { outputNorms }: Facts = {}): string {
  const [, plain = name, kind = 'weight'] = /^(.+)\.(weight|bias)$/.exec(name) ?? [];
  const [, layer, part = ''] = /^model\.layers\.(\d+)\.(.+)$/.exec(plain) ?? [];
  return layer === undefined
    ? `${otherNames[plain]}.${kind}`
    : `blk.${layer}.${(outputNorms ? outputNormNames : layerNames)[part]}.${kind}`;
}

/** The reverse conversion. A name that is not a parameter of our networks is returned unchanged. */
export function huggingFaceName(name: string, { outputNorms }: Facts = {}): string {
  const [, plain = name, kind = 'weight'] = /^(.+)\.(weight|bias)$/.exec(name) ?? [];
  const [, layer, part = ''] = /^blk\.(\d+)\.(.+)$/.exec(plain) ?? [];
  const found =
    layer === undefined ? otherNamesBack.get(plain) : (outputNorms ? outputNormNamesBack : layerNamesBack).get(part);
  if (found === undefined) return name;
  return layer === undefined ? `${found}.${kind}` : `model.layers.${layer}.${found}.${kind}`;
}
