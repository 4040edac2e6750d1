// Tests of models of the family Gemma 3 as they are published: their configuration, their gains, their tokens, their
// chats and their merged files.
import { unzipSync } from 'fflate';
import { beforeAll, describe, expect, it } from 'vitest';
import { joinedBytes } from '../../base/joined.ts';
import { FormatError } from '../../base/errors.ts';
import { parameterCount, type ModelShape } from '../../config/sizes.ts';
import { parameterNames } from '../../records/parameters.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { dequantised } from '../../records/stored/storedMatrix.ts';
import { chatText, readyTemplates } from '../../text/chat.ts';
import { ownNames } from '../../text/foreignVocabulary.ts';
import { heldFile } from '../givenFile.ts';
import { ggufName, huggingFaceName } from '../gguf/names.ts';
import { GgufNotes } from '../gguf/notes.ts';
import { ggufShape } from '../gguf/shape.ts';
import { ggufShapeOf, sampleMetadata } from '../gguf/testing/sampleGguf.ts';
import { mergedArray } from '../merged/merge.ts';
import { takenModel } from '../merged/takenModel.ts';
import { readLlamaConfig } from './llamaConfig.ts';
import { givenOf } from './llamaModel.ts';
import { readLlama } from './readLlama.ts';
import { jsonFile, sampleFiles, sampleShape, sampleTokenizer, sampleWeights } from './testing/sample.ts';

beforeAll(readyTemplates);

/** The sizes of google/gemma-3-270m-it. */
const published = {
  architectures: ['Gemma3ForCausalLM'],
  model_type: 'gemma3_text',
  ...{ vocab_size: 262_144, hidden_size: 640, intermediate_size: 2048, num_hidden_layers: 18 },
  ...{ num_attention_heads: 4, num_key_value_heads: 1, head_dim: 256, max_position_embeddings: 32_768 },
  ...{ attn_logit_softcapping: null, final_logit_softcapping: null, query_pre_attn_scalar: 256 },
  ...{ hidden_activation: 'gelu_pytorch_tanh', rms_norm_eps: 1e-6, sliding_window: 512 },
  ...{ use_bidirectional_attention: false, attention_bias: false, eos_token_id: [1, 106] },
};
const kinds = Array.from({ length: 18 }, (_, layer) => (layer % 6 === 5 ? 'full_attention' : 'sliding_attention'));
const older = { rope_theta: 1e6, rope_local_base_freq: 1e4, rope_scaling: null };
const newer = {
  rope_parameters: {
    full_attention: { rope_theta: 1e6, rope_type: 'default' },
    sliding_attention: { rope_theta: 1e4, rope_type: 'default' },
  },
};

describe('the configuration of Gemma 3 270M', () => {
  const shape: ModelShape = {
    ...{ vocabSize: 262_144, hiddenSize: 640, intermediateSize: 2048, numLayers: 18, numHeads: 4, numKvHeads: 1 },
    ...{ headSize: 256, ropeTheta: 1e6, normEps: 1e-6, isTied: true, maxPositions: 32_768 },
    ...{ qkNorm: true, gelu: true, outputNorms: true, scaledEmbeddings: true },
    local: { window: 512, ropeTheta: 1e4, period: 6 },
  };

  it.each<[string, object]>([
    ['a list of layers', { ...older, layer_types: kinds }],
    ['the period of its layers', { ...older, sliding_window_pattern: 6 }],
    ['the angles of each kind of layer', { ...newer, layer_types: kinds }],
    ['the defaults of the family', {}],
  ])('is read with %s', (_, more) => {
    expect(readLlamaConfig({ ...published, ...more })).toMatchObject({ shape, endIds: [1, 106] });
    expect(Math.round(parameterCount(shape) / 1e6)).toBe(268);
  });

  it('may scale its scores, or have other layers', () => {
    const read = (more: object) => readLlamaConfig({ ...published, num_hidden_layers: 3, ...more }).shape;
    expect(read({ query_pre_attn_scalar: 168 }).queryScalar).toBe(168);
    expect(read({ layer_types: kinds.slice(0, 3) }).local?.period).toBe(4);
    expect(read({ layer_types: new Array(3).fill('full_attention') }).local).toBeUndefined();
    const slower = { full_attention: { rope_type: 'linear', factor: 8, rope_theta: 1e6 } };
    expect(read({ rope_parameters: slower }).ropeScaling).toEqual({ kind: 'linear', factor: 8 });
  });

  it.each<[string, object, RegExp]>([
    [
      'layers without a period',
      { layer_types: kinds.toReversed() },
      /layer_types: expected “full_attention” for every/,
    ],
    ['capped scores', { attn_logit_softcapping: 50 }, /attn_logit_softcapping: expected null, got 50/],
    ['capped logits', { final_logit_softcapping: 30 }, /final_logit_softcapping: expected null, got 30/],
    ['attention to later tokens', { use_bidirectional_attention: true }, /use_bidirectional_attention: expected false/],
    [
      'another activation',
      { hidden_activation: 'gelu' },
      /hidden_activation: expected "gelu_pytorch_tanh", got "gelu"/,
    ],
    ['no window', { sliding_window: null }, /sliding_window: expected a whole number, got null/],
    [
      'scaled angles in local layers',
      { rope_parameters: { sliding_attention: { rope_type: 'linear', factor: 8 } } },
      /rope_parameters\.sliding_attention\.rope_type: expected "default", got "linear"/,
    ],
  ])('is refused by name with %s', (_, more, words) => {
    expect(() => readLlamaConfig({ ...published, ...more })).toThrow(FormatError);
    expect(() => readLlamaConfig({ ...published, ...more })).toThrow(words);
  });
});

const shape: ModelShape = {
  ...sampleShape(),
  ...{ numLayers: 3, numKvHeads: 1, isTied: true, ropeTheta: 1e6, queryScalar: 6 },
  ...{ qkNorm: true, gelu: true, outputNorms: true, scaledEmbeddings: true },
  local: { window: 8, ropeTheta: 1e4, period: 2 },
};
const config = {
  ...published,
  ...{ vocab_size: shape.vocabSize, hidden_size: 16, intermediate_size: 24, num_hidden_layers: 3, head_dim: 4 },
  ...{ max_position_embeddings: 64, query_pre_attn_scalar: 6, sliding_window: 8, sliding_window_pattern: 2 },
  eos_token_id: 1,
};
const image = { id: shape.vocabSize, content: '<image_soft_token>', special: true };
const withImage = () => {
  const json = sampleTokenizer(shape.vocabSize) as { added_tokens: object[] };
  return {
    ...json,
    added_tokens: [...json.added_tokens, { ...image, lstrip: false, rstrip: false, normalized: false }],
  };
};
const files = () => {
  const own = new Map(sampleFiles({ shape, type: 'BF16' }).map((file) => [file.name, file]));
  own.set('config.json', jsonFile('config.json', config));
  own.set('tokenizer.json', jsonFile('tokenizer.json', withImage()));
  return [...own.values()];
};
const values = (matrices: Parameters<typeof dequantised>[0][]) =>
  Object.fromEntries(matrices.map((matrix) => [matrix.name, [...dequantised(matrix)]]));

describe('a folder of Gemma 3', () => {
  it('has whole gains, of which its files contain all but 1, and no token without an embedding', async () => {
    const model = await readLlama(files());
    expect(model.shape).toEqual(shape);
    const wanted = sampleWeights(shape).map(({ name, shape: sizes, values: own }) => [
      name,
      [...own].map((value) => (sizes.length === 1 ? value + 1 : value)),
    ]);
    expect(values(model.matrices)).toEqual(Object.fromEntries(wanted));
    expect(model.types).toEqual(['BF16']);
    const { added_tokens: added } = model.tokenizer as { added_tokens: { content: string }[] };
    expect(added.map(({ content }) => content)).not.toContain(image.content);
  });

  it('is refused by name if another token has no embedding', async () => {
    const json = withImage();
    const other = { ...json, added_tokens: json.added_tokens.with(-1, { ...image, content: '<other>' }) };
    const given = files().map((file) => (file.name === 'tokenizer.json' ? jsonFile(file.name, other) : file));
    await expect(readLlama(given)).rejects.toThrow(/tokenizer\.json: expected ids below/);
  });

  it('is written with merged adapters as its own family, and read back the same', async () => {
    const model = await readLlama(files());
    const given = givenOf(model, 'tiny');
    const drawn = (name: string, rows: number, columns: number, at: number): NamedArray => ({
      ...{ name, shape: [rows, columns] },
      values: Float32Array.from({ length: rows * columns }, (_, i) => Math.sin(at + i) / 4),
    });
    const pairs = parameterNames(shape)
      .filter(({ name }) => name.endsWith('_proj.weight'))
      .map(({ name, shape: [rows = 0, columns = 0] }, at) => ({
        name: name.slice(0, -'.weight'.length),
        ...{ a: drawn('A', 2, columns, at), b: drawn('B', rows, 2, at) },
      }));
    const agent = {
      ...{ runName: 'calm-otter', role: 'reasoning', base: { label: 'tiny', name: 'model-1' }, turns: [pairs], shape },
      ...{ matrices: model.matrices, alpha: 3, temperature: 1, tokenizerJson: JSON.stringify(model.tokenizer) },
      names: given.foreign!.names,
    };
    const pieces: Uint8Array[] = [];
    for await (const piece of takenModel(agent, { as: 'merged', type: 'F32' })) pieces.push(piece);
    const folder = Object.entries(unzipSync(joinedBytes(pieces))).map(([name, bytes]) => heldFile(name, bytes));
    const again = await readLlama(folder);
    expect(again.shape).toEqual(shape);
    expect(again.family).toBe('gemma3_text');
    const merged = parameterNames(shape).map(({ name }) => [
      name,
      [...mergedArray({ matrices: model.matrices, pairs, alpha: 3 }, name)],
    ]);
    expect(values(again.matrices)).toEqual(Object.fromEntries(merged));
  });
});

describe('a GGUF file of Gemma 3', () => {
  it('has local layers of which it states only the window', () => {
    const own = { ...ggufShapeOf({ isTied: true }), ropeTheta: 1e6, vocabSize: 300 };
    const metadata = {
      ...sampleMetadata('gemma3', own),
      'gemma3.rope.freq_base': 1e6,
      'gemma3.attention.sliding_window': 16,
    };
    const notes = new GgufNotes(new Map(Object.entries(metadata)));
    expect(ggufShape(notes, { has: () => false, ropeFactors: null, vocabSize: 300 })).toEqual({
      ...own,
      ...{ qkNorm: true, gelu: true, outputNorms: true, scaledEmbeddings: true },
      local: { window: 16, ropeTheta: 1e4, period: 6 },
    });
  });

  it('has names of its own for the norms of a layer', () => {
    const norms = ['input', 'post_attention', 'pre_feedforward', 'post_feedforward'];
    const theirs = ['attn_norm', 'post_attention_norm', 'ffn_norm', 'post_ffw_norm'];
    norms.forEach((norm, i) => {
      const name = `model.layers.7.${norm}_layernorm.weight`;
      expect(ggufName(name, shape)).toBe(`blk.7.${theirs[i]}.weight`);
      expect(huggingFaceName(`blk.7.${theirs[i]}.weight`, shape)).toBe(name);
    });
  });
});

/** A template with the rules of Gemma's: no system role, turns in order, and “model” for the assistant. */
const template = [
  "{{ bos_token }}{%- if messages[0]['role'] == 'system' -%}{%- set before = messages[0]['content'] + '\\n\\n' -%}",
  "{%- set turns = messages[1:] -%}{%- else -%}{%- set before = '' -%}{%- set turns = messages -%}{%- endif -%}",
  '{%- for turn in turns -%}',
  "{%- if (turn['role'] == 'user') != (loop.index0 % 2 == 0) -%}{{ raise_exception('users and models take turns') }}",
  '{%- endif -%}',
  "{{ '<start_of_turn>' + ('model' if turn['role'] == 'assistant' else turn['role']) + '\\n' }}",
  "{{ (before if loop.first else '') + (turn['content'] | trim) + '<end_of_turn>\\n' }}",
  "{%- endfor -%}{%- if add_generation_prompt -%}{{ '<start_of_turn>model\\n' }}{%- endif -%}",
].join('');

describe('a chat of Gemma 3', () => {
  const written = (messages: object[]) => chatText({ template, special: { bos_token: '<bos>' } }, messages);

  it('has the system’s text before the first message of the user', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: ' Hi ' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Bye' },
    ];
    expect(written(messages)).toBe(
      '<bos><start_of_turn>user\nBe brief.\n\nHi<end_of_turn>\n<start_of_turn>model\nHello<end_of_turn>\n' +
        '<start_of_turn>user\nBye<end_of_turn>\n<start_of_turn>model\n',
    );
    expect(() => written([messages[1]!, messages[1]!])).toThrow(/users and models take turns/);
  });

  it('ends a message with <end_of_turn>, and the token that ends a text ends a dialogue', () => {
    const added = ['<pad>', '<eos>', '<bos>', '<unk>', '<end_of_turn>'].map((content, id) => ({
      id,
      content,
      special: true,
    }));
    const tokenizer = { added_tokens: added, model: { vocab: {} } };
    const special = { bos_token: '<bos>', eos_token: '<eos>', pad_token: '<pad>', unk_token: '<unk>' };
    expect(ownNames({ tokenizer, special, endIds: [1, 4] })).toEqual({
      ...{ bos: '<bos>', endOfTurn: '<end_of_turn>', finish: '<eos>' },
    });
    expect(ownNames({ tokenizer, special, endIds: [1] }).endOfTurn).toBe('<eos>');
  });
});
