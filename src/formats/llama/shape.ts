// Limits on the shape of an imported network. The limits are the same for all kinds of files.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { parameterCount, type ModelShape } from '../../config/sizes.ts';

/**
 * The maximum number of parameters. In float32, this number of parameters takes 2.4 GB of memory. The CPU engine may
 * use at most 4 GB.
 */
export const mostParameters = 600e6;
/**
 * The maximum number of tokens of a vocabulary, which is the size of the largest vocabulary of a published model. There
 * is a limit because each token takes memory.
 */
export const mostTokens = 2 ** 18;
const most = { layers: 256, size: 1e6 };

/** Names for error messages: the name of the file, and the names that the file uses for two numbers. */
interface Names {
  file: string;
  headSize: string;
  numKvHeads: string;
}

/** Throws FormatError if a shape is invalid or too large. */
export function refuseShape(shape: ModelShape, { file, headSize: headName, numKvHeads: keysName }: Names): void {
  const { headSize, numHeads, numKvHeads, numLayers, vocabSize } = shape;
  if (!Number.isInteger(headSize) || headSize % 2 === 1 || headSize < 2)
    throw new FormatError(spoken`${file}: ${headName}: expected an even whole number, got ${headSize}.`);
  if (!(numHeads % numKvHeads === 0))
    throw new FormatError(
      spoken`${file}: ${keysName}: expected a divisor of the ${numHeads} heads, got ${numKvHeads}.`,
    );
  const sizes = [
    numLayers,
    vocabSize,
    shape.hiddenSize,
    shape.intermediateSize,
    numHeads,
    headSize,
    shape.maxPositions,
  ];
  if (sizes.some((size) => size < 1 || size > most.size) || numLayers > most.layers || vocabSize > mostTokens)
    throw new FormatError(
      spoken`${file}: expected sizes from 1 to ${most.size}, at most ${most.layers} layers and ${mostTokens} tokens, got ${sizes.join(', ')}.`,
    );
  const parameters = parameterCount(shape);
  if (parameters > mostParameters)
    throw new FormatError(
      spoken`${file}: expected at most ${mostParameters / 1e6} million parameters, got ${Math.ceil(parameters / 1e6)}: as float32 they do not fit into the memory of a tab; use a smaller model.`,
    );
}
