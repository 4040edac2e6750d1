// Reads and writes safetensors files. Such a file consists of a length in eight bytes, a JSON header that is padded
// with spaces, and the arrays without gaps. The code follows the format description of huggingface/safetensors.
// Deviation: only float32 and float16 are written. When a file is read, float16 and bfloat16 are converted to float32;
// every other type is refused with an error that contains its name, because no other type is used here.
import { FormatError } from '../base/errors.ts';
import { quoted, shortened } from '../base/quote.ts';
import { spoken } from '../base/spoken.ts';
import { numbersOf, storedSize, type StoredFormat } from '../base/storedNumbers.ts';
import type { NamedArray } from '../records/stored/checkpoint.ts';
import { rangeOf, type GivenFile } from './givenFile.ts';

/** The size in bytes of the largest header that other programs accept. */
const headerLimit = 100_000_000;

const numberTypes = ['F32', 'F16', 'BF16'] as const satisfies readonly StoredFormat[];
type NumberTypeName = (typeof numberTypes)[number];

interface Entry {
  dtype: NumberTypeName;
  shape: number[];
  data_offsets: [number, number];
}

export interface Safetensors {
  tensors: NamedArray[];
  metadata: Record<string, string>;
  /** The number types in the file, without duplicates, such as `F32` and `BF16`. */
  types: string[];
}

const sizeOf = (shape: readonly number[]) => shape.reduce((product, n) => product * n, 1);

/**
 * A safetensors file of float32 arrays, in the order in which they are passed. Throws FormatError for duplicate names
 * or wrong sizes.
 */
export function writeSafetensors(
  tensors: readonly NamedArray[],
  metadata: Record<string, string> = { format: 'pt' },
): Uint8Array {
  for (const { name, shape, values } of tensors)
    if (sizeOf(shape) !== values.length)
      throw new FormatError(
        spoken`${name}: expected ${sizeOf(shape)} numbers for [${shape.join(', ')}], got ${values.length}.`,
      );
  const head = headOf(tensors, 'F32', metadata);
  const bytes = new Uint8Array(tensors.reduce((length, { values }) => length + values.length * 4, head.length));
  const view = new DataView(bytes.buffer);
  bytes.set(head);
  let at = head.length;
  for (const { values } of tensors) {
    for (let i = 0; i < values.length; i++, at += 4) view.setFloat32(at, values[i] as number, true);
  }
  return bytes;
}

/**
 * The first bytes of a safetensors file: its length and its header. The arrays must follow in this order without gaps,
 * all with the number type `dtype`. Throws FormatError for duplicate names.
 */
export function headOf(
  arrays: readonly { name: string; shape: readonly number[] }[],
  dtype: 'F32' | 'F16',
  metadata: Record<string, string>,
): Uint8Array<ArrayBuffer> {
  const header: [string, Entry | Record<string, string>][] = [['__metadata__', metadata]];
  const seen = new Set(['__metadata__']);
  let offset = 0;
  for (const { name, shape } of arrays) {
    if (seen.has(name)) throw new FormatError(spoken`${name}: two arrays have this name; rename one of them.`);
    seen.add(name);
    const end = offset + storedSize(dtype, sizeOf(shape));
    header.push([name, { dtype, shape: [...shape], data_offsets: [offset, end] }]);
    offset = end;
  }
  const json = new TextEncoder().encode(
    `{${header.map(([k, v]) => `${JSON.stringify(k)}:${JSON.stringify(v)}`).join()}}`,
  );
  const length = Math.ceil(json.length / 8) * 8;
  const bytes = new Uint8Array(8 + length).fill(0x20);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  bytes.set(json, 8);
  return bytes;
}

/**
 * The arrays of a safetensors file, in the order of their bytes. The arrays are copies. Throws FormatError if the file
 * is invalid.
 */
export function readSafetensors(bytes: Uint8Array): Safetensors {
  const start = startIn(bytes, bytes.length);
  const { arrays, metadata } = tableIn(bytes.subarray(8, start), bytes.length);
  const tensors = arrays.map(({ name, format, shape, from, to }): NamedArray => {
    return { name, shape: [...shape], values: numbersOf(format, bytes.slice(from, to)) };
  });
  return { tensors, metadata, types: [...new Set(arrays.map(({ format }) => format))] };
}

/** An array of a file that has not been read yet. */
export interface PlacedArray {
  name: string;
  shape: readonly number[];
  format: NumberTypeName;
  /** The position of the array's bytes in the file. */
  from: number;
  to: number;
}

/**
 * The names, shapes and positions of the arrays in a file, in the order of their bytes. Only the header is read. Throws
 * FormatError if it is invalid.
 */
export async function readSafetensorsTable(file: GivenFile): Promise<PlacedArray[]> {
  const start = startIn(await rangeOf(file, 0, Math.min(8, file.size)), file.size);
  return tableIn(await rangeOf(file, 8, start), file.size).arrays;
}

/** The offset of the first array, computed from the first bytes of the file. `size` is the size of the file. */
function startIn(bytes: Uint8Array, size: number): number {
  if (size < 8) throw new FormatError(spoken`safetensors: expected at least 8 bytes, got ${size}.`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  if (length > headerLimit || 8 + length > size)
    throw new FormatError(
      spoken`safetensors header: expected a length of at most ${Math.min(headerLimit, size - 8)} bytes, got ${length}; is the file complete?`,
    );
  return 8 + length;
}

/**
 * Reads the header. Throws FormatError unless the arrays follow the header without gaps and end at the end of the file.
 */
function tableIn(bytes: Uint8Array, size: number): { arrays: PlacedArray[]; metadata: Record<string, string> } {
  const header = readHeader(bytes);
  const metadata = readMetadata(header.get('__metadata__'));
  header.delete('__metadata__');
  const entries = [...header].map(([name, entry]) => ({ name, ...checkEntry(name, entry) }));
  entries.sort((a, b) => a.data_offsets[0] - b.data_offsets[0] || a.data_offsets[1] - b.data_offsets[1]);
  const start = 8 + bytes.length;
  let end = 0;
  const arrays = entries.map(({ name, dtype, shape, data_offsets: [from, to] }): PlacedArray => {
    if (from !== end) {
      const fault = from < end ? spoken`overlaps the array before it` : spoken`leaves a gap before it`;
      throw new FormatError(
        spoken`${name}: expected the array to begin at byte ${end}, but it begins at byte ${from}, so this array ${fault}.`,
      );
    }
    if (start + to > size)
      throw new FormatError(spoken`${name}: expected bytes up to ${to}, got ${size - start}; is the file complete?`);
    end = to;
    return { name, shape, format: dtype, from: start + from, to: start + to };
  });
  if (start + end !== size)
    throw new FormatError(
      spoken`safetensors: expected ${start + end} bytes, got ${size}; the rest belongs to no array.`,
    );
  return { arrays, metadata };
}

function readHeader(bytes: Uint8Array): Map<string, unknown> {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new FormatError(
      spoken`safetensors header: expected JSON, got something else (${shortened((cause as Error).message)}).`,
    );
  }
  if (bytes[0] !== 0x7b || !isObject(json))
    throw new FormatError(spoken`safetensors header: expected an object of arrays.`);
  return new Map(Object.entries(json));
}

function readMetadata(value: unknown): Record<string, string> {
  if (value === undefined) return {};
  if (!isObject(value) || Object.values(value).some((text) => typeof text !== 'string')) {
    throw new FormatError(spoken`__metadata__: expected an object whose values are texts, got ${quoted(value)}.`);
  }
  return value as Record<string, string>;
}

function checkEntry(name: string, value: unknown): Entry {
  const refuse = (expected: string, got: unknown): never => {
    throw new FormatError(spoken`${shortened(name)}: expected ${expected}, got ${quoted(got)}.`);
  };
  if (!isObject(value)) return refuse(spoken`dtype, shape and data_offsets`, value);
  const { dtype, shape, data_offsets: offsets } = value;
  if (!isNumberType(dtype)) return refuse(spoken`dtype ${numberTypes.join(' or ')}`, dtype);
  if (!isCounts(shape)) return refuse(spoken`a shape of whole numbers`, shape);
  if (!isCounts(offsets)) return refuse(spoken`data_offsets of two ascending whole numbers`, offsets);
  const [from, to] = offsets;
  if (offsets.length !== 2 || from === undefined || to === undefined || from > to) {
    return refuse(spoken`data_offsets of two ascending whole numbers`, offsets);
  }
  const size = storedSize(dtype, sizeOf(shape));
  if (to - from !== size) return refuse(spoken`${size} bytes for [${shape.join(', ')}]`, offsets);
  return { dtype, shape, data_offsets: [from, to] };
}

const isNumberType = (dtype: unknown): dtype is NumberTypeName => numberTypes.some((name) => name === dtype);
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
