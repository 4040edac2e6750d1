// Makes the tables for RoPE: cosines and sines for every position, in Hugging Face's half-split layout. The angle of
// position p in dimension i of d is p times the frequency of i mod d/2 (config/ropeFrequencies.ts).
import { ShapeError } from '../../base/errors.ts';
import { ropeFrequencies } from '../../config/ropeFrequencies.ts';
import type { ModelShape } from '../../config/sizes.ts';

export interface RotaryTables {
  /** [positions · headSize] each. */
  cos: Float32Array;
  sin: Float32Array;
  headSize: number;
}

/** The shape whose rotary tables layers with local attention use; undefined if a network has no such layers. */
export const localTables = ({ headSize, local }: ModelShape): Pick<ModelShape, 'headSize' | 'ropeTheta'> | undefined =>
  local && { headSize, ropeTheta: local.ropeTheta };

/** The tables for the positions 0 … `count` − 1. */
export function rotaryTables(
  count: number,
  shape: Pick<ModelShape, 'headSize' | 'ropeTheta' | 'ropeScaling'>,
): RotaryTables {
  const { headSize } = shape;
  const frequencies = ropeFrequencies(shape);
  const cos = new Float32Array(count * headSize);
  const sin = new Float32Array(count * headSize);
  const half = headSize / 2;
  for (let i = 0; i < half; i++) {
    const frequency = frequencies[i] as number;
    for (let p = 0; p < count; p++) {
      const at = p * headSize + i;
      const angle = p * frequency;
      cos[at] = cos[at + half] = Math.cos(angle);
      sin[at] = sin[at + half] = Math.sin(angle);
    }
  }
  return { cos, sin, headSize };
}

/**
 * The rows of the tables for the given positions, in the same order: [positions.length · headSize] each.
 * Throws ShapeError for a position outside the tables.
 */
export function tablesAt(tables: RotaryTables, positions: Int32Array): { cos: Float32Array; sin: Float32Array } {
  const { headSize } = tables;
  const cos = new Float32Array(positions.length * headSize);
  const sin = new Float32Array(positions.length * headSize);
  positions.forEach((position, i) => {
    const from = position * headSize;
    if (from < 0 || from >= tables.cos.length) {
      throw new ShapeError(
        `positions: expected 0 to ${tables.cos.length / headSize - 1}, got ${position}; shorten the context or raise maxPositions.`,
      );
    }
    cos.set(tables.cos.subarray(from, from + headSize), i * headSize);
    sin.set(tables.sin.subarray(from, from + headSize), i * headSize);
  });
  return { cos, sin };
}
