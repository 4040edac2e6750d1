// The gains of norms in safetensors files. Files of some families leave a number out of each gain (`gainOffset` of the
// family). Everywhere else, gains are whole. A network of such a family has no other vectors than gains.
import { writtenAs } from '../base/writtenNumbers.ts';
import type { FamilyFacts } from '../config/families/facts.ts';
import { familyOf } from '../config/families/registry.ts';
import type { ModelShape } from '../config/sizes.ts';
import type { NamedArray } from '../records/stored/checkpoint.ts';
import { dequantised, type StoredMatrix } from '../records/stored/storedMatrix.ts';

/** The matrices of a file of this family, with whole gains as float32. */
export function withWholeGains(matrices: StoredMatrix[], { gainOffset }: FamilyFacts): StoredMatrix[] {
  if (gainOffset === undefined) return matrices;
  return matrices.map((matrix) => {
    const { name, shape } = matrix;
    if (shape.length > 1) return matrix;
    const values = dequantised(matrix).map((value) => value + gainOffset);
    return { name, shape, format: 'F32', bytes: writtenAs('F32', values) };
  });
}

/** Arrays as a safetensors file of their family contains them. */
export const withFileGains = (arrays: readonly NamedArray[], shape: ModelShape): NamedArray[] =>
  arrays.map((array) => ({ ...array, values: fileValues(array, shape) }));

/** The values of one array as a safetensors file contains them. */
export function fileValues(
  { shape: dimensions, values }: Pick<NamedArray, 'shape' | 'values'>,
  shape: ModelShape,
): Float32Array {
  const { gainOffset } = familyOf(shape);
  return gainOffset === undefined || dimensions.length > 1 ? values : values.map((value) => value - gainOffset);
}
