// One agent's weights as a GGUF file (version 3, float32) for llama.cpp and related programs. The file consists of
// metadata, a list of tensors, and the bytes of each tensor, which are aligned. The rows of query and key matrices are
// stored in llama.cpp's order, in which RoPE rotates neighbouring rows together. In Hugging Face's order, RoPE rotates
// the first half of a head's rows with the second half.
import * as v from 'valibot';
import { ownFamily } from '../../config/families/registry.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { readTokenizerNotes } from '../huggingFace.ts';
import { aligned, defaultAlignment, GgufBytes, interleaved, type MetadataValue } from './bytes.ts';
import { ggufName } from './names.ts';

export interface GgufSource {
  shape: ModelShape;
  /** All parameters in the order of `parameterNames(shape)`. */
  weights: readonly NamedArray[];
  /** The text of the tokenizer.json that was used in training. */
  tokenizerJson: string;
  /** The model's name. */
  name: string;
  /** The chat template of the role, in Jinja. */
  chatTemplate: string;
}

const alignment = defaultAlignment;
const float32 = 0;
/** Token types, with llama.cpp's numbers. */
const tokenTypes = { normal: 1, control: 3, userDefined: 4 } as const;

/** The bytes of the file. Throws FormatError if the tokenizer lacks a required token. */
export function ggufFile(source: GgufSource): Uint8Array<ArrayBuffer> {
  const tensors = source.weights.map((tensor) => renamed(tensor, source.shape));
  const head = new GgufBytes();
  const metadata = metadataOf(source);
  head.text('GGUF').uint32(3).uint64(tensors.length).uint64(metadata.length);
  for (const [key, value] of metadata) head.string(key).value(value);
  let offset = 0;
  for (const { name, shape, values } of tensors) {
    head.string(name).uint32(shape.length);
    // GGUF lists the dimension whose numbers are next to each other in memory first.
    for (const size of [...shape].reverse()) head.uint64(size);
    head.uint32(float32).uint64(offset);
    offset += aligned(values.length * 4);
  }
  const start = aligned(head.length);
  const file = new Uint8Array(start + offset);
  file.set(head.bytes());
  let at = start;
  for (const { values } of tensors) {
    file.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    at += aligned(values.byteLength);
  }
  return file;
}

/** Converts a tensor: the name is changed to that of llama.cpp, and the rows are put into llama.cpp's order. */
function renamed({ name, shape, values }: NamedArray, { numHeads, numKvHeads }: ModelShape) {
  const heads = name.includes('.q_proj.') ? numHeads : name.includes('.k_proj.') ? numKvHeads : 0;
  const array = Float32Array.from(values);
  return { name: ggufName(name), shape, values: heads ? interleaved(array, shape, heads) : array };
}

const vocabulary = v.object({
  model: v.object({
    type: v.string(),
    vocab: v.record(v.string(), v.number()),
    merges: v.optional(v.array(v.unknown()), []),
  }),
});

function metadataOf({ shape, tokenizerJson, name, chatTemplate }: GgufSource): [string, MetadataValue][] {
  const { pad, bos, eos, added } = readTokenizerNotes(tokenizerJson);
  const { model } = v.parse(vocabulary, JSON.parse(tokenizerJson));
  const special = new Set(added.map(({ id }) => id));
  const tokens = Array.from({ length: shape.vocabSize }, () => '');
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  for (const { id, content } of added) tokens[id] = content;
  const isBytes = model.type === 'BPE';
  const typeOf = (id: number) => {
    if (special.has(id)) return tokenTypes.control;
    // llama.cpp finds user-defined tokens in the text, the longest first, before it converts the text to bytes.
    return isBytes ? tokenTypes.normal : tokenTypes.userDefined;
  };
  // llama.cpp does not accept a `gpt2` vocabulary without merges. Our vocabularies of whole words have no merges, so
  // the file contains one merge of two tokens that are never next to each other.
  const merges = isBytes ? model.merges.map(mergeText) : [`${tokens[pad]} ${tokens[eos[0] as number]}`];
  const uint32 = (value: number): MetadataValue => ({ kind: 'uint32', value });
  const real = (value: number): MetadataValue => ({ kind: 'float32', value });
  const string = (value: string): MetadataValue => ({ kind: 'string', value });
  const flag = (value: boolean): MetadataValue => ({ kind: 'bool', value: value ? 1 : 0 });
  const architecture = ownFamily.name;
  const key = (rest: string) => `${architecture}.${rest}`;
  return [
    ['general.architecture', string(architecture)],
    ['general.name', string(name)],
    ['general.alignment', uint32(alignment)],
    ['general.file_type', uint32(0)],
    [key('vocab_size'), uint32(shape.vocabSize)],
    [key('context_length'), uint32(shape.maxPositions)],
    [key('embedding_length'), uint32(shape.hiddenSize)],
    [key('block_count'), uint32(shape.numLayers)],
    [key('feed_forward_length'), uint32(shape.intermediateSize)],
    [key('attention.head_count'), uint32(shape.numHeads)],
    [key('attention.head_count_kv'), uint32(shape.numKvHeads)],
    [key('attention.key_length'), uint32(shape.headSize)],
    [key('attention.value_length'), uint32(shape.headSize)],
    [key('attention.layer_norm_rms_epsilon'), real(shape.normEps)],
    [key('rope.dimension_count'), uint32(shape.headSize)],
    [key('rope.freq_base'), real(shape.ropeTheta)],
    // The tokenizer model is called `gpt2`, because `llama` would need a token for each byte. If the token of a byte is
    // missing, llama.cpp aborts.
    ['tokenizer.ggml.model', string('gpt2')],
    ['tokenizer.ggml.pre', string('default')],
    ['tokenizer.ggml.tokens', { kind: 'array', of: 'string', values: tokens }],
    ['tokenizer.ggml.token_type', { kind: 'array', of: 'int32', values: tokens.map((_, id) => typeOf(id)) }],
    ['tokenizer.ggml.merges', { kind: 'array', of: 'string', values: merges }],
    ...(bos === null ? [] : [['tokenizer.ggml.bos_token_id', uint32(bos)] as [string, MetadataValue]]),
    ['tokenizer.ggml.eos_token_id', uint32(eos[0] as number)],
    ['tokenizer.ggml.padding_token_id', uint32(pad)],
    ['tokenizer.ggml.add_bos_token', flag(false)],
    ['tokenizer.ggml.add_eos_token', flag(false)],
    ['tokenizer.ggml.add_space_prefix', flag(false)],
    ['tokenizer.chat_template', string(chatTemplate)],
  ];
}

/** A merge in a tokenizer.json is either a pair of tokens, or a string of both tokens with a space between them. */
const mergeText = (merge: unknown) => (Array.isArray(merge) ? merge.join(' ') : String(merge));
