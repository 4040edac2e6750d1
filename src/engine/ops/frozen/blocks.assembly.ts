// Weights as GGUF files store them: a row consists of blocks of 32 numbers, and in the quantised formats each block has
// a 16-bit scale. A block is converted to floats in registers, which are either multiplied with x immediately, or
// written to an array of floats.
import { sumLanes } from '../../simd/assembly/exp.assembly';
import { mulAdd } from '../../simd/assembly/tile.assembly';

/**
 * Formats of blocks. In the quantised formats, the 32 weights follow their scale (in Q4_1, their scale and minimum). In
 * the 4-bit formats, each byte holds two weights: the low four bits of the 16 bytes hold the first 16 weights of the
 * block, and the high four bits hold the last 16.
 */
export const F16: i32 = 0;
export const Q8_0: i32 = 1;
export const Q4_0: i32 = 2;

// These constants are loaded into vectors before a loop starts, because a vector constant written inside a loop would
// be built again in every iteration.
const TABLE = memory.data<u32>(
  [
    0x8fffe000, 0x77800000, 0x47800000, 0x7f800000, // sign, exponent and mantissa in place; 2¹¹²; 65,536; Infinity
    0x0f0f0f0f, 0x08080808, // the lower halves of bytes; eights
    0x0000000f, 0x000000f0, 0x00000f00, 0x0000f000, 0xff000000, // single halves and the highest byte of a word
  ],
  4,
);

/** Bytes of a block of 32. */
@inline
export function blockBytes(format: i32): i32 {
  return format == F16 ? 64 : format == Q8_0 ? 34 : format == Q4_0 ? 18 : 20;
}

/** Converts a binary16 number to float32, which is always exact. */
@inline
function half(at: usize): f32 {
  const bits: u32 = load<u16>(at);
  const size = (bits & 0x7fff) << 13;
  // The sign bit is unpredictable, so it is handled without a branch. Infinity and NaN are rare, so a branch handles
  // them.
  const value = size >= 0x0f800000 ? size | 0x7f800000 : reinterpret<u32>(reinterpret<f32>(size) * reinterpret<f32>(0x77800000));
  return reinterpret<f32>(value | ((bits & 0x8000) << 16));
}

/**
 * Converts four binary16 numbers, each of which has been sign-extended to 32 bits. Infinity and NaN become finite
 * numbers of at least 65,536.
 */
@inline
function halves(lanes: v128, place: v128, scale: v128): v128 {
  // The exponent is adjusted by a multiplication, because an addition would be wrong for denormal numbers.
  return f32x4.mul(v128.and(i32x4.shl(lanes, 13), place), scale);
}

/**
 * Returns the first 16 of the 32 numbers in a block of a 4-bit format, minus `middle`. These numbers are in the low
 * four bits of the block's 16 bytes.
 */
@inline
function lower(bytes: v128, mask: v128, middle: v128): v128 {
  return i8x16.sub(v128.and(bytes, mask), middle);
}

/**
 * Returns the last 16 of the 32 numbers in a block of a 4-bit format, minus `middle`. These numbers are in the high
 * four bits of the block's 16 bytes.
 */
@inline
function upper(bytes: v128, mask: v128, middle: v128): v128 {
  return i8x16.sub(v128.and(i16x8.shr_u(bytes, 4), mask), middle);
}

/** Writes sixteen integers as floats, each multiplied by the scale and then increased by `shift`. */
@inline
function writeScaled(bytes: v128, scale: v128, shift: v128, out: usize): void {
  const low = i16x8.extend_low_i8x16_s(bytes);
  const high = i16x8.extend_high_i8x16_s(bytes);
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), scale));
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), scale), 16);
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), scale), 32);
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), scale), 48);
}

/** Converts consecutive blocks to floats. */
export function unpack(from: usize, blocks: i32, format: i32, out: usize): void {
  const end = out + (blocks << 7);
  if (format == F16) {
    const place = v128.load32_splat(TABLE), scale = v128.load32_splat(TABLE, 4);
    const beyond = v128.load32_splat(TABLE, 8), infinity = v128.load32_splat(TABLE, 12);
    for (; out < end; out += 16) {
      const value = halves(v128.load16x4_s(from), place, scale);
      v128.store(out, v128.or(value, v128.and(f32x4.ge(f32x4.abs(value), beyond), infinity)));
      from += 8;
    }
    return;
  }
  if (format == Q8_0) {
    const none = f32x4.splat(0);
    for (; out < end; out += 128) {
      const scale = f32x4.splat(half(from));
      writeScaled(v128.load(from, 2), scale, none, out);
      writeScaled(v128.load(from, 18), scale, none, out + 64);
      from += 34;
    }
    return;
  }
  const mask = v128.load32_splat(TABLE, 16);
  const middle = format == Q4_0 ? v128.load32_splat(TABLE, 20) : i32x4.splat(0);
  for (; out < end; out += 128) {
    const scale = f32x4.splat(half(from));
    let shift = f32x4.splat(0);
    if (format != Q4_0) {
      shift = f32x4.splat(half(from + 2));
      from += 2;
    }
    const bytes = v128.load(from, 2);
    writeScaled(lower(bytes, mask, middle), scale, shift, out);
    writeScaled(upper(bytes, mask, middle), scale, shift, out + 64);
    from += 18;
  }
}

/**
 * Arranges x in the order in which `dotBlocks` reads the weights. The bytes of a 32-bit word hold consecutive weights
 * (in the 4-bit formats, the two halves of a byte hold weights that are 16 apart), so a vector that takes one weight
 * from each word holds every fourth weight. Weights are not shifted to the lowest bits of their word. Instead, x is
 * divided by the corresponding power of two, which loses no precision. The sum of x over each block is stored after all
 * blocks of x.
 */
export function layOut(x: usize, blocks: i32, format: i32, out: usize): void {
  let sums = out + (blocks << 7);
  for (const end = sums; out < end; out += 128) {
    let sum = v128.load(x);
    for (let at: usize = 16; at < 128; at += 16) sum = f32x4.add(sum, v128.load(x + at));
    store<f32>(sums, sumLanes(sum));
    sums += 4;
    if (format == F16) memory.copy(out, x, 128);
    for (let vector = 0; format != F16 && vector < 8; vector++) {
      const first = format == Q8_0 ? ((vector & 4) << 2) + (vector & 3) : ((vector & 1) << 4) + (vector >> 1);
      const scale = format == Q8_0 ? <f32>1 : 1 / <f32>(1 << ((vector & 3) << 2));
      for (let lane = 0; lane < 4; lane++)
        store<f32>(out + (vector << 4) + (lane << 2), load<f32>(x + ((first + (lane << 2)) << 2)) * scale);
    }
    x += 128;
  }
}

/** The dot product of a row of W with an x that `layOut` has arranged. */
export function dotBlocks(x: usize, from: usize, blocks: i32, format: i32): f32 {
  if (format == F16) return dotHalves(x, from, blocks);
  return format == Q8_0 ? dotBytes(x, from, blocks) : dotNibbles(x, from, blocks, format);
}

function dotHalves(x: usize, from: usize, blocks: i32): f32 {
  // Infinity and NaN are not handled here, because a model with such weights computes nothing useful.
  const end = x + (blocks << 7);
  const place = v128.load32_splat(TABLE), scale = v128.load32_splat(TABLE, 4);
  let total = f32x4.splat(0), second = f32x4.splat(0);
  for (; x < end; x += 32) {
    total = mulAdd(total, halves(v128.load16x4_s(from), place, scale), v128.load(x));
    second = mulAdd(second, halves(v128.load16x4_s(from, 8), place, scale), v128.load(x, 16));
    from += 16;
  }
  return sumLanes(f32x4.add(total, second));
}

// The next two functions process half a block per iteration. Their sums are in variables that keep their value from one
// iteration to the next, because the engine fuses multiplication and addition only for such sums.

function dotBytes(x: usize, from: usize, blocks: i32): f32 {
  const end = x + (blocks << 7);
  const highest = v128.load32_splat(TABLE, 40);
  let total = f32x4.splat(0);
  while (x < end) {
    let c0 = f32x4.splat(0), c1 = f32x4.splat(0), c2 = f32x4.splat(0), c3 = f32x4.splat(0);
    // A byte is moved to the highest bits of its word, which makes the number, including its sign, 2²⁴ times as large.
    const d = half(from) * <f32>(1.0 / 16777216);
    from += 2;
    for (const middle = x + 64; x <= middle; x += 64) {
      const bytes = v128.load(from);
      c0 = mulAdd(c0, f32x4.convert_i32x4_s(i32x4.shl(bytes, 24)), v128.load(x));
      c1 = mulAdd(c1, f32x4.convert_i32x4_s(v128.and(i32x4.shl(bytes, 16), highest)), v128.load(x, 16));
      c2 = mulAdd(c2, f32x4.convert_i32x4_s(v128.and(i32x4.shl(bytes, 8), highest)), v128.load(x, 32));
      c3 = mulAdd(c3, f32x4.convert_i32x4_s(v128.and(bytes, highest)), v128.load(x, 48));
      from += 16;
    }
    total = mulAdd(total, f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)), f32x4.splat(d));
  }
  return sumLanes(total);
}

function dotNibbles(x: usize, from: usize, blocks: i32, format: i32): f32 {
  const end = x + (blocks << 7);
  let sums = end;
  const m0 = v128.load32_splat(TABLE, 24), m1 = v128.load32_splat(TABLE, 28);
  const m2 = v128.load32_splat(TABLE, 32), m3 = v128.load32_splat(TABLE, 36);
  let total = f32x4.splat(0);
  let shifted: f32 = 0;
  while (x < end) {
    let c0 = f32x4.splat(0), c1 = f32x4.splat(0), c2 = f32x4.splat(0), c3 = f32x4.splat(0);
    const d = half(from);
    from += 2;
    let shift = d * -8;
    if (format != Q4_0) {
      shift = half(from);
      from += 2;
    }
    let bytes = v128.load(from);
    for (const middle = x + 64; x <= middle; x += 64) {
      c0 = mulAdd(c0, f32x4.convert_i32x4_s(v128.and(bytes, m0)), v128.load(x));
      c1 = mulAdd(c1, f32x4.convert_i32x4_s(v128.and(bytes, m1)), v128.load(x, 16));
      c2 = mulAdd(c2, f32x4.convert_i32x4_s(v128.and(bytes, m2)), v128.load(x, 32));
      c3 = mulAdd(c3, f32x4.convert_i32x4_s(v128.and(bytes, m3)), v128.load(x, 48));
      bytes = i32x4.shr_u(bytes, 16);
    }
    total = mulAdd(total, f32x4.add(f32x4.add(c0, c1), f32x4.add(c2, c3)), f32x4.splat(d));
    shifted += shift * load<f32>(sums);
    sums += 4;
    from += 16;
  }
  return sumLanes(total) + shifted;
}
