// An imported model. Files of all kinds are converted to this type. The model is a Llama, or belongs to a family that
// differs from Llama only in a few facts.
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
  /**
   * The maximum number of positions that the files state. The shape has fewer positions if attention is limited to a
   * window.
   */
  promisedPositions: number;
  /**
   * The weights in the number format of the model's files, in the order of `parameterNames(shape)`. Gains are whole, even
   * if the files leave a number out of each gain.
   */
  matrices: StoredMatrix[];
  /** The content of tokenizer.json, unchanged. */
  tokenizer: object;
  /**
   * The texts of special tokens in the model's tokenizer_config.json, by their keys in that file, such as `bos_token`.
   */
  special: Readonly<Record<string, string>>;
  /** The chat template in Jinja; null if there is none. */
  chatTemplate: string | null;
  /** Tokens that end the model's messages. */
  endIds: number[];
  /** The number types in the model's files, such as `BF16`. */
  types: string[];
  /** The name of the model's architecture in its files. */
  family: string;
  /** The licence that the model's files state; absent if they state none. */
  licence?: string;
}

/** The model's weights as float32; each array is converted when it is requested, and is not stored. */
export function* weightsIn({ matrices }: Pick<LlamaModel, 'matrices'>): Generator<NamedArray> {
  for (const matrix of matrices) yield asNamedArray(matrix);
}

/**
 * Converts the model to the form from which a run can start. `files` are the files from which the model was read.
 * Throws ConfigError if the model has a vocabulary of its own, but no token that could end a turn.
 */
export function givenOf(model: LlamaModel, label: string, files?: ForeignModel['files']): GivenModel {
  const { shape, tokenizer, matrices } = model;
  const foreign = asForeign({ ...model, label });
  return { label, shape, tokenizer, matrices, ...(foreign && { foreign: { ...foreign, ...(files && { files }) } }) };
}

/**
 * A hash of everything that determines a model's outputs, as 16 hexadecimal digits. The same model has the same hash in
 * files of different kinds. Quantised blocks are hashed as they are stored, because no other kind of file contains the
 * same numbers; all other weights are hashed as float32.
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
  // The chat template matters only if the agents use the model's own vocabulary.
  const template = isForeign(tokenizer) ? (model.chatTemplate ?? model.foreign?.chat?.template) : undefined;
  if (template) digest.add(encoder.encode(template));
  for (const part of parts) digest.add(part);
  return digest.hex().slice(0, 16);
}
