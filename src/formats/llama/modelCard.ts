// The facts about an imported model as plain data, for the page and `cothink info`.
import { parameterCount } from '../../config/sizes.ts';
import type { ModelCard, TensorCard } from '../../records/stored/modelCard.ts';
import { isForeign } from '../../text/foreignVocabulary.ts';
import { tokenizerOf } from '../../text/tokenizer.ts';
import { digestOf, weightsIn, type LlamaModel } from './llamaModel.ts';

/** Collects the facts about a model. `label` is the name of the model's file or folder. */
export function cardOf(model: LlamaModel, label: string): ModelCard {
  const { shape, types, chatTemplate, endIds, promisedPositions, family, licence } = model;
  const tokenizer = tokenizerOf(model.tokenizer);
  return {
    ...{ name: `model-${digestOf(model)}`, label, shape, parameters: parameterCount(shape), types, family },
    ...(licence !== undefined && { licence }),
    ...(promisedPositions > shape.maxPositions && { promisedPositions }),
    tokens: tokenizer.vocabSize,
    isForeign: isForeign(model.tokenizer),
    endings: endIds.filter((id) => id <= tokenizer.largestId).map((id) => tokenizer.token(id)),
    hasTemplate: chatTemplate !== null,
    tensors: Array.from(weightsIn(model), ({ name, shape: dimensions, values }) => ({
      name,
      shape: dimensions,
      ...spreadOf(values),
    })),
  };
}

/** The mean and the standard deviation of an array; both are 0 for an empty array. */
function spreadOf(values: Float32Array): Pick<TensorCard, 'mean' | 'std'> {
  let [sum, squares] = [0, 0];
  // A loop over indices is fast enough for arrays of a hundred million numbers.
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    sum += value;
    squares += value * value;
  }
  const mean = sum / Math.max(1, values.length);
  return { mean, std: Math.sqrt(Math.max(0, squares / Math.max(1, values.length) - mean * mean)) };
}
