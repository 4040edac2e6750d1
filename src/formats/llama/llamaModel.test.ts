import fc from 'fast-check';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { parameterNames } from '../../records/parameters.ts';
import { weightsDigest } from '../../records/stored/checkpoint.ts';
import { readSafetensors } from '../safetensors.ts';
import { digestOf, weightsIn } from './llamaModel.ts';
import { readLlama } from './readLlama.ts';
import { readLlamaConfig } from './llamaConfig.ts';
import type { GivenFile } from '../givenFile.ts';
import {
  configFileOf,
  givenFile,
  jsonFile,
  sampleFiles,
  sampleShape,
  sampleTemplate,
  sampleWeights,
  tensorFile,
  type SampleType,
} from './testing/sample.ts';

const without = (name: string, files = sampleFiles()) => files.filter((file) => file.name !== name);
const withFile = (file: GivenFile, files = sampleFiles()) => [...without(file.name, files), file];
const withConfig = (changed: object) =>
  withFile(jsonFile('config.json', { ...configFileOf(sampleShape()), ...changed }));

describe('the reader of safetensors', () => {
  it('reads bfloat16 as the upper half of a float32, and both from any place in a file', () => {
    const header =
      '{"x":{"dtype":"BF16","shape":[4],"data_offsets":[0,8]},"y":{"dtype":"F16","shape":[1],"data_offsets":[8,10]}}';
    const bytes = new Uint8Array(8 + header.length + 10);
    const view = new DataView(bytes.buffer);
    view.setBigUint64(0, BigInt(header.length), true);
    bytes.set(strToU8(header), 8);
    [0x3f80, 0xc049, 0x0080, 0x7f80, 0x3c00].forEach((bits, i) =>
      view.setUint16(8 + header.length + 2 * i, bits, true),
    );
    const { tensors, types } = readSafetensors(bytes);
    expect(tensors.map(({ values }) => [...values])).toEqual([[1, -3.140625, 2 ** -126, Infinity], [1]]);
    expect(types).toEqual(['BF16', 'F16']);
  });
});

/** A tensor that no Llama has. */
const extra = (name: string) => [{ name, shape: [1], values: Float32Array.of(1) }];

describe('an external model', () => {
  it('is the same from one file or shards, in 32 or 16 bits, and in a folder or a zip', async () => {
    const [shape, weights] = [sampleShape(), sampleWeights(sampleShape())];
    const whole = await readLlama(sampleFiles());
    expect(whole.matrices.map(({ name }) => name)).toEqual(parameterNames(shape).map(({ name }) => name));
    expect(
      weightsDigest({ networks: [{ weights: [...weightsIn(whole)], critic: [], m: [], v: [], updates: 0 }] }),
    ).toBe(weightsDigest({ networks: [{ weights, critic: [], m: [], v: [], updates: 0 }] }));
    const cases = fc.record({
      type: fc.constantFrom<SampleType>('F32', 'F16', 'BF16'),
      shards: fc.integer({ min: 1, max: 9 }),
      folder: fc.constantFrom('', 'model/', 'a/b c/'),
      isZip: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ type, shards, folder, isZip }) => {
        const files = sampleFiles({ type, shards }).map((file) => ({ ...file, name: folder + file.name }));
        const packed = await Promise.all(files.map(async ({ name, bytes }) => [name, await bytes()] as const));
        const given = isZip ? [givenFile('m.zip', zipSync(Object.fromEntries(packed), { level: 1 }))] : files;
        const model = await readLlama(given);
        expect(model.types).toEqual([type]);
        expect(digestOf(model)).toBe(digestOf(whole));
      }),
      { numRuns: 12 },
    );
  });

  it('contains its shape, its template and the tokens that end a text', async () => {
    const model = await readLlama(sampleFiles());
    expect(model.shape).toEqual(sampleShape());
    expect(model.chatTemplate).toBe(sampleTemplate);
    expect(model.special).toEqual({ bos_token: '<s>', eos_token: '</s>' });
    expect(model.endIds).toEqual([1]);
  });

  it('has the default of LlamaConfig for an absent key, and rope_theta of either transformers version', async () => {
    const { rope_parameters: _, head_dim: __, rms_norm_eps: ___, ...config } = configFileOf(sampleShape());
    const shapeWith = async (more: object) =>
      (await readLlama(withFile(jsonFile('config.json', { ...config, ...more })))).shape;
    expect(await shapeWith({})).toEqual({ ...sampleShape(), ropeTheta: 10_000, normEps: 1e-6 });
    expect((await shapeWith({ rope_theta: 5e5 })).ropeTheta).toBe(5e5);
  });

  it('of another family has the facts of this family, even if its configuration omits them', async () => {
    const shapeOf = (architecture: string, more: object = {}) =>
      readLlamaConfig({ ...configFileOf(sampleShape()), architectures: [architecture], ...more }).shape;
    expect(shapeOf('MistralForCausalLM', { sliding_window: null })).toEqual(sampleShape());
    expect(shapeOf('MistralForCausalLM', { sliding_window: 4096 })).toEqual(sampleShape());
    // In a text that is no longer than the window, attention reaches all tokens.
    expect(shapeOf('MistralForCausalLM', { sliding_window: 16 }).maxPositions).toBe(16);
    expect(shapeOf('MistralForCausalLM', { max_position_embeddings: 9000 }).maxPositions).toBe(4096);
    expect(shapeOf('Qwen2ForCausalLM', { sliding_window: 16, use_sliding_window: false })).toEqual({
      ...sampleShape(),
      attentionBias: true,
    });
    expect(shapeOf('Qwen2ForCausalLM', { sliding_window: 16, use_sliding_window: true }).maxPositions).toBe(16);
    expect(shapeOf('Qwen3ForCausalLM')).toEqual({ ...sampleShape(), qkNorm: true });
    expect(shapeOf('Qwen3ForCausalLM', { head_dim: undefined }).headSize).toBe(128);
    const { architectures: _, ...nameless } = configFileOf(sampleShape());
    expect(readLlamaConfig({ ...nameless, model_type: 'qwen2' }).shape.attentionBias).toBe(true);
  });

  it('has the angles of Llama 3 or linear ones, under the key of either version', () => {
    const scaled = (rope: object) => readLlamaConfig({ ...configFileOf(sampleShape()), ...rope }).shape;
    const numbers = { factor: 32, low_freq_factor: 1, high_freq_factor: 4, original_max_position_embeddings: 8192 };
    const llama3 = {
      kind: 'llama3',
      factor: 32,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 8192,
    };
    expect(scaled({ rope_parameters: { rope_theta: 7, rope_type: 'llama3', ...numbers } })).toEqual({
      ...sampleShape(),
      ropeTheta: 7,
      ropeScaling: llama3,
    });
    expect(scaled({ rope_scaling: { rope_type: 'llama3', ...numbers } }).ropeScaling).toEqual(llama3);
    expect(scaled({ rope_scaling: { type: 'linear', factor: 2 } }).ropeScaling).toEqual({ kind: 'linear', factor: 2 });
  });

  it('is read array by array and kept as it is stored, in less memory than its files', async () => {
    for (const type of ['F32', 'F16', 'BF16'] as const) {
      const files = sampleFiles({ type, shards: 3 });
      let [most, whole] = [0, 0];
      const watched = files.map((file) => ({
        ...file,
        bytes: () => (file.name.endsWith('.safetensors') ? Promise.reject(new Error('the whole file')) : file.bytes()),
        range: (from: number, to: number) => {
          most = Math.max(most, to - from);
          return file.range(from, to);
        },
      }));
      for (const { name, size } of files) if (name.endsWith('.safetensors')) whole += size;
      const { matrices } = await readLlama(watched);
      const held = matrices.reduce((sum, { bytes }) => sum + bytes.buffer.byteLength, 0);
      const largest = Math.max(...matrices.map(({ bytes }) => bytes.length));
      expect(held).toBeLessThan(whole);
      // In files this small, the header is larger than most arrays.
      expect(most).toBeLessThanOrEqual(Math.max(largest, 2000));
    }
  });

  it('has a head that equals its tied embeddings, whether the file repeats it or not', async () => {
    const shape = { ...sampleShape(), isTied: true };
    const weights = sampleWeights(shape);
    const head = {
      name: 'lm_head.weight',
      shape: [shape.vocabSize, shape.hiddenSize],
      values: (weights[0]?.values ?? new Float32Array()).slice(),
    };
    const [plain, repeated] = [
      await readLlama(sampleFiles({ shape })),
      await readLlama(sampleFiles({ shape, weights: [...weights, head] })),
    ];
    expect(digestOf(repeated)).toBe(digestOf(plain));
  });

  it.each<[string, () => GivenFile[], RegExp]>([
    [
      'another family',
      () => withConfig({ architectures: ['GPT2LMHeadModel'], model_type: 'gpt2' }),
      /config\.json: expected a model of the family LlamaForCausalLM, .*, got "GPT2LMHeadModel"/,
    ],
    [
      'a family that looks alike',
      () => withConfig({ architectures: ['Gemma2ForCausalLM'], model_type: 'gemma2' }),
      /got "Gemma2ForCausalLM".*choose one of these/,
    ],
    [
      'biases that its files lack',
      () => withConfig({ architectures: ['Qwen2ForCausalLM'], model_type: 'qwen2' }),
      /q_proj\.bias: this array of the shape \[16\] is missing/,
    ],
    ['no family', () => withFile(jsonFile('config.json', {})), /got nothing/],
    [
      'a missing key',
      () => withConfig({ hidden_size: undefined }),
      /config\.json: hidden_size: expected .*, got nothing/,
    ],
    [
      'positions that are scaled',
      () => withConfig({ rope_scaling: { rope_type: 'yarn', factor: 8 } }),
      /rope_scaling: expected default, linear or llama3, got "yarn"/,
    ],
    [
      'positions that are scaled by half of what it takes',
      () => withConfig({ rope_scaling: { rope_type: 'llama3', factor: 8 } }),
      /rope_scaling\.low_freq_factor: expected a number, got nothing/,
    ],
    ['another activation', () => withConfig({ hidden_act: 'gelu' }), /hidden_act: expected "silu", got "gelu"/],
    ['biases', () => withConfig({ attention_bias: true }), /attention_bias: expected false/],
    [
      'heads that do not divide',
      () => withConfig({ num_key_value_heads: 3 }),
      /num_key_value_heads: expected a divisor of the 4 heads, got 3/,
    ],
    ['an odd head', () => withConfig({ head_dim: 3 }), /head_dim: expected an even whole number, got 3/],
    [
      'more than a tab can train',
      () => withConfig({ hidden_size: 2048, intermediate_size: 5632, num_hidden_layers: 22 }),
      /expected at most 600 million parameters, got \d+: .*smaller model/,
    ],
    ['no config.json', () => without('config.json'), /config\.json is not among the chosen files/],
    [
      'no tokenizer.json',
      () => without('tokenizer.json'),
      /tokenizer\.json: this file is missing next to config\.json.*save_pretrained/,
    ],
    ['another model’s tokenizer', () => withConfig({ vocab_size: 100 }), /tokenizer\.json: expected ids below 100/],
    ['no weights', () => without('model.safetensors'), /model\.safetensors: this file is missing next to config\.json/],
    [
      'a shard that is absent',
      () => without('model-00002-of-00003.safetensors', sampleFiles({ shards: 3 })),
      /model-00002-of-00003\.safetensors: .*missing/,
    ],
    [
      'a tensor that is absent',
      () => sampleFiles({ weights: sampleWeights(sampleShape()).slice(1) }),
      /model\.embed_tokens\.weight: this array of the shape \[\d+, 16\] is missing/,
    ],
    [
      'a tensor of another shape',
      () => withConfig({ intermediate_size: 23 }),
      /gate_proj\.weight: expected \[23, 16\], got \[24, 16\]/,
    ],
    [
      'a tensor too many',
      () => sampleFiles({ weights: [...sampleWeights(sampleShape()), ...extra('model.x')] }),
      /x: this parameter does not exist in a network of this shape/,
    ],
    [
      'a number that is not finite',
      () =>
        sampleFiles({
          weights: sampleWeights(sampleShape()).map((array) => ({
            ...array,
            values: array.values.map(() => Infinity),
          })),
        }),
      /model\.embed_tokens\.weight: expected finite numbers/,
    ],
    [
      'a tensor twice',
      () => [
        ...without('model.safetensors.index.json', sampleFiles({ shards: 2 })),
        givenFile('model-00003-of-00003.safetensors', tensorFile(sampleWeights(sampleShape()), 'F32')),
      ],
      /occurs in two files/,
    ],
    [
      'a tensor under two names',
      () => sampleFiles({ weights: [...sampleWeights(sampleShape()), ...extra('module.model.norm.weight')] }),
      /model\.norm\.weight occurs under two names/,
    ],
    [
      'tensors of another family',
      () => sampleFiles({ weights: [...extra('transformer.h.0.attn'), ...extra('transformer.wte')] }),
      /model\.embed_tokens\.weight: this array of the shape .* is missing; the files contain \["transformer\.h\.0\.attn", "transformer\.wte"\] and so on, 2 arrays in total/,
    ],
    ...(['bos_token', 'eos_token'] as const).map((key): [string, () => GivenFile[], RegExp] => [
      `a ${key} outside its vocabulary`,
      () => withFile(jsonFile('tokenizer_config.json', { [key]: '<|nowhere|>' })),
      new RegExp(`tokenizer_config\\.json: ${key}: expected a token of tokenizer\\.json, got "<\\|nowhere\\|>"`),
    ]),
    [
      'a template without its end',
      () => withFile(jsonFile('tokenizer_config.json', { chat_template: '{% for m in messages %}{{ m.content }}' })),
      /tokenizer_config\.json: chat_template: expected a Jinja template, got a template that cannot be read \(a block without its end\)/,
    ],
    [
      'a template whose tag has no end, in a file of its own',
      () => withFile(givenFile('chat_template.jinja', strToU8('{{ messages'))),
      /chat_template\.jinja: expected a Jinja template/,
    ],
    [
      'a template in another encoding',
      () => withFile(givenFile('chat_template.jinja', Uint8Array.of(0x5a, 0x6f, 0xeb))),
      /chat_template\.jinja: line 1: the text is not written in UTF-8/,
    ],
    [
      'two models',
      () => sampleFiles().flatMap((file) => ['a/', 'b/'].map((folder) => ({ ...file, name: folder + file.name }))),
      /expected one model, got several/,
    ],
    [
      'files larger than any that fit',
      () =>
        sampleFiles()
          .map((file) => ({ ...file, size: 2e9 }))
          .filter(({ name }) => name !== 'tokenizer.json'),
      /at most/,
    ],
  ])('with %s is refused by name', async (_, files, words) => {
    await expect(readLlama(files())).rejects.toThrow(FormatError);
    await expect(readLlama(files())).rejects.toThrow(words);
  });

  it.each([
    ['torch.compile stores', (name: string) => `_orig_mod.${name}`],
    ['DistributedDataParallel stores', (name: string) => `module.${name}`],
    ['both of them store', (name: string) => name.replace('model.', 'module.model._orig_mod.')],
    ['its body alone stores', (name: string) => name.replace(/^model\./, '')],
  ])('is the same with the names that %s', async (_, called) => {
    const weights = sampleWeights(sampleShape());
    const files = sampleFiles({ weights: weights.map((array) => ({ ...array, name: called(array.name) })) });
    expect((await readLlama(files)).matrices).toEqual((await readLlama(sampleFiles({ weights }))).matrices);
  });

  it.each([
    'consolidated.safetensors',
    'adapter_model.safetensors',
    'model-00001-of-00002.safetensors',
    'other.safetensors',
  ])('is read without %s, which is ignored', async (name) => {
    const beside = givenFile(name, tensorFile(extra('base_model.model.lora_A.weight'), 'F32'));
    const [alone, whole] = [await readLlama(sampleFiles()), await readLlama([...sampleFiles(), beside])];
    expect(whole.matrices).toEqual(alone.matrices);
    if (name.startsWith('model-')) return;
    const sharded = without('model.safetensors.index.json', sampleFiles({ shards: 3 }));
    expect((await readLlama([...sharded, beside])).matrices).toEqual(alone.matrices);
  });

  it('is read or refused by name, whatever its files contain', async () => {
    const names = sampleFiles({ shards: 2 }).map(({ name }) => name);
    const changes = fc.oneof(
      fc.record({ at: fc.nat(), value: fc.nat({ max: 255 }) }).map((change) => ({ kind: 'byte' as const, ...change })),
      fc.nat().map((at) => ({ kind: 'cut' as const, at })),
      fc.json({ maxDepth: 2 }).map((json) => ({ kind: 'json' as const, json })),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), changes, async (name, change) => {
        const files = sampleFiles({ shards: 2 });
        const bytes = (await files.find((file) => file.name === name)!.bytes()).slice();
        const changed = () => {
          if (change.kind === 'json') return strToU8(change.json);
          if (change.kind === 'cut') return bytes.subarray(0, change.at % bytes.length);
          bytes[change.at % bytes.length] = change.value;
          return bytes;
        };
        await readLlama(withFile(givenFile(name, changed()), files)).then(
          ({ matrices }) => expect(matrices.length).toBeGreaterThan(0),
          (error: unknown) => expect(error).toBeInstanceOf(FormatError),
        );
      }),
      { numRuns: 150 },
    );
  });
});
