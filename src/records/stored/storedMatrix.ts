// An array of a model's weights in the number format of the model's file. Numbers are converted only when they are
// needed, so a model takes no more memory than its file.
import { numbersOf, type StoredFormat } from '../../base/storedNumbers.ts';
import type { NamedArray } from './namedArray.ts';

export interface StoredMatrix {
  /** The array's name in Hugging Face's files. */
  name: string;
  /**
   * The shape of the array; for a matrix, it is [out, in]. In formats with blocks, each block contains neighbouring
   * numbers of a single row.
   */
  shape: readonly number[];
  format: StoredFormat;
  /** The numbers, row by row, in little-endian byte order. */
  bytes: Uint8Array;
}

/** The array's numbers as float32. The result may share memory with the matrix, so it must not be changed. */
export const dequantised = ({ format, bytes }: StoredMatrix): Float32Array => numbersOf(format, bytes);

/** Makes a stored matrix of a float32 array. Both share the same memory. */
export const asStoredMatrix = ({ name, shape, values }: NamedArray): StoredMatrix => ({
  ...{ name, shape, format: 'F32' },
  bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
});

/** Converts a stored matrix to a named float32 array. */
export const asNamedArray = (matrix: StoredMatrix): NamedArray => ({
  ...{ name: matrix.name, shape: [...matrix.shape] },
  values: dequantised(matrix),
});
