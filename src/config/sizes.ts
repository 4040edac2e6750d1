// The dial of sizes: Llama shapes. Vocabulary and context come with the world.
import type { SizeName } from './names.ts';

/** Dimensions of a Llama network, in the words of Hugging Face's LlamaConfig. */
export interface ModelShape {
  vocabSize: number;
  hiddenSize: number;
  intermediateSize: number;
  numLayers: number;
  numHeads: number;
  /** Heads of keys and values; divides `numHeads`. */
  numKvHeads: number;
  /** Even: RoPE rotates its halves against each other. */
  headSize: number;
  ropeTheta: number;
  normEps: number;
  isTied: boolean;
  maxPositions: number;
}

type Size = Omit<ModelShape, 'vocabSize' | 'maxPositions'>;
const common = { ropeTheta: 10000, normEps: 1e-5, isTied: true } as const;

export const sizes: Record<SizeName, Size> = {
  micro: { ...common, hiddenSize: 16, intermediateSize: 32, numLayers: 1, numHeads: 2, numKvHeads: 1, headSize: 8 },
  tiny: { ...common, hiddenSize: 48, intermediateSize: 128, numLayers: 2, numHeads: 4, numKvHeads: 4, headSize: 12 },
  small: { ...common, hiddenSize: 128, intermediateSize: 352, numLayers: 5, numHeads: 8, numKvHeads: 4, headSize: 16 },
  medium: {
    ...common,
    hiddenSize: 320,
    intermediateSize: 864,
    numLayers: 8,
    numHeads: 10,
    numKvHeads: 5,
    headSize: 32,
  },
};

/** Number of parameters of a network, value head left out. */
export function parameterCount(shape: ModelShape): number {
  const { hiddenSize: c, headSize: d } = shape;
  const attention = 2 * c * shape.numHeads * d + 2 * c * shape.numKvHeads * d;
  const layer = attention + 3 * c * shape.intermediateSize + 2 * c;
  return shape.vocabSize * c * (shape.isTied ? 1 : 2) + shape.numLayers * layer + c;
}
