// What a model that was brought is, in plain data: what the page and `cothink info` tell of it.
import { parameterCount, type ModelShape } from '../../config/sizes.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { digestOf, type LlamaModel } from './llamaModel.ts';

export interface ModelCard {
  /** `model-` and a hash of all that decides what it says: the same model has the same name, whatever its files are called. */
  name: string;
  /** What its file or folder is called. */
  label: string;
  shape: ModelShape;
  parameters: number;
  /** Types of the numbers in its files. */
  types: readonly string[];
  /** Tokens of its tokenizer. */
  tokens: number;
  /** Texts of the tokens that end what it says. */
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

export function cardOf(model: LlamaModel, label: string): ModelCard {
  const { shape, types, chatTemplate, endIds } = model;
  const tokenizer = tokenizerOf(model.tokenizer);
  return {
    ...{ name: `model-${digestOf(model)}`, label, shape, parameters: parameterCount(shape), types },
    tokens: tokenizer.vocabSize,
    endings: endIds.filter((id) => id <= tokenizer.largestId).map((id) => tokenizer.token(id)),
    hasTemplate: chatTemplate !== null,
    tensors: model.weights.map(({ name, shape: dimensions, values }) => ({
      name,
      shape: dimensions,
      ...spreadOf(values),
    })),
  };
}

/** Mean and standard deviation of an array; zeros of an empty one. */
function spreadOf(values: Float32Array): Pick<TensorCard, 'mean' | 'std'> {
  let [sum, squares] = [0, 0];
  for (const value of values) [sum, squares] = [sum + value, squares + value * value];
  const mean = sum / Math.max(1, values.length);
  return { mean, std: Math.sqrt(Math.max(0, squares / Math.max(1, values.length) - mean * mean)) };
}

/** Its sizes in a line: `0.4 million parameters, 2 layers, width 64, 4 heads of 16 (2 of keys and values)`. */
export function sizeWords({ parameters, shape }: ModelCard): string {
  const { numLayers, hiddenSize, numHeads, headSize, numKvHeads } = shape;
  const count = parameters < 1e6 ? `${parameters.toLocaleString('en-GB')}` : `${(parameters / 1e6).toFixed(1)} million`;
  const shared = numKvHeads < numHeads ? `, ${numKvHeads} of keys and values` : '';
  return `${count} parameters, ${numLayers} layers, width ${hiddenSize}, ${numHeads} heads of ${headSize}${shared}`;
}
