// Rotary tables: cos and sin of every position, in Hugging Face's half-split layout.
// Angle of position p in dimension i of d: p · theta^(−2·(i mod d/2)/d)  (RoFormer, 2104.09864).

export interface RotaryTables {
  /** [positions · headSize] each. */
  cos: Float32Array;
  sin: Float32Array;
  headSize: number;
}

/** Tables for positions 0 … count − 1. */
export function rotaryTables(count: number, headSize: number, theta: number): RotaryTables {
  const cos = new Float32Array(count * headSize);
  const sin = new Float32Array(count * headSize);
  const half = headSize / 2;
  for (let p = 0; p < count; p++) {
    for (let i = 0; i < headSize; i++) {
      const angle = p * theta ** ((-2 * (i % half)) / headSize);
      cos[p * headSize + i] = Math.cos(angle);
      sin[p * headSize + i] = Math.sin(angle);
    }
  }
  return { cos, sin, headSize };
}

/** Rows of the tables at the given positions, in their order: [positions.length · headSize] each. */
export function tablesAt(tables: RotaryTables, positions: Int32Array): { cos: Float32Array; sin: Float32Array } {
  const { headSize } = tables;
  const cos = new Float32Array(positions.length * headSize);
  const sin = new Float32Array(positions.length * headSize);
  positions.forEach((position, i) => {
    const from = position * headSize;
    cos.set(tables.cos.subarray(from, from + headSize), i * headSize);
    sin.set(tables.sin.subarray(from, from + headSize), i * headSize);
  });
  return { cos, sin };
}
