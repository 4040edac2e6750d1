// An array of a model's weights in the format of its file: nothing is converted before it is needed, so that a model
// takes no more memory than its file.
import { numbersOf, type StoredFormat } from '../../base/storedNumbers.ts';
import type { NamedArray } from './namedArray.ts';

export interface StoredMatrix {
  /** Hugging Face's name. */
  name: string;
  /** [out, in] of a matrix. Blocks of numbers lie along the last dimension; no block spans two rows. */
  shape: readonly number[];
  format: StoredFormat;
  /** The numbers row by row, little-endian. */
  bytes: Uint8Array;
}

/** Its numbers as float32. They may share the memory of the matrix itself, so they must only be read. */
export const dequantised = ({ format, bytes }: StoredMatrix): Float32Array => numbersOf(format, bytes);

/** A float32 array as a stored matrix, sharing the memory. */
export const asStoredMatrix = ({ name, shape, values }: NamedArray): StoredMatrix => ({
  ...{ name, shape, format: 'F32' },
  bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
});

/** The same as a float32 array. */
export const asNamedArray = (matrix: StoredMatrix): NamedArray => ({
  ...{ name: matrix.name, shape: [...matrix.shape] },
  values: dequantised(matrix),
});
