// The memory that a network needs while it computes, derived from its shape: bytes per token of a decoding session, and
// of a pass over whole rows. Code that decides how many rows fit into memory uses these functions. Each result is
// slightly above the amount that was measured with the CPU kernels (rows of 27 to 71 tokens, networks of three sizes).
import type { ModelShape } from '../../config/sizes.ts';

const floatBytes = 4;

/** The bytes that a decoding session needs for each row: the keys and values of a whole context. */
export function cacheBytes({ numLayers, numKvHeads, headSize, maxPositions }: ModelShape): number {
  return floatBytes * 2 * numLayers * numKvHeads * headSize * maxPositions;
}

/**
 * The maximum number of logits in memory if the logits of a large vocabulary are computed in parts. This number of
 * logits takes 32 MiB. Computing parts of this size is as fast as computing all logits together.
 */
export const mostLogits = 2 ** 23;
/** Vocabularies up to this size are small enough that a usual microbatch has fewer logits than `mostLogits`. */
const smallVocabulary = 1024;

/** The memory of a pass: `fixed` bytes, plus `each` bytes for each token. */
export interface PassBytes {
  fixed: number;
  each: number;
}

/**
 * The memory of a pass without gradients: the tensors of one block at a time, and the logits. If `isFrozen` is true,
 * the weights have no gradient, so the logits of a large vocabulary are computed in parts (headLogprobs.ts).
 */
export function passBytes(shape: ModelShape, length: number, isFrozen: boolean): PassBytes {
  const { fixed, each } = vocabularyBytes(shape, 4.4, isFrozen);
  return { fixed, each: hearingBytes(shape, length) + each };
}

/** The number of bytes for each token of a context if logits are computed only after the last token. */
export function hearingBytes(shape: ModelShape, length: number): number {
  return floatBytes * 1.1 * (blockFloats(shape) + 2 * shape.hiddenSize + shape.numHeads * length);
}

/** The bytes that sampling a token needs for each row: its logits, and the numbers that are computed from them. */
export const speakingBytes = ({ vocabSize }: ModelShape): number => floatBytes * 4.4 * vocabSize;

/**
 * The memory of a pass with gradients: the tensors that all blocks keep for the backward pass, and the tensors that the
 * backward pass needs for one block at a time.
 */
export function learningBytes(shape: ModelShape, length: number, isFrozen: boolean): PassBytes {
  const { numLayers, numHeads, hiddenSize } = shape;
  const { fixed, each } = vocabularyBytes(shape, 3, isFrozen);
  const saved = 1.1 * (blockFloats(shape) - 2 * hiddenSize) + numHeads * length;
  return { fixed, each: floatBytes * (numLayers * saved + blockFloats(shape)) + each };
}

/**
 * The part of the bytes per token that attention needs in a training pass. Attention is computed for all positions,
 * even if everything else is computed only once for equal prefixes.
 */
export function attentionBytes({ numLayers, numHeads, numKvHeads, headSize }: ModelShape, length: number): number {
  return floatBytes * numLayers * (2 * (numHeads + numKvHeads) * headSize + numHeads * length);
}

function vocabularyBytes({ vocabSize }: ModelShape, copies: number, isFrozen: boolean): PassBytes {
  return isFrozen && vocabSize > smallVocabulary
    ? { fixed: floatBytes * copies * mostLogits, each: 0 }
    : { fixed: 0, each: floatBytes * copies * vocabSize };
}

/** The number of float32 numbers that a block computes for each token. */
function blockFloats(shape: ModelShape): number {
  const { hiddenSize, intermediateSize, numHeads, numKvHeads, headSize, outputNorms } = shape;
  // A norm of an output keeps its input and its result.
  const streams = 6 + (outputNorms ? 4 : 0);
  return (2 * numHeads + 2 * numKvHeads) * headSize + streams * hiddenSize + 3 * intermediateSize;
}
