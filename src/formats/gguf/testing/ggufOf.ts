// Builds GGUF files byte by byte, including invalid files that no program would write; for tests only.
import type { GgufValue } from '../header.ts';

export interface TestTensor {
  name: string;
  /**
   * The sizes in the order in which the file stores them: the dimension whose numbers are next to each other comes
   * first.
   */
  dimensions: readonly (number | bigint)[];
  type: number;
  bytes: Uint8Array;
  /**
   * The offset from the beginning of the tensor data. If the offset is absent, the tensor begins where the previous
   * tensor ends.
   */
  offset?: number | bigint;
}

const encoder = new TextEncoder();
const number = (size: 4 | 8, value: number | bigint): Uint8Array => {
  const view = new DataView(new ArrayBuffer(size));
  if (size === 4) view.setUint32(0, Number(value), true);
  else view.setBigUint64(0, BigInt(value), true);
  return new Uint8Array(view.buffer);
};
const real = (value: number): Uint8Array => new Uint8Array(Float32Array.of(value).buffer.slice(0));
const text = (value: string): Uint8Array[] => [number(8, encoder.encode(value).length), encoder.encode(value)];

/** The GGUF type of a value. Whole numbers are uint32, and other numbers are float32. */
function kindOf(value: GgufValue): number {
  if (typeof value === 'string') return 8;
  if (typeof value === 'boolean') return 7;
  if (typeof value === 'number') return Number.isInteger(value) ? 4 : 6;
  return 9;
}

function plain(value: number | boolean | string, kind: number): Uint8Array[] {
  if (kind === 8) return text(value as string);
  if (kind === 7) return [Uint8Array.of(Number(value))];
  return [kind === 4 ? number(4, value as number) : real(value as number)];
}

function valueBytes(value: GgufValue): Uint8Array[] {
  const kind = kindOf(value);
  if (typeof value !== 'object') return [number(4, kind), ...plain(value, kind)];
  const of = value.some((one) => typeof one === 'number' && !Number.isInteger(one)) ? 6 : kindOf(value[0] ?? 0);
  return [number(4, 9), number(4, of), number(8, value.length), ...value.flatMap((one) => plain(one, of))];
}

/** Writes a GGUF file. `counts` are the numbers of tensors and entries that the file states, which may be wrong. */
export function ggufOf(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly TestTensor[],
  { counts = [], version = 3 }: { counts?: readonly (number | bigint)[]; version?: number } = {},
): Uint8Array {
  const entries = Object.entries(metadata);
  const parts: Uint8Array[] = [encoder.encode('GGUF'), number(4, version)];
  parts.push(number(8, counts[0] ?? tensors.length), number(8, counts[1] ?? entries.length));
  for (const [key, value] of entries) parts.push(...text(key), ...valueBytes(value));
  let end = 0;
  for (const { name, dimensions, type, bytes, offset = end } of tensors) {
    parts.push(...text(name), number(4, dimensions.length), ...dimensions.map((size) => number(8, size)));
    parts.push(number(4, type), number(8, offset));
    // If the offset in a test is larger than any real file, the offset is written to the header, but the file is not
    // padded to this length.
    if (Number(offset) < 2 ** 24) end = aligned(Number(offset) + bytes.length);
  }
  const head = parts.reduce((sum, { length }) => sum + length, 0);
  const file = new Uint8Array(aligned(head) + (tensors.length > 0 ? aligned(end) : 0));
  let at = 0;
  for (const part of parts) {
    file.set(part, at);
    at += part.length;
  }
  let place = 0;
  for (const { bytes, offset = place } of tensors) {
    if (aligned(head) + Number(offset) + bytes.length <= file.length) file.set(bytes, aligned(head) + Number(offset));
    place = aligned(Number(offset) + bytes.length);
  }
  return file;
}

const aligned = (length: number) => Math.ceil(length / 32) * 32;
