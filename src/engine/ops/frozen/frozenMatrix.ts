// Weights that are not trained, kept as GGUF stores them: rows of numbers in blocks of 32, each block with a 16-bit
// scale (and for Q4_1 a 16-bit minimum). In the 4-bit formats, each byte holds two numbers: the low four bits of the 16
// bytes of a block hold its first 16 numbers, and the high four bits hold its last 16. The bytes of all rows follow one
// another, padded to whole words. base/storedNumbers.ts describes the layout of each kind of block.
import type * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { numbersOf, storedSize } from '../../../base/storedNumbers.ts';

export const frozenFormats = ['f16', 'q8_0', 'q4_0', 'q4_1'] as const;
export type FrozenFormat = (typeof frozenFormats)[number];

export interface FrozenMatrix {
  /** int32: the stored bytes, four in each word, with the first byte in the lowest bits. */
  words: tf.Tensor1D;
  format: FrozenFormat;
  rows: number;
  /** A multiple of 32. */
  columns: number;
}

/** Numbers of a block. */
const blockSize = 32;
const stored = { f16: 'F16', q8_0: 'Q8_0', q4_0: 'Q4_0', q4_1: 'Q4_1' } as const;

/** Bytes of one row. */
export function frozenRowBytes({ format, columns }: Pick<FrozenMatrix, 'format' | 'columns'>): number {
  return storedSize(stored[format], columns);
}

/** Throws ShapeError if the size of `words` does not match the rows and columns. */
export function expectFrozen(op: string, w: FrozenMatrix): void {
  const { words, format, rows, columns } = w;
  if (columns % blockSize !== 0)
    throw new ShapeError(
      `${op}: the number of columns of ${format} must be a multiple of ${String(blockSize)}, got ${String(columns)}; keep this matrix as float32.`,
    );
  const expected = Math.ceil((rows * frozenRowBytes(w)) / 4);
  if (words.dtype !== 'int32' || words.size !== expected)
    throw new ShapeError(
      `${op}: a matrix [${String(rows)}, ${String(columns)}] in ${format} needs words of type int32 [${String(expected)}], got ${words.dtype} [${words.shape.join(', ')}]; was the file cut off?`,
    );
}

/** All numbers of a matrix, [rows · columns], computed from its words. */
export function dequantized(words: Int32Array, w: Omit<FrozenMatrix, 'words'>): Float32Array {
  const bytes = new Uint8Array(words.buffer, words.byteOffset, w.rows * frozenRowBytes(w));
  return numbersOf(stored[w.format], bytes);
}
