// The available network sizes, as shapes of Llama networks. Vocabulary and context length are determined by the world.
import type { SizeName } from './names.ts';

/**
 * How the angles of rotary position embeddings are scaled, for texts longer than those on which the network was first
 * trained.
 */
export type RopeScaling =
  /** Positions are divided by the factor. */
  | { kind: 'linear'; factor: number }
  /**
   * The scaling of Llama 3: low frequencies are divided by the factor, high ones stay unchanged, and those in between
   * are interpolated.
   */
  | {
      kind: 'llama3';
      factor: number;
      /**
       * Limits given as numbers of rotations within the original context length. Frequencies below `lowFrequencyFactor`
       * rotations are divided by the factor, and those above `highFrequencyFactor` rotations stay unchanged.
       */
      lowFrequencyFactor: number;
      highFrequencyFactor: number;
      originalPositions: number;
    };

/**
 * Layers in which attention reaches only the newest positions. Layer number `period`, 2·`period` and so on (counted from
 * 1) are not local.
 */
export interface LocalAttention {
  /** The number of newest positions that a position sees in these layers, including itself. */
  window: number;
  /** The base of the rotary position embeddings in these layers, which are never scaled. */
  ropeTheta: number;
  period: number;
}

/**
 * The dimensions of a Llama network, with the names of Hugging Face's LlamaConfig, and the differences of its family
 * from Llama. A property that is absent is as in Llama.
 */
export interface ModelShape {
  vocabSize: number;
  hiddenSize: number;
  intermediateSize: number;
  numLayers: number;
  numHeads: number;
  /** Number of key and value heads, which must divide `numHeads`. */
  numKvHeads: number;
  /**
   * The size of a head. It must be even, because RoPE rotates each number in the first half of a head together with one
   * in the second half.
   */
  headSize: number;
  ropeTheta: number;
  normEps: number;
  isTied: boolean;
  maxPositions: number;
  /** True if queries, keys and values have a bias, as in Qwen 2. */
  attentionBias?: true;
  /** True if each query and key head is normalised before the rotation, with one gain for all heads, as in Qwen 3. */
  qkNorm?: true;
  /** True if the gates of feed-forward layers are activated with GELU in its form with tanh, as in Gemma. */
  gelu?: true;
  /**
   * True if the outputs of attention and of feed-forward layers are normalised before they are added to the residual
   * stream, as in Gemma 3.
   */
  outputNorms?: true;
  /** True if the embeddings are multiplied by the square root of the width, as in Gemma. */
  scaledEmbeddings?: true;
  /**
   * The scores of attention are divided by the square root of this number, as in Gemma; if absent, of the head size. The
   * factor is part of the gains of query heads, so a shape with this number also has `qkNorm`.
   */
  queryScalar?: number;
  /** If absent, attention reaches all positions in all layers. */
  local?: LocalAttention;
  ropeScaling?: RopeScaling;
}

/** The facts about the local attention of a layer; undefined if its attention reaches all positions. */
export const localAt = ({ local }: Pick<ModelShape, 'local'>, layer: number): LocalAttention | undefined =>
  local && (layer + 1) % local.period !== 0 ? local : undefined;

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

/** Number of parameters of a network, without the value head. */
export function parameterCount(shape: ModelShape): number {
  const { hiddenSize: c, headSize: d } = shape;
  const attention = 2 * c * shape.numHeads * d + 2 * c * shape.numKvHeads * d;
  const biases = shape.attentionBias ? (shape.numHeads + 2 * shape.numKvHeads) * d : 0;
  const headNorms = shape.qkNorm ? 2 * d : 0;
  const norms = (shape.outputNorms ? 4 : 2) * c;
  const layer = attention + biases + headNorms + 3 * c * shape.intermediateSize + norms;
  return shape.vocabSize * c * (shape.isTied ? 1 : 2) + shape.numLayers * layer + c;
}
