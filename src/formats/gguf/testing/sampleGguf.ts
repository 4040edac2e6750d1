// A tiny model as llama.cpp's converter writes it. Tests can change the parts of the model.
import { storedLayouts, type StoredFormat } from '../../../base/storedNumbers.ts';
import { Draws, streams } from '../../../base/random.ts';
import type { ModelShape } from '../../../config/sizes.ts';
import { parameterNames } from '../../../records/parameters.ts';
import { sampleTokenizer } from '../../llama/testing/sample.ts';
import type { GgufValue } from '../header.ts';
import { ggufName } from '../names.ts';
import { ggufOf, type TestTensor } from './ggufOf.ts';

const typeNumbers: Record<StoredFormat, number> = {
  ...{ F32: 0, F16: 1, Q4_0: 2, Q4_1: 3, Q5_0: 6, Q8_0: 8, Q4_K: 12, Q6_K: 14, BF16: 30 },
};

/** A shape for the sample. The length of the rows is 256, a multiple of all block sizes. */
export const ggufShapeOf = (more: Partial<ModelShape> = {}): ModelShape => ({
  ...{ vocabSize: 0, hiddenSize: 256, intermediateSize: 256, numLayers: 1, numHeads: 4, numKvHeads: 2, headSize: 64 },
  ...{ ropeTheta: 10_000, normEps: 1e-5, isTied: true, maxPositions: 64 },
  ...more,
});

interface Json {
  added_tokens: { id: number }[];
  model: { vocab: Record<string, number>; merges: [string, string][] };
}

const tokenizer = sampleTokenizer(280) as Json;
/** Number of tokens of the sample. */
export const sampleCount = Object.keys(tokenizer.model.vocab).length;

/** The metadata of a model of this family, with the sample's tokens. */
export function sampleMetadata(family: string, shape: ModelShape): Record<string, GgufValue> {
  const { added_tokens: added, model } = tokenizer;
  const tokens = Object.keys(model.vocab).sort((a, b) => (model.vocab[a] as number) - (model.vocab[b] as number));
  const special = new Set(added.map(({ id }) => id));
  return {
    'general.architecture': family,
    [`${family}.block_count`]: shape.numLayers,
    [`${family}.context_length`]: shape.maxPositions,
    [`${family}.embedding_length`]: shape.hiddenSize,
    [`${family}.feed_forward_length`]: shape.intermediateSize,
    [`${family}.attention.head_count`]: shape.numHeads,
    [`${family}.attention.head_count_kv`]: shape.numKvHeads,
    [`${family}.attention.key_length`]: shape.headSize,
    [`${family}.attention.layer_norm_rms_epsilon`]: shape.normEps,
    [`${family}.rope.freq_base`]: shape.ropeTheta + 0.5,
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'default',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': tokens.map((_, id) => (special.has(id) ? 3 : 1)),
    'tokenizer.ggml.merges': model.merges.map((merge) => (Array.isArray(merge) ? merge.join(' ') : merge)),
    'tokenizer.ggml.bos_token_id': 0,
    'tokenizer.ggml.eos_token_id': 1,
    'tokenizer.chat_template': '{{ messages[0].content }}',
  };
}

/** Random blocks. Their scales are finite. */
export function randomBlocks(format: StoredFormat, numbers: number, draws: Draws): Uint8Array {
  const { count, bytes: size, halves } = storedLayouts[format];
  const bytes = Uint8Array.from({ length: (numbers / count) * size }, () => draws.below(256));
  const scales = format === 'F32' ? [2] : format === 'BF16' ? [0] : halves;
  // Sets the first bits of the exponent, so that the scale (or the number, in F32 and BF16) is finite and small. The
  // sign does not change.
  for (const at of scales)
    for (let block = at; block < bytes.length; block += size)
      bytes[block + 1] = ((bytes[block + 1] as number) & 0x83) | 0x30;
  return bytes;
}

export interface SampleGgufWish {
  family?: string;
  shape?: ModelShape;
  /** The format of the matrices; all other arrays are F32. */
  format?: StoredFormat;
  /** The arrays by their Hugging Face names, with rows in Hugging Face's order. */
  arrays?: Map<string, Uint8Array>;
  metadata?: Record<string, GgufValue | undefined>;
  tensors?: (tensors: TestTensor[]) => TestTensor[];
}

/** The bytes of each array, with rows in Hugging Face's order. */
export function sampleArrays(shape: ModelShape, format: StoredFormat): Map<string, Uint8Array> {
  const key = JSON.stringify([shape, format]);
  const found = made.get(key) ?? newArrays(shape, format);
  made.set(key, found);
  return found;
}

const made = new Map<string, Map<string, Uint8Array>>();

function newArrays(shape: ModelShape, format: StoredFormat): Map<string, Uint8Array> {
  const draws = new Draws(5, streams.weights, 0);
  return new Map(
    parameterNames({ ...shape, vocabSize: sampleCount }).map(({ name, shape: dimensions }) => [
      name,
      randomBlocks(
        dimensions.length === 1 ? 'F32' : format,
        dimensions.reduce((a, b) => a * b, 1),
        draws,
      ),
    ]),
  );
}

export function sampleGguf(wish: SampleGgufWish = {}): Uint8Array {
  const { family = 'llama', shape = ggufShapeOf(), format = 'F32' } = wish;
  const arrays = wish.arrays ?? sampleArrays(shape, format);
  const tensors = parameterNames({ ...shape, vocabSize: sampleCount }).map(
    ({ name, shape: dimensions }): TestTensor => {
      const bytes = arrays.get(name) as Uint8Array;
      const heads = /\.q_proj\./.test(name) ? shape.numHeads : /\.k_proj\./.test(name) ? shape.numKvHeads : 0;
      return {
        name: ggufName(name, shape),
        dimensions: [...dimensions].reverse(),
        type: typeNumbers[dimensions.length === 1 ? 'F32' : format],
        bytes: heads && family === 'llama' ? neighbours(bytes, dimensions[0] as number, heads) : bytes,
      };
    },
  );
  const metadata = { ...sampleMetadata(family, shape), ...wish.metadata };
  const given = Object.fromEntries(Object.entries(metadata).filter(([, value]) => value !== undefined)) as Record<
    string,
    GgufValue
  >;
  return ggufOf(given, wish.tensors?.(tensors) ?? tensors);
}

/** As in convert_hf_to_gguf.py: `w.reshape(heads, 2, rows / heads / 2, columns).swapaxes(1, 2)`. */
function neighbours(bytes: Uint8Array, rows: number, heads: number): Uint8Array {
  const [width, half] = [bytes.length / rows, rows / heads / 2];
  const mixed = new Uint8Array(bytes.length);
  for (let head = 0; head < heads; head++)
    for (let side = 0; side < 2; side++)
      for (let i = 0; i < half; i++) {
        const from = (head * 2 + side) * half + i;
        mixed.set(bytes.subarray(from * width, (from + 1) * width), ((head * half + i) * 2 + side) * width);
      }
  return mixed;
}
