// An imported model: its facts as plain data, and the form from which a run can start.
import type { ModelShape } from '../../config/sizes.ts';
import type { ForeignModel } from './foreignModel.ts';
import type { StoredMatrix } from './storedMatrix.ts';

/** A model to which settings can refer. */
export interface HeldModel {
  /**
   * `model-` followed by a hash of everything that determines the model's outputs, so the same model always has the
   * same name, even if its files have other names.
   */
  name: string;
  /** Name of its file or folder, or of the run whose agent it was. */
  label: string;
}

export interface ModelCard extends HeldModel {
  shape: ModelShape;
  /**
   * The positions that the files state, if they are more than those of the shape, because a text is never longer than
   * the attention window.
   */
  promisedPositions?: number;
  parameters: number;
  /** The name of the model's architecture in its files. */
  family: string;
  /** The licence that the model's files state; absent if they state none. */
  licence?: string;
  /** Types of the numbers in its files. */
  types: readonly string[];
  /** Number of tokens of its tokenizer. */
  tokens: number;
  /** Whether the model has its own vocabulary; agents then use it only with adapters. */
  isForeign: boolean;
  /** Texts of the tokens that end its messages. */
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
  /** Every parameter of the shape, in the format of its file. */
  matrices: readonly StoredMatrix[];
  /** The facts that agents need to use a model with its own vocabulary; absent for our vocabulary. */
  foreign?: ForeignModel;
}

/**
 * The forms in which an agent can be exported if its model is too large for checkpoints: only its adapter, or the
 * merged model.
 */
export const modelForms = ['adapter', 'merged', 'ggufF16', 'ggufQ8'] as const;
export type ModelForm = (typeof modelForms)[number];

/** A chat message, with OpenAI's roles. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/**
 * The sizes of a model in one line: `0.4 million parameters, 2 layers, width 64, 4 heads of 16 (2 of keys and values)`.
 */
export function sizeWords({ parameters, shape }: ModelCard): string {
  const { numLayers, hiddenSize, numHeads, headSize, numKvHeads } = shape;
  const count = parameters < 1e6 ? `${parameters.toLocaleString('en-GB')}` : `${(parameters / 1e6).toFixed(1)} million`;
  const shared = numKvHeads < numHeads ? `, ${numKvHeads} of keys and values` : '';
  return `${count} parameters, ${numLayers} layers, width ${hiddenSize}, ${numHeads} heads of ${headSize}${shared}`;
}
