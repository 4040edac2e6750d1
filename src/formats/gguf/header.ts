// Reads the header of a GGUF file (versions 2 and 3), which contains a model's metadata and the position of each of its
// tensors. The format follows ggml's docs/gguf.md. The file is read from its beginning, in parts of increasing size,
// until the header is complete. Stated lengths are checked against the length of the file before they are used, so no
// file can cost much time or memory.
import { FormatError } from '../../base/errors.ts';
import { quoted, shortened } from '../../base/quote.ts';
import { spoken } from '../../base/spoken.ts';
import { isStoredFormat, storedLayouts, storedSize, type StoredFormat } from '../../base/storedNumbers.ts';
import { rangeOf, type GivenFile } from '../givenFile.ts';

type Plain = number | boolean | string;
export type GgufValue = Plain | readonly Plain[];

export interface GgufTensor {
  /** The tensor's name in llama.cpp. */
  name: string;
  /** The sizes of the tensor. For a matrix, they are [out, in]; the file stores them in reverse order. */
  shape: readonly number[];
  format: StoredFormat;
  /** The position of the tensor's bytes in the file. */
  from: number;
  to: number;
}

export interface GgufHead {
  metadata: ReadonlyMap<string, GgufValue>;
  /** The bytes of each metadata entry, with the key and the value. */
  entries: ReadonlyMap<string, Uint8Array>;
  alignment: number;
  tensors: readonly GgufTensor[];
}

/**
 * Limits that are above those of all published models, whose largest vocabularies have 262,144 tokens and half a
 * million merges.
 */
const most = {
  head: 2 ** 26,
  pairs: 2 ** 14,
  tensors: 2 ** 16,
  dimensions: 4,
  /** Maximum number of bytes of a key or of a tensor's name. */
  name: 2 ** 10,
  /** Maximum number of elements in all arrays together. */
  parts: 2e6,
};
/**
 * The number of bytes that are read first, and the factor by which it is multiplied if they do not contain the whole
 * header.
 */
const [firstPart, growth] = [2 ** 22, 4];

/** ggml's number types, by their id. */
const formatNames: Readonly<Record<number, string>> = {
  ...{ 0: 'F32', 1: 'F16', 2: 'Q4_0', 3: 'Q4_1', 6: 'Q5_0', 7: 'Q5_1', 8: 'Q8_0', 9: 'Q8_1', 10: 'Q2_K', 11: 'Q3_K' },
  ...{ 12: 'Q4_K', 13: 'Q5_K', 14: 'Q6_K', 15: 'Q8_K', 16: 'IQ2_XXS', 17: 'IQ2_XS', 18: 'IQ3_XXS', 19: 'IQ1_S' },
  ...{ 20: 'IQ4_NL', 21: 'IQ3_S', 22: 'IQ2_S', 23: 'IQ4_XS', 24: 'I8', 25: 'I16', 26: 'I32', 27: 'I64', 28: 'F64' },
  ...{ 29: 'IQ1_M', 30: 'BF16', 34: 'TQ1_0', 35: 'TQ2_0', 39: 'MXFP4' },
};

/** Thrown if the header is longer than the part of the file that has been read. */
class EndedPart extends Error {}

/** Reads the header of a file. Throws FormatError if the header is invalid. */
export async function readGgufHead(file: GivenFile): Promise<GgufHead> {
  for (let length = Math.min(file.size, firstPart); ; length = Math.min(file.size, length * growth, most.head)) {
    const part = await rangeOf(file, 0, length);
    try {
      return headIn(new Reader(part, file.size));
    } catch (error) {
      if (!(error instanceof EndedPart)) throw error;
    }
    if (length === most.head)
      throw new FormatError(spoken`GGUF: expected a header of at most ${most.head / 2 ** 20} MiB.`);
  }
}

/**
 * Reads numbers and strings one after the other. Throws EndedPart if a value lies beyond the part of the file that is
 * in memory, and FormatError if it lies beyond the end of the file.
 */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly size: number;
  at = 0;
  parts = 0;

  constructor(bytes: Uint8Array, size: number) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.size = size;
  }

  /** The bytes from position `from` up to the current position. */
  passed = (from: number) => this.#bytes.subarray(from, this.at);

  /** Advances by a number of bytes, and returns the previous position. */
  #pass(length: number): number {
    const from = this.at;
    if (length > this.size - from)
      throw new FormatError(
        spoken`GGUF: expected ${length} bytes from byte ${from} on, but the file ends at ${this.size}; is it complete?`,
      );
    if (from + length > this.#bytes.length) throw new EndedPart();
    this.at += length;
    return from;
  }

  /**
   * Returns `count`. Throws FormatError if `count` items of at least `size` bytes each are longer than the rest of the
   * file.
   */
  expect(count: number, size: number, what: string): number {
    if (count * size > this.size - this.at)
      throw new FormatError(
        spoken`GGUF: the file is too short for the ${count} ${what} in its header; is it complete?`,
      );
    return count;
  }

  uint8 = () => this.#view.getUint8(this.#pass(1));
  int8 = () => this.#view.getInt8(this.#pass(1));
  uint16 = () => this.#view.getUint16(this.#pass(2), true);
  int16 = () => this.#view.getInt16(this.#pass(2), true);
  uint32 = () => this.#view.getUint32(this.#pass(4), true);
  int32 = () => this.#view.getInt32(this.#pass(4), true);
  float32 = () => this.#view.getFloat32(this.#pass(4), true);
  uint64 = () => Number(this.#view.getBigUint64(this.#pass(8), true));
  int64 = () => Number(this.#view.getBigInt64(this.#pass(8), true));
  float64 = () => this.#view.getFloat64(this.#pass(8), true);
  bool = () => this.uint8() !== 0;

  string = (): string => {
    const length = this.uint64();
    if (length === 0) return '';
    const from = this.#pass(length);
    return decoder.decode(this.#bytes.subarray(from, from + length));
  };

  name(): string {
    const from = this.at;
    const length = this.uint64();
    if (length > most.name)
      throw new FormatError(
        spoken`GGUF: expected a name of at most ${most.name} bytes at byte ${from}, got ${length}; the file is damaged.`,
      );
    this.at = from;
    return this.string();
  }
}

// The decoder must keep a byte order mark at the beginning of a token, because it is part of the token.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Metadata types by their id: the minimum number of bytes of a value, and the function that reads it. */
const plainKinds = new Map<number, [size: number, read: (from: Reader) => Plain]>([
  [0, [1, (from) => from.uint8()]],
  [1, [1, (from) => from.int8()]],
  [2, [2, (from) => from.uint16()]],
  [3, [2, (from) => from.int16()]],
  [4, [4, (from) => from.uint32()]],
  [5, [4, (from) => from.int32()]],
  [6, [4, (from) => from.float32()]],
  [7, [1, (from) => from.bool()]],
  [8, [8, (from) => from.string()]],
  [10, [8, (from) => from.uint64()]],
  [11, [8, (from) => from.int64()]],
  [12, [8, (from) => from.float64()]],
]);
const arrayKind = 9;

function headIn(from: Reader): GgufHead {
  if (from.size < 24 || from.uint32() !== 0x46554747)
    throw new FormatError(
      spoken`GGUF: expected a file that begins with “GGUF”, got a different one; choose a model’s .gguf file.`,
    );
  const version = from.uint32();
  if (version !== 2 && version !== 3)
    throw new FormatError(
      spoken`GGUF: expected version 2 or 3, little-endian, got ${version > 0xffff ? spoken`another order of bytes` : version}; convert the model again.`,
    );
  const [tensorCount, pairCount] = [from.uint64(), from.uint64()];
  from.expect(tensorCount, 32, spoken`tensors`);
  from.expect(pairCount, 13, spoken`entries`);
  if (tensorCount > most.tensors || pairCount > most.pairs)
    throw new FormatError(
      spoken`GGUF: expected at most ${most.tensors} tensors and ${most.pairs} entries, got ${tensorCount} and ${pairCount}; the file is damaged.`,
    );
  const metadata = new Map<string, GgufValue>();
  const entries = new Map<string, Uint8Array>();
  for (let i = 0; i < pairCount; i++) {
    const begun = from.at;
    const key = from.name();
    if (metadata.has(key)) throw new FormatError(spoken`GGUF: ${shortened(key)} appears twice; the file is damaged.`);
    metadata.set(key, valueIn(from, key));
    entries.set(key, from.passed(begun));
  }
  const tensors = Array.from({ length: tensorCount }, () => tensorIn(from));
  const alignment = alignedBy(metadata);
  return { metadata, entries, alignment, tensors: placed(tensors, alignment, from) };
}

function valueIn(from: Reader, key: string): GgufValue {
  const kind = from.uint32();
  if (kind !== arrayKind) return plainKind(kind, key)[1](from);
  const [size, read] = plainKind(from.uint32(), key);
  const count = from.expect(from.uint64(), size, spoken`parts of ${shortened(key)}`);
  if ((from.parts += count) > most.parts)
    throw new FormatError(
      spoken`GGUF: ${shortened(key)}: expected arrays of at most ${most.parts} elements in total; the file is damaged.`,
    );
  const parts: Plain[] = [];
  for (let i = 0; i < count; i++) parts.push(read(from));
  return parts;
}

function plainKind(kind: number, key: string) {
  const found = plainKinds.get(kind);
  if (found) return found;
  throw new FormatError(
    spoken`GGUF: ${shortened(key)}: expected a value type from 0 to 12, got ${kind}; the file is damaged.`,
  );
}

/** Reads the entry of a tensor in the header. Its offset counts from the beginning of the tensor data. */
function tensorIn(from: Reader): GgufTensor {
  const name = from.name();
  const refuse = (expected: string, got: string | number) =>
    new FormatError(spoken`GGUF: ${shortened(name)}: expected ${expected}, got ${got}.`);
  const dimensions = from.uint32();
  if (dimensions < 1 || dimensions > most.dimensions)
    throw refuse(spoken`1 to ${most.dimensions} dimensions`, dimensions);
  const shape = Array.from({ length: dimensions }, () => from.uint64()).reverse();
  const count = shape.reduce((product, size) => product * size, 1);
  if (!(count >= 1 && Number.isSafeInteger(count))) throw refuse(spoken`a shape of whole numbers`, quoted(shape));
  const kind = from.uint32();
  const format = formatNames[kind] ?? kind;
  if (!isStoredFormat(format))
    throw refuse(
      spoken`numbers of the type ${Object.keys(storedLayouts).join(', ')}`,
      spoken`${format}, which is not supported here; use a file of this model with numbers of another type, such as Q8_0`,
    );
  const columns = shape.at(-1) as number;
  if (columns % storedLayouts[format].count !== 0)
    throw refuse(spoken`a row length that is a multiple of ${storedLayouts[format].count} (${format})`, columns);
  const offset = from.uint64();
  return { name, shape, format, from: offset, to: offset + storedSize(format, count) };
}

function alignedBy(metadata: ReadonlyMap<string, GgufValue>): number {
  const given = metadata.get('general.alignment') ?? 32;
  if (typeof given === 'number' && Number.isInteger(given) && given >= 1 && given <= 2 ** 20) return given;
  throw new FormatError(spoken`GGUF: general.alignment: expected a whole number of bytes, got ${quoted(given)}.`);
}

/**
 * Computes the positions of the tensors in the file. Throws FormatError if a tensor is not inside the file, or overlaps
 * another.
 */
function placed(tensors: readonly GgufTensor[], alignment: number, { at, size }: Reader): GgufTensor[] {
  const start = Math.ceil(at / alignment) * alignment;
  const found = tensors.map((tensor) => ({ ...tensor, from: start + tensor.from, to: start + tensor.to }));
  const names = new Set<string>();
  let end = start;
  for (const { name, from, to } of [...found].sort((a, b) => a.from - b.from)) {
    const told = shortened(name);
    if (names.has(name)) throw new FormatError(spoken`GGUF: ${told} appears twice; the file is damaged.`);
    names.add(name);
    if ((from - start) % alignment !== 0)
      throw new FormatError(
        spoken`GGUF: ${told}: expected an offset that is a multiple of ${alignment}, got ${from - start}.`,
      );
    if (to > size)
      throw new FormatError(
        spoken`GGUF: ${told}: expected bytes up to ${to}, but the file ends at ${size}; is it complete?`,
      );
    if (from < end) throw new FormatError(spoken`GGUF: ${told} overlaps the tensor before it; the file is damaged.`);
    end = to;
  }
  return found;
}
