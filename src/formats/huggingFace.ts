// Writes the files that Hugging Face's transformers reads in addition to the weights: config.json,
// generation_config.json and tokenizer_config.json of a LlamaForCausalLM. The ids of special tokens are read from the
// tokenizer.json, so the ids are the same in all files.
import * as v from 'valibot';
import { FormatError } from '../base/errors.ts';
import { spoken } from '../base/spoken.ts';
import { familyOf } from '../config/families/registry.ts';
import { localAt, type ModelShape } from '../config/sizes.ts';
import type { OwnNames } from '../records/stored/foreignModel.ts';
import { endOfTurn, finish } from '../text/chatTemplate.ts';
import { tokenizerConfig as common } from '../text/tokenizer.ts';

const tokenizerFile = v.object({
  added_tokens: v.optional(v.array(v.looseObject({ id: v.number(), content: v.string() })), []),
  model: v.object({
    vocab: v.union([v.record(v.string(), v.number()), v.array(v.tuple([v.string(), v.number()]))]),
  }),
});

/** The facts about a tokenizer that the exports need. */
export interface TokenizerNotes {
  pad: number;
  /** Null if the tokenizer has no begin token. */
  bos: number | null;
  /** Tokens that end a turn: the end-of-turn token and the finish token. */
  eos: number[];
  added: { id: number; content: string }[];
  /** The texts of the three special tokens that transformers needs. */
  special: { bos_token?: string; eos_token: string; pad_token: string };
}

const { bos_token: bosToken, eos_token: eosToken, pad_token: padToken } = common;

/**
 * Finds the special tokens in the text of a tokenizer.json: either our own special tokens, or those of an imported
 * model, whose end token is then also used for padding. Throws FormatError if one is missing.
 */
export function readTokenizerNotes(tokenizerJson: string, names?: OwnNames): TokenizerNotes {
  let json: unknown;
  try {
    json = JSON.parse(tokenizerJson);
  } catch (cause) {
    throw new FormatError(spoken`tokenizer.json: expected JSON, got something else (${(cause as Error).message}).`);
  }
  const parsed = v.safeParse(tokenizerFile, json);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new FormatError(spoken`tokenizer.json: ${v.getDotPath(issue) ?? spoken`the whole`}: ${issue.message}.`);
  }
  const { added_tokens: added, model } = parsed.output;
  const { vocab } = model;
  const own = Array.isArray(vocab) ? vocab.map(([token], id) => [token, id] as const) : Object.entries(vocab);
  const ids = new Map([...own, ...added.map((token) => [token.content, token.id] as const)]);
  const idOf = (name: string) => {
    const id = ids.get(name);
    if (id === undefined) throw new FormatError(spoken`tokenizer.json: the token ${name} is missing.`);
    return id;
  };
  const opening = names ? names.bos : bosToken;
  const ends = names ? [names.endOfTurn, names.finish] : [endOfTurn, finish];
  const special = { eos_token: names?.endOfTurn ?? eosToken, pad_token: names?.endOfTurn ?? padToken };
  return {
    ...{ pad: idOf(special.pad_token), bos: opening === null ? null : idOf(opening), eos: ends.map(idOf), added },
    special: { ...(opening !== null && { bos_token: opening }), ...special },
  };
}

/** The RoPE scaling as transformers writes it in config.json; null if there is none. */
function ropeScalingOf({ ropeScaling: scaling }: ModelShape) {
  if (!scaling || scaling.kind === 'linear') return scaling ? { rope_type: 'linear', factor: scaling.factor } : null;
  return {
    rope_type: 'llama3',
    factor: scaling.factor,
    low_freq_factor: scaling.lowFrequencyFactor,
    high_freq_factor: scaling.highFrequencyFactor,
    original_max_position_embeddings: scaling.originalPositions,
  };
}

/** The keys of config.json for local attention and for the scale of scores, in families that have them. */
function localConfig(shape: ModelShape) {
  const { local, queryScalar, headSize, numLayers } = shape;
  const usual = familyOf(shape);
  return {
    ...(usual.queryScalar !== undefined && { query_pre_attn_scalar: queryScalar ?? headSize }),
    ...(usual.local && {
      sliding_window: local?.window ?? usual.local.window,
      rope_local_base_freq: local?.ropeTheta ?? usual.local.ropeTheta,
      layer_types: Array.from({ length: numLayers }, (_, layer) =>
        localAt(shape, layer) ? 'sliding_attention' : 'full_attention',
      ),
    }),
  };
}

/** The content of config.json for a model of this shape, with float32 weights. */
export function modelConfig(shape: ModelShape, tokens: TokenizerNotes) {
  const { className, name } = familyOf(shape);
  const { gelu } = shape;
  return {
    architectures: [className],
    model_type: name,
    vocab_size: shape.vocabSize,
    hidden_size: shape.hiddenSize,
    intermediate_size: shape.intermediateSize,
    num_hidden_layers: shape.numLayers,
    num_attention_heads: shape.numHeads,
    num_key_value_heads: shape.numKvHeads,
    head_dim: shape.headSize,
    ...(gelu ? { hidden_activation: 'gelu_pytorch_tanh' } : { hidden_act: 'silu' }),
    attention_bias: false,
    attention_dropout: 0,
    mlp_bias: false,
    rms_norm_eps: shape.normEps,
    rope_theta: shape.ropeTheta,
    rope_scaling: ropeScalingOf(shape),
    ...localConfig(shape),
    max_position_embeddings: shape.maxPositions,
    tie_word_embeddings: shape.isTied,
    torch_dtype: 'float32',
    use_cache: true,
    bos_token_id: tokens.bos,
    eos_token_id: tokens.eos,
    pad_token_id: tokens.pad,
  };
}

/**
 * The content of config.json for a verifier: a LlamaForTokenClassification with one label, whose logit shows how likely
 * it is that an answer is right.
 */
export function verifierConfig(shape: ModelShape, tokens: TokenizerNotes) {
  const labels = { num_labels: 1, id2label: { 0: 'right' }, label2id: { right: 0 }, classifier_dropout: 0 };
  return { ...modelConfig(shape, tokens), architectures: ['LlamaForTokenClassification'], ...labels };
}

/** The content of generation_config.json: sampling from the whole distribution without limits, as in training. */
export function generationConfig(temperature: number, tokens: TokenizerNotes) {
  return {
    do_sample: true,
    temperature,
    top_k: 0,
    top_p: 1,
    bos_token_id: tokens.bos,
    eos_token_id: tokens.eos,
    pad_token_id: tokens.pad,
  };
}

/**
 * The content of tokenizer_config.json: settings of the tokenizer and, if there is one, the chat template that was used
 * to build contexts.
 */
export function tokenizerConfig(shape: ModelShape, tokens: TokenizerNotes, chatTemplate?: string) {
  const { bos_token: _, eos_token: __, pad_token: ___, ...rest } = common;
  const named = new Set(Object.values(tokens.special));
  return {
    ...{ ...rest, ...tokens.special },
    additional_special_tokens: tokens.added.map((token) => token.content).filter((content) => !named.has(content)),
    model_max_length: shape.maxPositions,
    padding_side: 'left',
    ...(chatTemplate !== undefined && { chat_template: chatTemplate }),
  };
}
