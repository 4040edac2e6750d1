// Weights that do not learn, kept as GGUF stores them: rows of numbers in blocks of 32, each block with a scale (and for
// Q4_1 a smallest value) of 16 bits. Low halves of bytes are the numbers 0–15 of a block, high ones 16–31. The bytes of
// all rows follow each other, filled up to whole words.
// https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, block_q8_0, block_q4_0, block_q4_1 of ggml-common.h
import type * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';

export const frozenFormats = ['f16', 'q8_0', 'q4_0', 'q4_1'] as const;
export type FrozenFormat = (typeof frozenFormats)[number];

export interface FrozenMatrix {
  /** int32: the bytes as they are stored, by fours, lowest first. */
  words: tf.Tensor1D;
  format: FrozenFormat;
  rows: number;
  /** A multiple of 32. */
  columns: number;
}

/** Numbers of a block. */
const blockSize = 32;
const blockBytes: Record<FrozenFormat, number> = { f16: 64, q8_0: 34, q4_0: 18, q4_1: 20 };

/** Bytes of one row. */
export function frozenRowBytes({ format, columns }: Pick<FrozenMatrix, 'format' | 'columns'>): number {
  return (columns / blockSize) * blockBytes[format];
}

/** Throws ShapeError where the words cannot hold the rows. */
export function expectFrozen(op: string, w: FrozenMatrix): void {
  const { words, format, rows, columns } = w;
  if (columns % blockSize !== 0)
    throw new ShapeError(
      `${op}: columns of ${format} must be a multiple of ${String(blockSize)}, got ${String(columns)}; keep this matrix as float32.`,
    );
  const expected = Math.ceil((rows * frozenRowBytes(w)) / 4);
  if (words.dtype !== 'int32' || words.size !== expected)
    throw new ShapeError(
      `${op}: [${String(rows)}, ${String(columns)}] as ${format} takes int32 [${String(expected)}], ` +
        `got ${words.dtype} [${words.shape.join(', ')}]; was the file cut off?`,
    );
}

/** The numbers of all rows, [rows · columns], from the words of a matrix. */
export function dequantized(words: Int32Array, { format, rows, columns }: Omit<FrozenMatrix, 'words'>): Float32Array {
  const bytes = new DataView(words.buffer, words.byteOffset, words.byteLength);
  const out = new Float32Array(rows * columns);
  const unpack = unpackers[format];
  for (let block = 0; block < out.length / blockSize; block++)
    unpack(bytes, block * blockBytes[format], out.subarray(block * blockSize, (block + 1) * blockSize));
  return out;
}

type Unpack = (bytes: DataView, at: number, out: Float32Array) => void;

const unpackers: Record<FrozenFormat, Unpack> = {
  f16: (bytes, at, out) => {
    for (let i = 0; i < blockSize; i++) out[i] = halfAt(bytes, at + 2 * i);
  },
  q8_0: (bytes, at, out) => {
    const scale = halfAt(bytes, at);
    for (let i = 0; i < blockSize; i++) out[i] = scale * bytes.getInt8(at + 2 + i);
  },
  q4_0: (bytes, at, out) => {
    unpackNibbles(bytes, at + 2, out, { scale: halfAt(bytes, at), middle: 8, shift: 0 });
  },
  q4_1: (bytes, at, out) => {
    unpackNibbles(bytes, at + 4, out, { scale: halfAt(bytes, at), middle: 0, shift: halfAt(bytes, at + 2) });
  },
};

interface Scaling {
  scale: number;
  middle: number;
  shift: number;
}

function unpackNibbles(bytes: DataView, at: number, out: Float32Array, { scale, middle, shift }: Scaling): void {
  for (let i = 0; i < blockSize / 2; i++) {
    const byte = bytes.getUint8(at + i);
    out[i] = scale * ((byte & 15) - middle) + shift;
    out[i + blockSize / 2] = scale * ((byte >> 4) - middle) + shift;
  }
}

/** A number of 16 bits (IEEE 754 binary16). */
function halfAt(bytes: DataView, at: number): number {
  const bits = bytes.getUint16(at, true);
  const [exponent, mantissa] = [(bits >> 10) & 31, bits & 1023];
  const sign = bits & 0x8000 ? -1 : 1;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  return exponent === 0 ? sign * mantissa * 2 ** -24 : sign * (1024 + mantissa) * 2 ** (exponent - 25);
}
