// The types of an imported model: the facts that the page shows, and the form from which a run can start.
import type { ModelShape } from '../../config/sizes.ts';
import type { ForeignModel } from './foreignModel.ts';
import type { StoredMatrix } from './storedMatrix.ts';

/** The facts that identify a model to which settings refer. */
export interface HeldModel {
  /**
   * `model-` followed by a hash of everything that determines the model's outputs. The same model therefore always has
   * the same name, no matter what its files are called.
   */
  name: string;
  /** The name of the model's file or folder, or, if the model was an agent of a run, the name of this run. */
  label: string;
}

export interface ModelCard extends HeldModel {
  shape: ModelShape;
  /**
   * The number of positions that the files state. Present if this number is larger than the number of positions of the
   * shape, which is limited to the attention window.
   */
  promisedPositions?: number;
  parameters: number;
  /** The name of the model's architecture in its files. */
  family: string;
  /** The licence that the model's files state; absent if they state none. */
  licence?: string;
  /** The number types in the model's files. */
  types: readonly string[];
  /** The number of tokens of the model's tokenizer. */
  tokens: number;
  /** Whether the model has a vocabulary of its own. If this is true, agents can use the model only with adapters. */
  isForeign: boolean;
  /** The texts of the tokens that end the model's messages. */
  endings: readonly string[];
  hasTemplate: boolean;
  /** The model's arrays, each with its mean and standard deviation. */
  tensors: readonly TensorCard[];
}

export interface TensorCard {
  name: string;
  shape: readonly number[];
  mean: number;
  std: number;
}

/** A model from which a run can start. */
export interface GivenModel {
  /** The name of the model in error messages. */
  label: string;
  shape: ModelShape;
  /** The content of the tokenizer.json. */
  tokenizer: object;
  /** All parameters of the shape, in the format of the file. */
  matrices: readonly StoredMatrix[];
  /** The facts that agents need in order to use the model's own vocabulary; absent if the model has our vocabulary. */
  foreign?: ForeignModel;
}

/**
 * The ways to export an agent whose model is too large for checkpoints: only its adapter, or the whole model with the
 * adapter merged in.
 */
export const modelForms = ['adapter', 'merged', 'ggufF16', 'ggufQ8'] as const;
export type ModelForm = (typeof modelForms)[number];

/** A chat message, with the roles of OpenAI's API. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/**
 * Describes the size of a model in one line, such as `0.4 million parameters, 2 layers, width 64, 4 heads of 16 (2 of
 * keys and values)`.
 */
export function sizeWords({ parameters, shape }: ModelCard): string {
  const { numLayers, hiddenSize, numHeads, headSize, numKvHeads } = shape;
  const count = parameters < 1e6 ? `${parameters.toLocaleString('en-GB')}` : `${(parameters / 1e6).toFixed(1)} million`;
  const shared = numKvHeads < numHeads ? `, ${numKvHeads} of keys and values` : '';
  return `${count} parameters, ${numLayers} layers, width ${hiddenSize}, ${numHeads} heads of ${headSize}${shared}`;
}
