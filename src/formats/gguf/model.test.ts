import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FormatError } from '../../base/errors.ts';
import { storedLayouts, type StoredFormat } from '../../base/storedNumbers.ts';
import { parameterNames } from '../../records/parameters.ts';
import { dequantised } from '../../records/stored/storedMatrix.ts';
import { sizes, type ModelShape } from '../../config/sizes.ts';
import { ropeFrequencies } from '../../config/ropeFrequencies.ts';
import { initialWeightsOf } from './testing/ownModel.ts';
import { tokenizerJsonOf } from '../../text/lexicon.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { heldFile, type GivenFile } from '../givenFile.ts';
import { weightsIn } from '../llama/llamaModel.ts';
import { readLlama } from '../llama/readLlama.ts';
import type { GgufValue } from './header.ts';
import { ggufOf, type TestTensor } from './testing/ggufOf.ts';
import { ggufShapeOf, sampleArrays, sampleCount, sampleGguf, sampleMetadata } from './testing/sampleGguf.ts';
import { ggufFile } from './write.ts';

const read = (bytes: Uint8Array) => readLlama([heldFile('theirs.gguf', bytes)]);
const float32 = (values: Float32Array) => new Uint8Array(values.buffer);

describe('a GGUF file', () => {
  it.each(Object.keys(storedLayouts) as StoredFormat[])(
    'of %s is read as it is stored, with query and key rows in the order of Hugging Face',
    async (format) => {
      const shape = ggufShapeOf();
      const arrays = sampleArrays(shape, format);
      const { matrices, types } = await read(sampleGguf({ format, arrays }));
      expect(types).toEqual([...new Set([format, 'F32'])]);
      expect(matrices.map(({ name }) => name)).toEqual(parameterNames(shape).map(({ name }) => name));
      for (const { name, bytes, shape: dimensions, format: own } of matrices) {
        expect(own, name).toBe(dimensions.length === 1 ? 'F32' : format);
        expect(Buffer.compare(bytes, arrays.get(name) as Uint8Array), name).toBe(0);
      }
    },
  );

  it('contains its shape, and float32 numbers are read as the decimal numbers they represent', async () => {
    const { shape } = await read(sampleGguf());
    expect(shape).toEqual(ggufShapeOf({ vocabSize: sampleCount, ropeTheta: 10_000.5 }));
  });

  it('contains its tokens, its template and the tokens that end a text', async () => {
    const { tokenizer, special, endIds, chatTemplate } = await read(sampleGguf());
    expect(special).toEqual({ bos_token: '<s>', eos_token: '</s>' });
    expect([endIds, chatTemplate]).toEqual([[1], '{{ messages[0].content }}']);
    expect(tokenizerOf(tokenizer).encode('<s>a')[0]).toBe(0);
  });

  it('that this project wrote is read with the same numbers and tokens', async () => {
    const json = tokenizerJsonOf(['<rightToLeft>', '7', '+', '4', '*', '2']);
    const { encode, vocabSize } = tokenizerOf(json);
    const shape: ModelShape = { ...sizes.micro, vocabSize, maxPositions: 32 };
    const weights = initialWeightsOf(shape);
    const model = await read(
      ggufFile({ shape, weights, tokenizerJson: JSON.stringify(json), name: 'own', chatTemplate: '' }),
    );
    expect(model.shape).toEqual(shape);
    expect([...weightsIn(model)]).toEqual(weights);
    const text = '<bos><rightToLeft>7+4*2<eot><reason>';
    expect(tokenizerOf(model.tokenizer).encode(text)).toEqual(encode(text));
  });

  it('has biases for Qwen 2, norms of heads for Qwen 3, and rows in unchanged order', async () => {
    for (const [family, facts] of [
      ['qwen2', { attentionBias: true }],
      ['qwen3', { qkNorm: true }],
    ] as const) {
      const shape = ggufShapeOf(facts);
      const arrays = sampleArrays(shape, 'Q8_0');
      const model = await read(sampleGguf({ family, shape, format: 'Q8_0', arrays }));
      expect(model.shape).toMatchObject(facts);
      for (const { name, bytes } of model.matrices)
        expect(Buffer.compare(bytes, arrays.get(name) as Uint8Array), name).toBe(0);
    }
  });

  it('is limited to the window of its attention, and may have linearly scaled angles', async () => {
    const window = await read(sampleGguf({ metadata: { 'llama.attention.sliding_window': 16 } }));
    expect([window.shape.maxPositions, window.promisedPositions]).toEqual([16, 64]);
    const linear = await read(
      sampleGguf({ metadata: { 'llama.rope.scaling.type': 'linear', 'llama.rope.scaling.factor': 4 } }),
    );
    expect(linear.shape.ropeScaling).toEqual({ kind: 'linear', factor: 4 });
  });

  const factorsOf = (shape: ModelShape, quotients: ArrayLike<number>): TestTensor => ({
    name: 'rope_freqs.weight',
    dimensions: [shape.headSize / 2],
    type: 0,
    bytes: float32(Float32Array.from(quotients)),
  });

  it('of Llama 3 has the scaling of its angles, if its frequency factors are those of Llama 3', async () => {
    const shape = ggufShapeOf({ ropeTheta: 500_000, headSize: 64, numHeads: 4 });
    const ropeScaling = {
      kind: 'llama3',
      factor: 32,
      lowFrequencyFactor: 1,
      highFrequencyFactor: 4,
      originalPositions: 8192,
    } as const;
    const [plain, scaled] = [ropeFrequencies(shape), ropeFrequencies({ ...shape, ropeScaling })];
    const bytes = (quotients: number[]) =>
      sampleGguf({
        shape,
        metadata: { 'llama.rope.freq_base': 500_000 },
        tensors: (all) => [factorsOf(shape, quotients), ...all],
      });
    const quotients = plain.map((one, i) => one / (scaled[i] as number));
    expect((await read(bytes(quotients))).shape.ropeScaling).toEqual(ropeScaling);
    await expect(read(bytes(quotients.map((one) => Math.sqrt(one))))).rejects.toThrow(
      /rope_freqs\.weight: expected the frequency factors of Llama 3/,
    );
  });

  it('is read one tensor at a time, each tensor once', async () => {
    const bytes = sampleGguf({ format: 'Q4_1', metadata: { 'general.note': 'x'.repeat(5_000_000) } });
    const asked: [number, number][] = [];
    const file: GivenFile = {
      ...heldFile('theirs.gguf', bytes),
      bytes: () => Promise.reject(new Error('asked for the whole file')),
      range: (from, to) => {
        asked.push([from, to]);
        return Promise.resolve(bytes.slice(from, to));
      },
    };
    const { matrices } = await readLlama([file]);
    const tensors = asked.slice(-matrices.length).map(([from, to]) => to - from);
    expect(tensors).toEqual(matrices.map((matrix) => matrix.bytes.length));
    expect(matrices.map((matrix) => dequantised(matrix).length)).toContain(256 * 256);
  });
});

describe('an invalid GGUF file', () => {
  const metadata = sampleMetadata('llama', ggufShapeOf());
  const with_ = (more: Record<string, GgufValue | undefined>) => () => sampleGguf({ metadata: more });
  const tensor = (change: (tensor: TestTensor, i: number) => TestTensor) => () =>
    sampleGguf({ tensors: (all) => all.map(change) });
  const second = (change: Partial<TestTensor>) => tensor((one, i) => (i === 1 ? { ...one, ...change } : one));
  const cut = (length: number) => () => sampleGguf().slice(0, length);

  it.each<[string, () => Uint8Array, RegExp]>([
    ['nothing in it', () => new Uint8Array(0), /theirs\.gguf: GGUF: expected a file that begins with “GGUF”/],
    ['another format', () => new Uint8Array(100), /begins with “GGUF”/],
    ['its end cut off', cut(-1000), /expected bytes up to \d+, but the file ends at \d+; is the file complete/],
    [
      'all but its head cut off',
      cut(900),
      /expected \d+ bytes from byte \d+ on, but the file ends at 900|too short for them/,
    ],
    ['the first version', () => ggufOf(metadata, [], { version: 1 }), /expected version 2 or 3, .*, got 1/],
    ['the large end first', () => ggufOf(metadata, [], { version: 0x03000000 }), /got another order of bytes/],
    [
      '2^60 tensors',
      () => ggufOf(metadata, [], { counts: [2n ** 60n] }),
      /declares \d+ tensors, but the file is too short/,
    ],
    [
      '2^63 entries',
      () => ggufOf(metadata, [], { counts: [0, 2n ** 63n] }),
      /declares \d+ entries, but the file is too short/,
    ],
    ['a tensor outside', second({ offset: 2n ** 40n }), /expected bytes up to \d+, but the file ends at/],
    ['a tensor beyond all numbers', second({ offset: 2n ** 64n - 32n }), /expected bytes up to \d+, but the file ends/],
    ['tensors that overlap', second({ offset: 0 }), /overlaps the tensor before it/],
    ['a tensor between places', second({ offset: sampleCount * 256 * 4 + 1 }), /multiple of 32/],
    ['a tensor of 2^60 numbers', second({ dimensions: [2n ** 30n, 2n ** 30n] }), /expected a shape of whole numbers/],
    ['a tensor of nothing', second({ dimensions: [0] }), /expected a shape of whole numbers/],
    ['a tensor of 5 dimensions', second({ dimensions: [1, 1, 1, 1, 1] }), /expected 1 to 4 dimensions, got 5/],
    [
      'numbers of another type',
      second({ type: 10 }),
      /numbers of the type F32, .*, got Q2_K, which is not supported here; use .*Q8_0/,
    ],
    ['numbers of no type', second({ type: 99 }), /got 99, which is not supported here/],
    [
      'blocks over two rows',
      second({ dimensions: [31, 32], type: 8 }),
      /a row length that is a multiple of 32 \(Q8_0\), got 31/,
    ],
    ['a tensor twice', second({ name: 'token_embd.weight' }), /token_embd\.weight appears twice/],
    [
      'a tensor of another shape',
      second({ dimensions: [256, 31] }),
      /q_proj\.weight: expected \[256, 256\], got \[31, 256\]/,
    ],
    [
      'a tensor left over',
      second({ name: 'blk.0.attn_z.weight' }),
      /q_proj\.weight: expected \[256, 256\], got nothing/,
    ],
    [
      'a tensor too many',
      () => sampleGguf({ tensors: (all) => [...all, { ...(all.at(-1) as TestTensor), name: 'x' }] }),
      /x: this parameter does not exist in a network of this shape/,
    ],
    [
      'another family',
      with_({ 'general.architecture': 'phi3' }),
      /general\.architecture: expected llama, qwen2, qwen3, gemma3, got "phi3"; .*choose one of these: Llama/,
    ],
    ['no family', with_({ 'general.architecture': undefined }), /general\.architecture: expected a text, got nothing/],
    [
      'no layers',
      with_({ 'llama.block_count': undefined }),
      /llama\.block_count: expected a whole number, got nothing/,
    ],
    [
      'heads for each layer',
      with_({ 'llama.attention.head_count': [4, 4] }),
      /head_count: expected a whole number, got \[4, 4\]/,
    ],
    ['no heads', with_({ 'llama.attention.head_count': 0 }), /expected sizes from 1|divisor of 0 heads/],
    ['experts', with_({ 'llama.expert_count': 8 }), /llama\.expert_count: expected no experts, got 8/],
    [
      'values of another size',
      with_({ 'llama.attention.value_length': 16 }),
      /value_length: expected the size of a head, 64, got 16/,
    ],
    [
      'other angles',
      with_({ 'llama.rope.scaling.type': 'yarn' }),
      /scaling\.type: expected none or linear, got "yarn"/,
    ],
    [
      'more than a tab holds',
      with_({ 'llama.block_count': 250, 'llama.feed_forward_length': 999_936 }),
      /at most 600 million parameters/,
    ],
    [
      'another model’s tokens',
      with_({ 'tokenizer.ggml.tokens': ['a', 'b'], 'tokenizer.ggml.token_type': [1, 1] }),
      /expected a token for each of the \d+ rows of token_embd\.weight, got 2; the tokenizer belongs to another model/,
    ],
    ['no tokens', with_({ 'tokenizer.ggml.tokens': undefined }), /tokens: expected a list of texts, got nothing/],
    [
      'a template without its end',
      with_({ 'tokenizer.chat_template': '{% for m in messages %}' }),
      /tokenizer\.chat_template: expected a Jinja template/,
    ],
    ['a part of its files', with_({ 'split.count': 3 }), /one of its 3 files; join the files/],
    [
      'a number that is none',
      second({ bytes: float32(new Float32Array(256 * 256).fill(NaN)) }),
      /q_proj\.weight: expected finite numbers/,
    ],
    ['an alignment of 0', with_({ 'general.alignment': 0 }), /general\.alignment: expected a whole number of bytes/],
  ])('with %s is refused by name within 1.5 seconds', async (_, made, words) => {
    const bytes = made();
    const began = performance.now();
    const refused = read(bytes);
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.toThrow(FormatError);
    expect(performance.now() - began).toBeLessThan(1500);
  });

  it('is read or refused by name, whatever its bytes are', async () => {
    const whole = sampleGguf();
    const head = whole.length - sampleCount * 256 * 4;
    const changes = fc.oneof(
      fc.array(fc.record({ at: fc.nat({ max: head }), value: fc.nat({ max: 255 }) }), { minLength: 1, maxLength: 4 }),
      fc.nat({ max: whole.length }),
      fc.uint8Array({ maxLength: 400 }),
    );
    await fc.assert(
      fc.asyncProperty(changes, async (change) => {
        const bytes = whole.slice();
        const made = () => {
          if (typeof change === 'number') return bytes.subarray(0, change);
          if (change instanceof Uint8Array) {
            bytes.set(change.subarray(0, 380), 8);
            return bytes;
          }
          for (const { at, value } of change) bytes[at] = value;
          return bytes;
        };
        await read(made()).then(
          ({ matrices }) => expect(matrices.length).toBeGreaterThan(0),
          (error: unknown) => expect(error).toBeInstanceOf(FormatError),
        );
      }),
      { numRuns: 200 },
    );
  });
});
