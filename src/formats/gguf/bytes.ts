// Functions to write the parts of GGUF files: aligned data, metadata values, and rows in llama.cpp's order.
import { joinedBytes } from '../../base/joined.ts';

/**
 * The alignment of tensors. Each tensor begins at a multiple of this number, unless the file states another alignment.
 */
export const defaultAlignment = 32;
export const aligned = (length: number, alignment = defaultAlignment) => Math.ceil(length / alignment) * alignment;

/** The ids of the metadata types. */
const kinds = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const;
export type MetadataValue =
  | { kind: 'uint32' | 'int32' | 'float32' | 'bool'; value: number }
  | { kind: 'string'; value: string }
  | { kind: 'array'; of: 'int32' | 'float32' | 'string'; values: readonly (number | string)[] };

/**
 * Reorders the rows of each head, so that each row of the first half is next to its partner in the second half: 0, D/2,
 * 1, D/2 + 1 …
 */
export function interleaved(values: Float32Array, [rows = 0]: readonly number[], heads: number): Float32Array {
  const [size, columns] = [rows / heads, values.length / rows];
  const mixed = new Float32Array(values.length);
  for (let row = 0; row < rows; row++) {
    const [head, within] = [Math.floor(row / size), row % size];
    const from = head * size + (within % 2) * (size / 2) + Math.floor(within / 2);
    mixed.set(values.subarray(from * columns, (from + 1) * columns), row * columns);
  }
  return mixed;
}

const encoder = new TextEncoder();

/** A growing byte buffer, little-endian. */
export class GgufBytes {
  #parts: Uint8Array[] = [];
  length = 0;

  text(text: string): this {
    return this.raw(encoder.encode(text));
  }

  uint32(value: number): this {
    return this.#number(4, (view) => view.setUint32(0, value, true));
  }

  uint64(value: number): this {
    return this.#number(8, (view) => view.setBigUint64(0, BigInt(value), true));
  }

  string(text: string): this {
    const bytes = encoder.encode(text);
    return this.uint64(bytes.length).raw(bytes);
  }

  /**
   * Writes the type of a metadata value, then the value. For an array, the type and the number of its elements come
   * before the elements.
   */
  value(value: MetadataValue): this {
    this.uint32(kinds[value.kind]);
    if (value.kind !== 'array') return this.#plain(value.kind, value.value);
    this.uint32(kinds[value.of]).uint64(value.values.length);
    for (const one of value.values) this.#plain(value.of, one);
    return this;
  }

  bytes(): Uint8Array {
    return joinedBytes(this.#parts);
  }

  #plain(kind: Exclude<MetadataValue['kind'], 'array'>, value: number | string): this {
    if (typeof value === 'string') return this.string(value);
    if (kind === 'bool') return this.#number(1, (view) => view.setUint8(0, value));
    if (kind === 'float32') return this.#number(4, (view) => view.setFloat32(0, value, true));
    return this.#number(4, (view) => view.setInt32(0, value, true));
  }

  #number(size: number, write: (view: DataView) => void): this {
    const bytes = new Uint8Array(size);
    write(new DataView(bytes.buffer));
    return this.raw(bytes);
  }

  raw(bytes: Uint8Array): this {
    this.#parts.push(bytes);
    this.length += bytes.length;
    return this;
  }
}
