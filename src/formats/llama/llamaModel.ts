// A foreign model from files of any kind: a Llama, or a model of a family that differs from it in a few facts.
import { Sha256 } from '../../base/sha256.ts';
import { storedLayouts } from '../../base/storedNumbers.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import type { ForeignModel } from '../../records/stored/foreignModel.ts';
import type { GivenModel } from '../../records/stored/modelCard.ts';
import { asNamedArray, dequantised, type StoredMatrix } from '../../records/stored/storedMatrix.ts';
import { asForeign, isForeign, ownNames, type GivenTokens } from '../../text/foreignVocabulary.ts';

export interface LlamaModel {
  shape: ModelShape;
  /** Number of positions according to its files; more than those of the shape if attention has a window. */
  promisedPositions: number;
  /** As stored in its files, in the order of `parameterNames(shape)`. */
  matrices: StoredMatrix[];
  /** The tokenizer.json, unchanged. */
  tokenizer: object;
  /** Texts of the special tokens that its tokenizer_config.json names, by their keys there: `bos_token`. */
  special: Readonly<Record<string, string>>;
  /** Jinja; null if it has none. */
  chatTemplate: string | null;
  /** Tokens that end its messages. */
  endIds: number[];
  /** Types of the numbers in its files: `BF16`. */
  types: string[];
  /** Its architecture, in the terms of its files. */
  family: string;
  /** As stated in its files; absent if they state none. */
  licence?: string;
}

/** Its weights as float32; each array is converted when it is requested, and not kept. */
export function* weightsIn({ matrices }: Pick<LlamaModel, 'matrices'>): Generator<NamedArray> {
  for (const matrix of matrices) yield asNamedArray(matrix);
}

/**
 * The model in the form in which a run may start from it; `files` are those it was read from. Throws ConfigError if it
 * has its own vocabulary in which no turn could end.
 */
export function givenOf(model: LlamaModel, label: string, files?: ForeignModel['files']): GivenModel {
  const { shape, tokenizer, matrices } = model;
  const foreign = asForeign({ ...model, label });
  return { label, shape, tokenizer, matrices, ...(foreign && { foreign: { ...foreign, ...(files && { files }) } }) };
}

/**
 * A hash of everything that determines a model's outputs: the same for any files it was read from, except that blocks
 * of numbers are hashed as stored, since no other files hold the same ones. 16 hexadecimal digits.
 */
export const digestOf = (model: Omit<GivenModel, 'label'> & GivenTokens): string => hashOf(model, partsOf(model));

function* partsOf({ matrices }: Pick<GivenModel, 'matrices'>): Generator<Uint8Array> {
  for (const matrix of matrices) {
    const isBlocks = storedLayouts[matrix.format].count > 1;
    if (isBlocks) yield new TextEncoder().encode(matrix.format);
    yield isBlocks ? matrix.bytes : bytesOf(dequantised(matrix));
  }
}

const bytesOf = (values: Float32Array) => new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

function hashOf(model: Pick<GivenModel, 'shape' | 'foreign'> & GivenTokens, parts: Iterable<Uint8Array>): string {
  const { shape, tokenizer } = model;
  const digest = new Sha256();
  const encoder = new TextEncoder();
  digest.add(encoder.encode(JSON.stringify([Object.entries(shape).sort(), tokenizer])));
  if (isForeign(tokenizer)) digest.add(encoder.encode(JSON.stringify(ownNames(model))));
  // The model with a vocabulary through which agents talk.
  const template = isForeign(tokenizer) ? (model.chatTemplate ?? model.foreign?.chat?.template) : undefined;
  if (template) digest.add(encoder.encode(template));
  for (const part of parts) digest.add(part);
  return digest.hex().slice(0, 16);
}
