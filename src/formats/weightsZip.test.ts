import { form as houseRule } from '../extensions/worlds/houseRule/form.ts';
import { readFileSync } from 'node:fs';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../base/errors.ts';
import { Draws } from '../base/random.ts';
import { parseConfig } from '../config/parse.ts';
import type { ModelShape } from '../config/sizes.ts';
import { parameterNames } from '../records/parameters.ts';
import { chatTemplate } from '../text/chatTemplate.ts';
import { readGguf } from './reference/gguf.ts';
import { llamaLogits, type LlamaConfigFile } from './reference/llama.ts';
import { readTensors } from './reference/safetensors.ts';
import { readSafetensors } from './safetensors.ts';
import { turnsZip, weightsZip } from './weightsZip.ts';

const tokenizerText = readFileSync(new URL('../extensions/worlds/houseRule/tokenizer.json', import.meta.url), 'utf8');

const shape: ModelShape = {
  vocabSize: 32,
  hiddenSize: 8,
  intermediateSize: 12,
  numLayers: 2,
  numHeads: 4,
  numKvHeads: 2,
  headSize: 4,
  ropeTheta: 10000,
  normEps: 1e-5,
  isTied: true,
  maxPositions: 16,
};

function randomWeights(of: ModelShape) {
  return parameterNames(of).map(({ name, shape: dimensions }, i) => {
    const draws = new Draws(1, 0, i);
    const length = dimensions.reduce((a, b) => a * b, 1);
    return { name, shape: dimensions, values: Float32Array.from({ length }, () => draws.normal() * 0.4) };
  });
}

const source = (isTied = true) => ({
  shape: { ...shape, isTied },
  weights: randomWeights({ ...shape, isTied }),
  ...{ role: 'metaThinking' as const, heard: ['reasoning' as const], sees: ['rule'], world: houseRule },
  config: parseConfig({}),
  tokenizerJson: tokenizerText,
  runName: 'calm-otter',
});

const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

describe('weightsZip', () => {
  it('gives the same logits in an independent reader', () => {
    for (const isTied of [true, false]) {
      const given = source(isTied);
      const files = unzipSync(weightsZip(given));
      const config = JSON.parse(text(files['config.json'])) as LlamaConfigFile;
      const tensors = readTensors(files['model.safetensors'] as Uint8Array);
      const tokens = [1, 8, 16, 19, 13, 21, 11, 2, 4];
      expect(config.tie_word_embeddings).toBe(isTied);
      expect(tensors.some((tensor) => tensor.name === 'lm_head.weight')).toBe(!isTied);
      const logits = llamaLogits(config, tensors, tokens);
      expect(logits).toEqual(llamaLogits(config, given.weights, tokens));
      expect(logits.flat().every(Number.isFinite)).toBe(true);
    }
  });

  it('has a GGUF file with the same logits if adjacent dimensions are rotated, as in llama.cpp', () => {
    for (const isTied of [true, false]) {
      const given = source(isTied);
      const files = unzipSync(weightsZip(given));
      const config = JSON.parse(text(files['config.json'])) as LlamaConfigFile;
      const { metadata, tensors } = readGguf(files['model.gguf'] as Uint8Array);
      const tokens = [1, 8, 16, 19, 13, 21, 11, 2, 4];
      const logits = llamaLogits({ ...config, turns_neighbours: true }, tensors, tokens).flat();
      const wanted = llamaLogits(config, given.weights, tokens).flat();
      expect(Math.max(...logits.map((x, i) => Math.abs(x - (wanted[i] as number))))).toBeLessThan(1e-12);
      expect(metadata).toMatchObject({
        'general.architecture': 'llama',
        'llama.block_count': 2,
        'llama.attention.head_count_kv': 2,
        'llama.rope.dimension_count': 4,
        'tokenizer.ggml.bos_token_id': 1,
        'tokenizer.ggml.eos_token_id': 2,
        'tokenizer.ggml.padding_token_id': 0,
        'tokenizer.chat_template': chatTemplate('metaThinking', ['reasoning']),
      });
      const words = metadata['tokenizer.ggml.tokens'] as string[];
      const kinds = metadata['tokenizer.ggml.token_type'] as number[];
      expect(words).toHaveLength(config.vocab_size);
      expect(kinds[words.indexOf('<finish>')]).toBe(3);
      // If the tokens of a vocabulary are whole words instead of bytes, llama.cpp needs the unchanged words, and a
      // merge of two tokens that never occur next to each other.
      expect(kinds[words.indexOf('7')]).toBe(4);
      expect(metadata).toMatchObject({ 'tokenizer.ggml.model': 'gpt2', 'tokenizer.ggml.pre': 'default' });
      expect(metadata['tokenizer.ggml.merges']).toEqual(['<pad> <eot>']);
    }
  });

  it('contains the files of a Hugging Face folder, a GGUF file and two ONNX graphs, with ids of the tokenizer', () => {
    const files = unzipSync(weightsZip(source()));
    expect(Object.keys(files).sort()).toEqual([
      ...['README.md', 'config.json', 'generation_config.json', 'model.gguf', 'model.onnx', 'model.safetensors'],
      ...['model_with_past.onnx', 'tokenizer.json', 'tokenizer_config.json'],
    ]);
    expect(JSON.parse(text(files['config.json']))).toMatchObject({
      architectures: ['LlamaForCausalLM'],
      model_type: 'llama',
      num_key_value_heads: 2,
      head_dim: 4,
      pad_token_id: 0,
      bos_token_id: 1,
      eos_token_id: [2, 3],
    });
    expect(JSON.parse(text(files['generation_config.json']))).toMatchObject({ eos_token_id: [2, 3], top_k: 0 });
    expect(JSON.parse(text(files['tokenizer_config.json']))).toMatchObject({
      tokenizer_class: 'PreTrainedTokenizerFast',
      chat_template: chatTemplate('metaThinking', ['reasoning']),
      additional_special_tokens: expect.arrayContaining(['<finish>', '<meta>', '<rightToLeft>']) as unknown,
    });
    expect(text(files['tokenizer.json'])).toBe(tokenizerText);
    expect(text(files['README.md'])).toContain('# calm-otter: metaThinking');
  });

  it('contains given moments of the optimiser under PyTorch’s names, and those of adapters under PEFT’s', () => {
    const given = source();
    const [embedding] = given.weights as [(typeof given.weights)[number]];
    const arrayOf = (name: string, ...values: number[]) => ({
      name,
      shape: [1, values.length],
      values: Float32Array.from(values),
    });
    const pair = { name: 'model.layers.0.mlp.up_proj', a: arrayOf('a', 1, 2), b: arrayOf('b', 3) };
    const optimiser = {
      first: { pairs: [], arrays: [embedding] },
      second: { pairs: [pair], arrays: [] },
      updates: 7,
    };
    const files = unzipSync(weightsZip({ ...given, optimiser }));
    const { tensors, metadata } = readSafetensors(files['optimizer.safetensors'] as Uint8Array);
    expect(metadata).toMatchObject({ step: '7', optimizer: 'adamW' });
    expect(tensors.map(({ name, values }) => [name, values])).toEqual([
      ['model.embed_tokens.weight.exp_avg', embedding.values],
      ['base_model.model.model.layers.0.mlp.up_proj.lora_A.weight.exp_avg_sq', Float32Array.of(1, 2)],
      ['base_model.model.model.layers.0.mlp.up_proj.lora_B.weight.exp_avg_sq', Float32Array.of(3)],
    ]);
    expect(text(files['README.md'])).toContain('`optimizer.safetensors`');
  });

  it('of an agent with an adapter per turn has a folder per turn, which states agent and turn', () => {
    const { weights, ...given } = source();
    const second = weights.map((array) => ({ ...array, values: array.values.map((x) => 2 * x) }));
    const files = unzipSync(turnsZip(given, [{ weights }, { weights: second }]));
    const alone = unzipSync(weightsZip({ ...given, weights: second }));
    const names = Object.keys(alone);
    expect(Object.keys(files).sort()).toEqual(
      ['metaThinking-turn-1', 'metaThinking-turn-2']
        .flatMap((folder) => names.map((name) => `${folder}/${name}`))
        .sort(),
    );
    // The ONNX files are not compared, because they contain the offsets of weights in model.safetensors. The offsets
    // differ, because the header of model.safetensors also states the turn.
    for (const name of names.filter((file) => !/^README|safetensors$|onnx$/.test(file)))
      expect(files[`metaThinking-turn-2/${name}`]).toEqual(alone[name]);
    const model = (file: Uint8Array | undefined) => readTensors(file as Uint8Array);
    expect(model(files['metaThinking-turn-2/model.safetensors'])).toEqual(model(alone['model.safetensors']));
    expect(model(files['metaThinking-turn-1/model.safetensors'])).not.toEqual(model(alone['model.safetensors']));
    expect(text(files['metaThinking-turn-1/model.safetensors'])).toContain('"turn":"1"');
    const card = text(files['metaThinking-turn-2/README.md']);
    expect(card).toContain('# calm-otter: metaThinking, turn 2 of 2');
    expect(card).toContain('the adapter of turn 2\nmerged in');
    expect(text(alone['README.md'])).not.toContain('adapter');
    expect(turnsZip(given, [{ weights }, { weights: second }])).toEqual(
      turnsZip(given, [{ weights }, { weights: second }]),
    );
  });

  it('gives the same bytes for the same weights', () => {
    expect(weightsZip(source())).toEqual(weightsZip(source()));
  });

  it('orders the arrays like the state dict, whatever their given order', () => {
    const given = source();
    expect(weightsZip({ ...given, weights: given.weights.toReversed() })).toEqual(weightsZip(given));
  });

  it('refuses a missing, a foreign and a misshapen parameter by name', () => {
    const given = source();
    const [first, ...rest] = given.weights;
    const value = { name: 'value_head.weight', shape: [1], values: Float32Array.of(1) };
    const bent = { name: first?.name ?? '', shape: [8, 32], values: new Float32Array(256) };
    expect(() => weightsZip({ ...given, weights: rest })).toThrow(/model.embed_tokens.weight: .*got nothing/);
    expect(() => weightsZip({ ...given, weights: [...given.weights, value] })).toThrow(/value_head.weight/);
    expect(() => weightsZip({ ...given, weights: [bent, ...rest] })).toThrow(/expected \[32, 8\], got \[8, 32\]/);
  });

  it('refuses a tokenizer without the tokens that end a turn', () => {
    const bare = JSON.stringify({ model: { vocab: { '<pad>': 0, '<bos>': 1, '<eot>': 2 } } });
    expect(() => weightsZip({ ...source(), tokenizerJson: bare })).toThrow(/<finish>/);
    expect(() => weightsZip({ ...source(), tokenizerJson: '{' })).toThrow(FormatError);
    expect(() => weightsZip({ ...source(), tokenizerJson: '{"model":3}' })).toThrow(/tokenizer.json: model/);
  });
});
