// An array of a model's weights in the format of its file. Numbers are converted only when they are needed, so a model
// takes no more memory than its file.
import { numbersOf, type StoredFormat } from '../../base/storedNumbers.ts';
import type { NamedArray } from './namedArray.ts';

export interface StoredMatrix {
  /** The array's name in Hugging Face's files. */
  name: string;
  /**
   * The sizes; for a matrix they are [out, in]. Blocks of numbers extend along the last dimension, and no block spans
   * two rows.
   */
  shape: readonly number[];
  format: StoredFormat;
  /** The numbers row by row, little-endian. */
  bytes: Uint8Array;
}

/** The array's numbers as float32. The result may share memory with the matrix, so it must only be read. */
export const dequantised = ({ format, bytes }: StoredMatrix): Float32Array => numbersOf(format, bytes);

/** Wraps a float32 array as a stored matrix, which shares its memory. */
export const asStoredMatrix = ({ name, shape, values }: NamedArray): StoredMatrix => ({
  ...{ name, shape, format: 'F32' },
  bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
});

/** The stored matrix as a named float32 array. */
export const asNamedArray = (matrix: StoredMatrix): NamedArray => ({
  ...{ name: matrix.name, shape: [...matrix.shape] },
  values: dequantised(matrix),
});
