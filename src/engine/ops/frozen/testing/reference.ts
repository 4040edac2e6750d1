// Frozen matrices of random bytes, and their products in float64. The reference decodes each weight individually.
import * as tf from '@tensorflow/tfjs-core';
import { Draws } from '../../../../base/random.ts';
import { fill, get, type Numbers, sum } from '../../testing/numbers.ts';
import { type FrozenFormat, type FrozenMatrix, frozenRowBytes } from '../frozenMatrix.ts';

/** A matrix of random weights, most of which are below one. */
export function randomFrozen(format: FrozenFormat, rows: number, columns: number, seed: number): FrozenMatrix {
  const draws = new Draws(seed, 0, 0);
  const rowBytes = frozenRowBytes({ format, columns });
  const bytes = new Uint8Array(Math.ceil((rows * rowBytes) / 4) * 4).map(() => draws.below(256));
  // Changes the upper byte of a binary16 number so that its absolute value is between 2⁻⁷ and 2⁻³; the sign stays.
  // Other scales are tested separately.
  const soften = (at: number) => (bytes[at] = (get(bytes, at) & 0x8f) | 0x20);
  const blocks = (rows * columns) / 32;
  const each = rowBytes / (columns / 32);
  for (let block = 0; block < blocks; block++) {
    if (format === 'f16') for (let i = 1; i < each; i += 2) soften(block * each + i);
    else soften(block * each + 1);
    if (format === 'q4_1') soften(block * each + 3);
  }
  return { words: tf.tensor1d(new Int32Array(bytes.buffer), 'int32'), format, rows, columns };
}

/** All weights [rows · columns]. */
export function frozenReference(
  words: ArrayLike<number>,
  { format, rows, columns }: Omit<FrozenMatrix, 'words'>,
): Numbers {
  const byte = (at: number) => (get(words, at >> 2) >> (8 * (at & 3))) & 255;
  const half = (at: number) => {
    const [low, high] = [byte(at), byte(at + 1)];
    const [exponent, mantissa] = [(high >> 2) & 31, ((high & 3) << 8) | low];
    const size = exponent === 0 ? (mantissa / 1024) * 2 ** -14 : (1 + mantissa / 1024) * 2 ** (exponent - 15);
    return high < 128 ? size : -size;
  };
  const blockBytes = (32 * frozenRowBytes({ format, columns })) / columns;
  return fill(rows * columns, (at) => {
    const [block, i] = [Math.floor(at / 32) * blockBytes, at % 32];
    const nibble = (first: number) => (i < 16 ? byte(block + first + i) & 15 : byte(block + first + i - 16) >> 4);
    switch (format) {
      case 'f16':
        return half(block + 2 * i);
      case 'q8_0':
        return (half(block) * (byte(block + 2 + i) << 24)) / 2 ** 24;
      case 'q4_0':
        return half(block) * (nibble(2) - 8);
      case 'q4_1':
        return half(block) * nibble(4) + half(block + 2);
    }
  });
}

/** dx[n, c] = Σᵣ dy[n, r]·w[r, c]. */
export function backReference(dy: Numbers, w: Numbers, rows: number, columns: number): Numbers {
  return fill((dy.length / rows) * columns, (at) => {
    const [n, c] = [Math.floor(at / columns), at % columns];
    return sum(rows, (r) => get(dy, n * rows + r) * get(w, r * columns + c));
  });
}
