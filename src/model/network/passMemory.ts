// Memory of a network at work, from its shape: what a decoding session keeps of a token, and what a pass over whole
// rows holds. One rule for all who must know how much fits before they begin; each is a little above what was measured
// on the CPU kernels (rows of 27 to 71 tokens, three sizes).
import type { ModelShape } from '../../config/sizes.ts';

const floatBytes = 4;

/** Bytes that a session keeps of each row: keys and values of a whole context. */
export function cacheBytes({ numLayers, numKvHeads, headSize, maxPositions }: ModelShape): number {
  return floatBytes * 2 * numLayers * numKvHeads * headSize * maxPositions;
}

/** Bytes for each token of a pass that nothing is learned from: one block at a time, then the vocabulary. */
export function passBytes(shape: ModelShape, length: number): number {
  return floatBytes * 1.1 * (blockFloats(shape) + 2 * shape.hiddenSize + shape.numHeads * length + 4 * shape.vocabSize);
}

/** Bytes for each token of a pass with its gradient: all blocks, on the way there and on the way back. */
export function learningBytes(shape: ModelShape, length: number): number {
  const { numLayers, numHeads, vocabSize } = shape;
  return floatBytes * (2.3 * numLayers * blockFloats(shape) + numLayers * numHeads * length + 6 * vocabSize);
}

/** Numbers that a block computes for a token. */
function blockFloats({ hiddenSize, intermediateSize, numHeads, numKvHeads, headSize }: ModelShape): number {
  return (2 * numHeads + 2 * numKvHeads) * headSize + 6 * hiddenSize + 3 * intermediateSize;
}
