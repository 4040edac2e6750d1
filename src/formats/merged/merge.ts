// Merges adapters into a frozen model: W + (α/r)·B·A. Arrays are merged one at a time, so only the frozen weights are
// completely in memory, in the format of their file.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { canSay, writtenAs, type WrittenFormat } from '../../base/writtenNumbers.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { ProjectionAdapter } from '../../records/parameters.ts';
import { dequantised, type StoredMatrix } from '../../records/stored/storedMatrix.ts';

/** A frozen model, and the adapters that are merged into it. */
export interface Merging {
  shape: ModelShape;
  /** All parameters of the frozen model, as stored in its file. */
  matrices: readonly StoredMatrix[];
  pairs: readonly ProjectionAdapter[];
  /** α; the product B·A is multiplied by α/r. */
  alpha: number;
}

/**
 * The values of the array with this name, with its adapter merged in, as a new float32 array. Throws FormatError if
 * there is no such array.
 */
export function mergedArray({ matrices, pairs, alpha }: Pick<Merging, 'matrices' | 'pairs' | 'alpha'>, name: string) {
  const matrix = matrices.find((one) => one.name === name);
  if (!matrix) throw new FormatError(spoken`${name}: the frozen model has no such array.`);
  const values = dequantised(matrix).slice();
  const pair = pairs.find((one) => `${one.name}.weight` === name);
  return pair ? added(values, pair, alpha) : values;
}

/** Adds an adapter to an array, row by row. */
function added(values: Float32Array, { a, b }: ProjectionAdapter, alpha: number): Float32Array {
  const [rank = 0, columns = 0] = a.shape;
  const [rows = 0] = b.shape;
  const row = new Float64Array(columns);
  for (let r = 0; r < rows; r++) {
    row.fill(0);
    for (let k = 0; k < rank; k++) {
      const share = (alpha / rank) * (b.values[r * rank + k] as number);
      for (let c = 0; c < columns; c++) row[c] = (row[c] as number) + share * (a.values[k * columns + c] as number);
    }
    for (let c = 0; c < columns; c++)
      values[r * columns + c] = (values[r * columns + c] as number) + (row[c] as number);
  }
  return values;
}

/**
 * The bytes of an array in this format. Throws FormatError if the format cannot represent all numbers of the array; the
 * message contains the name of the array.
 */
export function bytesAs(format: WrittenFormat, name: string, values: Float32Array): Uint8Array<ArrayBuffer> {
  if (canSay(format, values)) return writtenAs(format, values);
  throw new FormatError(
    spoken`${name}: expected finite numbers up to 65,504, the maximum of ${format}, but some are larger or not finite; use F32, or go back to a checkpoint.`,
  );
}
