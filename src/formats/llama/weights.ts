// Reads weights from files. The names and shapes of all arrays are checked before any array is read. Then the arrays
// are read one after the other.
import { FormatError } from '../../base/errors.ts';
import { shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { areFinite, type StoredFormat } from '../../base/storedNumbers.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { StoredMatrix } from '../../records/stored/storedMatrix.ts';
import { rangeOf, type GivenFile } from '../givenFile.ts';
import { ordered } from '../weightsZip.ts';

/** The name and shape of an array, and the position of its bytes in a file. */
export interface PlacedMatrix {
  /** The array's name in Hugging Face's files. */
  name: string;
  shape: readonly number[];
  format: StoredFormat;
  file: GivenFile;
  from: number;
  to: number;
}

/**
 * Arrays in the order of `parameterNames(shape)`. Throws FormatError if an array is missing, is not a parameter, or has
 * the wrong shape.
 */
export function placedInOrder<T extends PlacedMatrix>(placed: readonly T[], shape: ModelShape): T[] {
  try {
    return ordered(placed, shape);
  } catch (error) {
    throw told(spoken`the weights`, error);
  }
}

/** Reads arrays, one at a time. Throws FormatError if a number is not finite. */
export async function readMatrices(placed: readonly PlacedMatrix[]): Promise<StoredMatrix[]> {
  const matrices: StoredMatrix[] = [];
  for (const { name, shape, format, file, from, to } of placed) {
    const bytes = await rangeOf(file, from, to);
    if (!areFinite(format, bytes))
      throw new FormatError(
        spoken`${shortened(name)}: expected finite numbers, but some are not finite; the file is damaged.`,
      );
    matrices.push({ name, shape, format, bytes });
  }
  return matrices;
}

/** Runs a function and adds the name of the file to its errors. */
export async function toldOf<T>(file: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw told(file, error);
  }
}

const told = (file: string, error: unknown) =>
  error instanceof FormatError ? new FormatError(`${shortened(file)}: ${error.message}`) : error;
