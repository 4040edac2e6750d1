// The memory that a network needs while it computes, derived from its shape: bytes per token of a decoding session, and
// of a pass over whole rows. All code that must determine in advance how much fits into memory uses these functions.
// Each number is a little above the one measured with the CPU kernels (rows of 27 to 71 tokens, three sizes).
import type { ModelShape } from '../../config/sizes.ts';

const floatBytes = 4;

/** Bytes that a session keeps for each row: keys and values of a whole context. */
export function cacheBytes({ numLayers, numKvHeads, headSize, maxPositions }: ModelShape): number {
  return floatBytes * 2 * numLayers * numKvHeads * headSize * maxPositions;
}

/**
 * Maximum number of logits in memory when a large vocabulary is processed in parts. They take 32 MiB; a product of this
 * size is as fast as an undivided one.
 */
export const mostLogits = 2 ** 23;
/** For vocabularies up to this size, a usual microbatch has fewer logits than the limit above. */
const smallVocabulary = 1024;

/** The memory of a pass: `fixed` bytes, plus `each` bytes for each token. */
export interface PassBytes {
  fixed: number;
  each: number;
}

/**
 * A pass without gradients, which needs memory for one block at a time, and then for the vocabulary. `isFrozen`: the
 * weights have no gradient, so a large vocabulary is processed in parts (headLogprobs.ts).
 */
export function passBytes(shape: ModelShape, length: number, isFrozen: boolean): PassBytes {
  const { fixed, each } = vocabularyBytes(shape, 4.4, isFrozen);
  return { fixed, each: hearingBytes(shape, length) + each };
}

/**
 * Bytes for each token of a context that is only read. A next token is predicted only after the last token of such a
 * context.
 */
export function hearingBytes(shape: ModelShape, length: number): number {
  return floatBytes * 1.1 * (blockFloats(shape) + 2 * shape.hiddenSize + shape.numHeads * length);
}

/** Bytes of the logits of one row that samples a token, and of the values computed from them for the draw. */
export const speakingBytes = ({ vocabSize }: ModelShape): number => floatBytes * 4.4 * vocabSize;

/**
 * A pass with its gradient: the tensors that all blocks save, and those of one block at a time in the backward pass.
 */
export function learningBytes(shape: ModelShape, length: number, isFrozen: boolean): PassBytes {
  const { numLayers, numHeads, hiddenSize } = shape;
  const { fixed, each } = vocabularyBytes(shape, 3, isFrozen);
  const saved = 1.1 * (blockFloats(shape) - 2 * hiddenSize) + numHeads * length;
  return { fixed, each: floatBytes * (numLayers * saved + blockFloats(shape)) + each };
}

/**
 * Bytes per token of a training pass that belong to attention, which is computed for all positions of the rows even if
 * equal prefixes are computed once.
 */
export function attentionBytes({ numLayers, numHeads, numKvHeads, headSize }: ModelShape, length: number): number {
  return floatBytes * numLayers * (2 * (numHeads + numKvHeads) * headSize + numHeads * length);
}

function vocabularyBytes({ vocabSize }: ModelShape, copies: number, isFrozen: boolean): PassBytes {
  return isFrozen && vocabSize > smallVocabulary
    ? { fixed: floatBytes * copies * mostLogits, each: 0 }
    : { fixed: 0, each: floatBytes * copies * vocabSize };
}

/** Numbers that a block computes for a token. */
function blockFloats({ hiddenSize, intermediateSize, numHeads, numKvHeads, headSize }: ModelShape): number {
  return (2 * numHeads + 2 * numKvHeads) * headSize + 6 * hiddenSize + 3 * intermediateSize;
}
