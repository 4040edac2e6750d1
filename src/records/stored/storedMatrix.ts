// An array of a model's weights as its file holds it: nothing is widened before it is needed, so that a model takes no
// more memory than its file.
import { numbersOf, type StoredFormat } from '../../base/storedNumbers.ts';
import type { NamedArray } from './namedArray.ts';

export interface StoredMatrix {
  /** Hugging Face's name. */
  name: string;
  /** [out, in] of a matrix. Blocks of numbers lie along the last dimension, none over two rows. */
  shape: readonly number[];
  format: StoredFormat;
  /** The numbers row by row, little end first. */
  bytes: Uint8Array;
}

/** Its numbers as float32. They may be the memory of the matrix itself, so they are only read. */
export const dequantised = ({ format, bytes }: StoredMatrix): Float32Array => numbersOf(format, bytes);

/** An array of float32 as one: the same memory. */
export const asStoredMatrix = ({ name, shape, values }: NamedArray): StoredMatrix => ({
  ...{ name, shape, format: 'F32' },
  bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
});

/** The same as an array of float32. */
export const asNamedArray = (matrix: StoredMatrix): NamedArray => ({
  ...{ name: matrix.name, shape: [...matrix.shape] },
  values: dequantised(matrix),
});
