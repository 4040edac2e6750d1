// The files of a tiny Llama for tests. The model has grouped-query attention, an untied head, a byte-pair tokenizer,
// and other special tokens than our models. It can be made in any number type and with any number of shards.
import { Draws, streams } from '../../../base/random.ts';
import type { ModelShape } from '../../../config/sizes.ts';
import { parameterNames } from '../../../records/parameters.ts';
import type { NamedArray } from '../../../records/stored/checkpoint.ts';
import { bytePairTokenizer, vocabularyBounds } from '../../../text/bytePairs.ts';
import { heldFile, type GivenFile } from '../../givenFile.ts';

export type SampleType = 'F32' | 'F16' | 'BF16';

const texts = ['the cat sat on the mat and the hat', 'two and two are four', 'what is the sum of two and four?'];
const own = ['<s>', '</s>', '<|user|>', '<|assistant|>'];

/** A tokenizer.json with special tokens that differ from ours. */
export function sampleTokenizer(size = vocabularyBounds.min + 24): object {
  const json = bytePairTokenizer(texts, size) as {
    added_tokens: { id: number; content: string }[];
    model: { vocab: Record<string, number> };
  };
  const renamed = new Map(json.added_tokens.map(({ id, content }) => [content, own[id] ?? `<unused${id}>`]));
  const entries = Object.entries(json.model.vocab).map(([token, id]) => [renamed.get(token) ?? token, id] as const);
  return {
    ...json,
    added_tokens: json.added_tokens.map((token) => ({ ...token, content: renamed.get(token.content) })),
    model: { ...json.model, vocab: Object.fromEntries(entries) },
  };
}

export const sampleShape = (): ModelShape => ({
  vocabSize: vocabularyBounds.min + 24,
  hiddenSize: 16,
  intermediateSize: 24,
  numLayers: 2,
  numHeads: 4,
  numKvHeads: 2,
  headSize: 4,
  ropeTheta: 500_000,
  normEps: 1e-6,
  isTied: false,
  maxPositions: 64,
});

export const configFileOf = (shape: ModelShape) => ({
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  vocab_size: shape.vocabSize,
  hidden_size: shape.hiddenSize,
  intermediate_size: shape.intermediateSize,
  num_hidden_layers: shape.numLayers,
  num_attention_heads: shape.numHeads,
  num_key_value_heads: shape.numKvHeads,
  head_dim: shape.headSize,
  hidden_act: 'silu',
  rms_norm_eps: shape.normEps,
  rope_parameters: { rope_theta: shape.ropeTheta, rope_type: 'default' },
  max_position_embeddings: shape.maxPositions,
  tie_word_embeddings: shape.isTied,
  eos_token_id: 1,
});

/** Random weights. All weights are multiples of 1/8, which all number types represent exactly. */
export function sampleWeights(shape: ModelShape, seed = 7): NamedArray[] {
  const draws = new Draws(seed, streams.weights, 0);
  return parameterNames(shape).map(({ name, shape: dimensions }) => ({
    name,
    shape: dimensions,
    values: Float32Array.from(
      { length: dimensions.reduce((a, b) => a * b, 1) },
      () => Math.round(draws.normal() * 4) / 8,
    ),
  }));
}

/**
 * Weights with which the sample says about 200 tokens in each turn: parts of words, and sometimes a line break. The first
 * component of the hidden states is large and constant, so the head's weights for this component act as a bias.
 */
export function talkativeWeights(shape: ModelShape): NamedArray[] {
  const { model } = sampleTokenizer(shape.vocabSize) as { model: { vocab: Record<string, number> } };
  const biasOf = (token: string) =>
    /^Ġ?[a-z]{2,}$/.test(token) ? 0 : token === 'Ċ' ? -0.25 : token === '</s>' ? -1 : -4;
  const biases = new Map(Object.entries(model.vocab).map(([token, id]) => [id, biasOf(token)]));
  const constant: Readonly<Record<string, (row: number) => number>> = {
    'model.embed_tokens.weight': () => 16,
    'model.norm.weight': () => 1,
    'lm_head.weight': (row) => biases.get(row) ?? -4,
  };
  return sampleWeights(shape).map((array) => {
    const [rows = 1, columns = rows] = array.shape;
    const valueOf = constant[array.name];
    const values = array.values.map((value) =>
      /(o|down)_proj|lm_head/.test(array.name) ? (2 * value) / shape.hiddenSize : value,
    );
    if (valueOf)
      for (let row = 0; row < (array.shape.length > 1 ? rows : 1); row++) values[row * columns] = valueOf(row);
    return { ...array, values };
  });
}

/** The bits of a multiple of 1/8 in float16 or bfloat16. The result is exact for numbers below 16. */
function bitsOf(value: number, type: 'F16' | 'BF16'): number {
  const bits = new Uint32Array(Float32Array.of(value).buffer)[0] as number;
  if (type === 'BF16') return bits >>> 16;
  const [sign, exponent, fraction] = [bits >>> 31, (bits >>> 23) & 255, bits & 0x7fffff];
  return (sign << 15) | (exponent === 0 ? 0 : ((exponent - 112) << 10) | (fraction >>> 13));
}

/** A safetensors file of arrays in one number type. */
export function tensorFile(arrays: readonly NamedArray[], type: SampleType): Uint8Array {
  const width = type === 'F32' ? 4 : 2;
  let at = 0;
  const header = Object.fromEntries(
    arrays.map(({ name, shape, values }) => [
      name,
      { dtype: type, shape, data_offsets: [at, (at += values.length * width)] },
    ]),
  );
  const json = new TextEncoder().encode(JSON.stringify(header));
  const bytes = new Uint8Array(8 + json.length + at);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(json.length), true);
  bytes.set(json, 8);
  arrays
    .flatMap(({ values }) => [...values])
    .forEach((value, i) => {
      if (type === 'F32') view.setFloat32(8 + json.length + 4 * i, value, true);
      else view.setUint16(8 + json.length + 2 * i, bitsOf(value, type), true);
    });
  return bytes;
}

export const givenFile = heldFile;
export const jsonFile = (name: string, value: unknown) =>
  givenFile(name, new TextEncoder().encode(JSON.stringify(value)));

export const sampleTemplate =
  "{{ bos_token }}{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}";

export interface SampleWish {
  type?: SampleType;
  shards?: number;
  shape?: ModelShape;
  weights?: NamedArray[];
}

/** The files of the sample. The parameters are distributed over the shards in turn. */
export function sampleFiles({
  type = 'F32',
  shards = 1,
  shape = sampleShape(),
  weights,
}: SampleWish = {}): GivenFile[] {
  const arrays = weights ?? sampleWeights(shape);
  const nameOf = (n: number) =>
    shards === 1 ? 'model.safetensors' : `model-0000${n + 1}-of-0000${shards}.safetensors`;
  const placed = arrays.map(({ name }, i) => [name, nameOf(i % shards)]);
  return [
    jsonFile('config.json', configFileOf(shape)),
    jsonFile('tokenizer.json', sampleTokenizer(shape.vocabSize)),
    jsonFile('tokenizer_config.json', {
      bos_token: '<s>',
      eos_token: { content: '</s>' },
      chat_template: sampleTemplate,
    }),
    ...(shards > 1 ? [jsonFile('model.safetensors.index.json', { weight_map: Object.fromEntries(placed) })] : []),
    ...Array.from({ length: shards }, (_, n) =>
      givenFile(
        nameOf(n),
        tensorFile(
          arrays.filter((__, i) => i % shards === n),
          type,
        ),
      ),
    ),
  ];
}
