// An imported model: its facts as plain data, and the form in which a run may start from it.
import type { ModelShape } from '../../config/sizes.ts';
import type { ForeignModel } from './foreignModel.ts';
import type { StoredMatrix } from './storedMatrix.ts';

/** A model that settings may name. */
export interface HeldModel {
  /**
   * `model-` and a hash of everything that determines its outputs: the same model has the same name under any file
   * names.
   */
  name: string;
  /** Name of its file or folder, or of the run whose agent it was. */
  label: string;
}

export interface ModelCard extends HeldModel {
  shape: ModelShape;
  /** Positions stated in its files, if the shape has fewer: a text is never longer than the attention window. */
  promisedPositions?: number;
  parameters: number;
  /** Its architecture, in the terms of its files. */
  family: string;
  /** As stated in its files; absent if they state none. */
  licence?: string;
  /** Types of the numbers in its files. */
  types: readonly string[];
  /** Number of tokens of its tokenizer. */
  tokens: number;
  /** Whether it has its own vocabulary: agents then use it with adapters only. */
  isForeign: boolean;
  /** Texts of the tokens that end its messages. */
  endings: readonly string[];
  hasTemplate: boolean;
  /** Its arrays, each with its mean and standard deviation. */
  tensors: readonly TensorCard[];
}

export interface TensorCard {
  name: string;
  shape: readonly number[];
  mean: number;
  std: number;
}

/** A model that a run may start from. */
export interface GivenModel {
  /** The model's name in error messages. */
  label: string;
  shape: ModelShape;
  /** The tokenizer.json. */
  tokenizer: object;
  /** Every parameter of the shape, in the format of its file. */
  matrices: readonly StoredMatrix[];
  /** Facts that agents need to use a model with a vocabulary of its own; absent for our vocabulary. */
  foreign?: ForeignModel;
}

/** Export forms of an agent on a model too large for checkpoints: its adapter, or the merged model. */
export const modelForms = ['adapter', 'merged', 'ggufF16', 'ggufQ8'] as const;
export type ModelForm = (typeof modelForms)[number];

/** A chat message, with OpenAI's roles. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

/** Its sizes in a line: `0.4 million parameters, 2 layers, width 64, 4 heads of 16 (2 of keys and values)`. */
export function sizeWords({ parameters, shape }: ModelCard): string {
  const { numLayers, hiddenSize, numHeads, headSize, numKvHeads } = shape;
  const count = parameters < 1e6 ? `${parameters.toLocaleString('en-GB')}` : `${(parameters / 1e6).toFixed(1)} million`;
  const shared = numKvHeads < numHeads ? `, ${numKvHeads} of keys and values` : '';
  return `${count} parameters, ${numLayers} layers, width ${hiddenSize}, ${numHeads} heads of ${headSize}${shared}`;
}
