// The memory layout of parameters in the engine. Projections that read the same input are stacked in one matrix, so
// that one product computes all of these projections. Checkpoints and exports contain only the separate matrices, with
// Hugging Face's names. Packing concatenates these arrays, and unpacking splits them again, so the order of the numbers
// does not change.
import { FormatError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import type { ModelShape } from '../../config/sizes.ts';
import type { NamedArray } from '../../records/stored/checkpoint.ts';
import { parameterNames, type ParameterName } from '../../records/parameters.ts';

export interface PackedParameter extends ParameterName {
  /**
   * The Hugging Face parameters whose rows this parameter contains, from top to bottom. If the parameter is not packed,
   * the list contains only its own name.
   */
  parts: ParameterName[];
}

/** For each packed matrix: its first part, the number of its parts, and its name. */
const packs: [first: RegExp, count: number, name: string][] = [
  [/self_attn\.q_proj/, 3, 'self_attn.qkv_proj'],
  [/mlp\.gate_proj/, 2, 'mlp.gate_up_proj'],
];

/**
 * The names, shapes and parts of all parameters of the engine, in the order in which Hugging Face lists their first
 * parts.
 */
export function packedParameters(shape: ModelShape): PackedParameter[] {
  const names = parameterNames(shape);
  const packed: PackedParameter[] = [];
  for (let i = 0; i < names.length;) {
    const first = names[i] as ParameterName;
    const [pattern, count, name] = packs.find(([opens]) => opens.test(first.name)) ?? [/.*/, 1, first.name];
    const parts = names.slice(i, i + count);
    const rows = parts.reduce((sum, part) => sum + (part.shape[0] as number), 0);
    packed.push({
      name: count === 1 ? name : first.name.replace(pattern, name),
      shape: [rows, ...first.shape.slice(1)],
      parts,
    });
    i += count;
  }
  return packed;
}

/**
 * Packs arrays, which have Hugging Face's names and may be in any order. Throws FormatError if names or shapes do not
 * fit.
 */
export function packArrays(arrays: readonly NamedArray[], shape: ModelShape): NamedArray[] {
  const byName = new Map(arrays.map((array) => [array.name, array]));
  return packedParameters(shape).map((packed) => packOne(packed, byName));
}

function packOne({ name, shape, parts }: PackedParameter, byName: ReadonlyMap<string, NamedArray>): NamedArray {
  const values = new Float32Array(sizeOf(shape));
  let at = 0;
  for (const part of parts) {
    const array = byName.get(part.name);
    if (!array || array.shape.join() !== part.shape.join() || array.values.length !== sizeOf(part.shape)) {
      const came = array ? `[${array.shape.join(', ')}] with ${array.values.length} numbers` : 'nothing';
      throw new FormatError(
        spoken`weights: ${part.name} must have the shape [${part.shape.join(', ')}], got ${came}; choose the size that the weights were made for.`,
      );
    }
    values.set(array.values, at);
    at += array.values.length;
  }
  return { name, shape, values };
}

/**
 * The inverse of `packArrays`. The packed arrays must be in the order of `packedParameters`, and the returned arrays
 * are in Hugging Face's order.
 */
export function unpackArrays(packed: readonly Float32Array[], shape: ModelShape): NamedArray[] {
  return packedParameters(shape).flatMap(({ parts }, i) => {
    let at = 0;
    return parts.map((part) => {
      const from = at;
      at += sizeOf(part.shape);
      return { name: part.name, shape: part.shape, values: (packed[i] as Float32Array).slice(from, at) };
    });
  });
}

function sizeOf(shape: readonly number[]): number {
  return shape.reduce((a, b) => a * b, 1);
}
