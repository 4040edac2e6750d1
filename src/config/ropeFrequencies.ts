// The angular frequency of rotary position embeddings for each pair of dimensions of a head, theta^(−2i/d) (RoFormer,
// 2104.09864), and its scaled variants for long contexts, as in transformers' modeling_rope_utils.py.
import type { ModelShape, RopeScaling } from './sizes.ts';

/** Radians per position for each pair, [headSize / 2]. */
export function ropeFrequencies({
  headSize,
  ropeTheta,
  ropeScaling,
}: Pick<ModelShape, 'headSize' | 'ropeTheta' | 'ropeScaling'>): number[] {
  const plain = Array.from({ length: headSize / 2 }, (_, i) => ropeTheta ** ((-2 * i) / headSize));
  return ropeScaling ? plain.map((frequency) => scaledFrequency(frequency, ropeScaling)) : plain;
}

/** A frequency after scaling, in radians per position. */
export function scaledFrequency(frequency: number, scaling: RopeScaling): number {
  if (scaling.kind === 'linear') return frequency / scaling.factor;
  const { factor, lowFrequencyFactor: low, highFrequencyFactor: high, originalPositions } = scaling;
  /** Number of full rotations within the context length for which the model was first trained. */
  const turns = (originalPositions * frequency) / (2 * Math.PI);
  if (turns < low) return frequency / factor;
  if (turns > high) return frequency;
  const smooth = (turns - low) / (high - low);
  return ((1 - smooth) * frequency) / factor + smooth * frequency;
}
