// Writes numbers as weight files store them: the inverse of storedNumbers.ts for the exported formats. Numbers are
// rounded as the definition of each format prescribes: by IEEE 754 for binary16, and as in ggml's quantize_row_q8_0_ref
// for Q8_0.
import { storedLayouts, storedSize } from './storedNumbers.ts';

export type WrittenFormat = 'F32' | 'F16' | 'Q8_0';

/** The largest finite binary16 number. */
const largestHalf = 65_504;

const float = new Float32Array(1);
const bitsOfFloat = new Uint32Array(float.buffer);

/**
 * The bits of the binary16 number that is nearest to a float32. If two binary16 numbers are equally near, the number
 * whose last bit is 0 is taken.
 */
export function toHalf(value: number): number {
  float[0] = value;
  const bits = bitsOfFloat[0] as number;
  const sign = (bits >>> 16) & 0x8000;
  const rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return sign | 0x7e00;
  if (rest >= 0x47800000) return sign | 0x7c00;
  // The bias of the exponent changes from 127 to 15, and 13 bits of the fraction are dropped.
  if (rest >= 0x38800000) return sign | ((rest - 0x38000000 + 0xfff + ((rest >>> 13) & 1)) >>> 13);
  const scaled = Math.abs(float[0]) * 2 ** 24;
  const below = Math.floor(scaled);
  const over = scaled - below;
  return sign | (over > 0.5 || (over === 0.5 && below % 2 === 1) ? below + 1 : below);
}

/** Whether a format can represent numbers as large as these. */
export const canSay = (format: WrittenFormat, values: Float32Array): boolean =>
  format === 'F32' || values.every((value) => Math.abs(value) <= (format === 'F16' ? largestHalf : 127 * largestHalf));

/** Writes numbers in a format as little-endian bytes. For Q8_0, their count must be a multiple of 32. */
export function writtenAs(format: WrittenFormat, values: Float32Array): Uint8Array<ArrayBuffer> {
  if (format === 'F32') return new Uint8Array(values.slice().buffer);
  if (format === 'F16') return new Uint8Array(Uint16Array.from(values, toHalf).buffer);
  const { count, bytes: size } = storedLayouts.Q8_0;
  const bytes = new Uint8Array(storedSize('Q8_0', values.length));
  for (let from = 0, at = 0; from < values.length; from += count, at += size) writeQ80(values, from, bytes, at);
  return bytes;
}

/**
 * The scale is the largest of the 32 absolute values divided by 127. Each number is divided by the scale and rounded to
 * an integer, half away from zero. All computations are in float32.
 */
function writeQ80(values: Float32Array, from: number, bytes: Uint8Array, at: number): void {
  let largest = 0;
  for (let i = 0; i < 32; i++) largest = Math.max(largest, Math.abs(values[from + i] as number));
  const scale = Math.fround(largest / 127);
  const inverse = scale === 0 ? 0 : Math.fround(1 / scale);
  const half = toHalf(scale);
  bytes[at] = half & 255;
  bytes[at + 1] = half >> 8;
  for (let i = 0; i < 32; i++) {
    const share = Math.fround((values[from + i] as number) * inverse);
    const whole = Math.floor(Math.abs(share));
    const rounded = whole + Math.floor(2 * (Math.abs(share) - whole));
    bytes[at + 2 + i] = share < 0 ? -rounded : rounded;
  }
}
