// Weights as GGUF files store them: a row consists of blocks of 32 numbers, and in the quantised formats each block has
// a 16-bit scale. A block is either multiplied with x immediately, in registers, or converted to floats and written to
// an array.
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
    0x000f000f, // the lowest half of every second byte
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
 * Rounds a row of x to 16-bit integers, each block of 32 with its own scale, in the order in which `dotBlocks` reads
 * the weights: for Q8_0 unchanged, for the 4-bit formats the even numbers of both halves of a block and then the odd
 * ones. The scale of each block, and its sum before rounding, follow after all integers. The largest number of a block
 * becomes ±32,767, so no error exceeds 1/65,534 of it.
 */
export function roundRow(x: usize, blocks: i32, format: i32, out: usize): void {
  let facts = out + (blocks << 6);
  for (const end = facts; out < end; out += 64) {
    let sum = v128.load(x);
    let most = f32x4.abs(sum);
    for (let at: usize = 16; at < 128; at += 16) {
      const value = v128.load(x + at);
      sum = f32x4.add(sum, value);
      most = f32x4.max(most, f32x4.abs(value));
    }
    most = f32x4.max(most, v128.shuffle<f32>(most, most, 2, 3, 0, 1));
    const largest = f32x4.extract_lane(f32x4.max(most, v128.shuffle<f32>(most, most, 1, 0, 3, 2)), 0);
    store<f32>(facts, largest / 32767);
    store<f32>(facts, sumLanes(sum), 4);
    facts += 8;
    const inverse = f32x4.splat(largest > 0 ? 32767 / largest : 0);
    for (let half: usize = 0; half < 2; half++) {
      const first = rounded(x, inverse), second = rounded(x + 32, inverse);
      const to = out + (format == Q8_0 ? half << 5 : half << 4);
      if (format == Q8_0) {
        v128.store(to, first);
        v128.store(to, second, 16);
      } else {
        v128.store(to, v128.shuffle<i16>(first, second, 0, 2, 4, 6, 8, 10, 12, 14));
        v128.store(to, v128.shuffle<i16>(first, second, 1, 3, 5, 7, 9, 11, 13, 15), 32);
      }
      x += 64;
    }
  }
}

/** Eight numbers of x as 16-bit integers. */
@inline
function rounded(x: usize, inverse: v128): v128 {
  const low = f32x4.nearest(f32x4.mul(v128.load(x), inverse));
  const high = f32x4.nearest(f32x4.mul(v128.load(x, 16), inverse));
  return i16x8.narrow_i32x4_s(i32x4.trunc_sat_f32x4_s(low), i32x4.trunc_sat_f32x4_s(high));
}

/** Two binary16 numbers, each `apart` bytes from the other, as floats in the first two lanes. */
@inline
function twoHalves(at: usize, apart: usize): v128 {
  const bits = v128.load16_lane(at + apart, v128.load16_lane(at, i32x4.splat(0), 1), 3);
  // Each number is in the upper half of its lane, which is 3 bits above the place that `halves` shifts it to.
  return f32x4.mul(v128.and(i32x4.shr_s(bits, 3), v128.load32_splat(TABLE)), v128.load32_splat(TABLE, 4));
}

/**
 * The dot product of a row of W with x, or for the quantised formats with an x that `roundRow` has rounded. Products of
 * integers are summed exactly over a block (at most 32 × 127 × 32,767), and as floats over the row.
 */
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

// The next two functions process two blocks per iteration, each with a sum of its own. A row is read from its beginning
// to its end: with four rows side by side the sums take less computation, but the processor reads ahead badly, and the
// whole takes longer.

function dotBytes(x: usize, from: usize, blocks: i32): f32 {
  let facts = x + (blocks << 6);
  let total = f32x4.splat(0), second = f32x4.splat(0);
  for (let pairs = blocks >> 1; pairs > 0; pairs--) {
    const scales = f32x4.mul(twoHalves(from, 34), scalesOf(v128.load(facts)));
    total = mulAdd(total, sumOfBytes(from, x), v128.shuffle<f32>(scales, scales, 0, 0, 0, 0));
    second = mulAdd(second, sumOfBytes(from + 34, x + 64), v128.shuffle<f32>(scales, scales, 1, 1, 1, 1));
    x += 128;
    facts += 16;
    from += 68;
  }
  if (blocks & 1) total = mulAdd(total, sumOfBytes(from, x), f32x4.splat(half(from) * load<f32>(facts)));
  return sumLanes(f32x4.add(total, second));
}

/** The scales of two blocks of x, from their facts. */
@inline
function scalesOf(facts: v128): v128 {
  return v128.shuffle<f32>(facts, facts, 0, 2, 0, 2);
}

/** The sum over one block, in four parts. */
@inline
function sumOfBytes(from: usize, x: usize): v128 {
  const first = v128.load(from, 2), last = v128.load(from, 18);
  const low = i32x4.add(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(first), v128.load(x)),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(first), v128.load(x, 16)),
  );
  const high = i32x4.add(
    i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(last), v128.load(x, 32)),
    i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(last), v128.load(x, 48)),
  );
  return f32x4.convert_i32x4_s(i32x4.add(low, high));
}

function dotNibbles(x: usize, from: usize, blocks: i32, format: i32): f32 {
  const bytes: usize = blockBytes(format);
  const mask = v128.load32_splat(TABLE, 24);
  const eights = f32x4.splat(-8);
  let facts = x + (blocks << 6);
  let total = f32x4.splat(0), second = f32x4.splat(0), shifted = f32x4.splat(0);
  for (let pairs = blocks >> 1; pairs > 0; pairs--) {
    const known = v128.load(facts);
    const d = twoHalves(from, bytes);
    const shifts = format == Q4_0 ? f32x4.mul(d, eights) : twoHalves(from + 2, bytes);
    shifted = mulAdd(shifted, shifts, v128.shuffle<f32>(known, known, 1, 3, 1, 3));
    const scales = f32x4.mul(d, scalesOf(known));
    from += bytes;
    total = mulAdd(total, sumOfNibbles(from, mask, x), v128.shuffle<f32>(scales, scales, 0, 0, 0, 0));
    from += bytes;
    second = mulAdd(second, sumOfNibbles(from, mask, x + 64), v128.shuffle<f32>(scales, scales, 1, 1, 1, 1));
    x += 128;
    facts += 16;
  }
  let rest: f32 = 0;
  if (blocks & 1) {
    const d = half(from);
    rest = (format == Q4_0 ? d * -8 : half(from + 2)) * load<f32>(facts, 4);
    total = mulAdd(total, sumOfNibbles(from + bytes, mask, x), f32x4.splat(d * load<f32>(facts)));
  }
  return (
    sumLanes(f32x4.add(total, second)) + f32x4.extract_lane(shifted, 0) + f32x4.extract_lane(shifted, 1) + rest
  );
}

/** The sum over the block that ends at `end`, in four parts. */
@inline
function sumOfNibbles(end: usize, mask: v128, x: usize): v128 {
  const words = v128.load(end - 16);
  const even = i32x4.add(
    i32x4.dot_i16x8_s(v128.and(words, mask), v128.load(x)),
    i32x4.dot_i16x8_s(v128.and(i16x8.shr_u(words, 4), mask), v128.load(x, 16)),
  );
  const odd = i32x4.add(
    i32x4.dot_i16x8_s(v128.and(i16x8.shr_u(words, 8), mask), v128.load(x, 32)),
    i32x4.dot_i16x8_s(i16x8.shr_u(words, 12), v128.load(x, 48)),
  );
  return f32x4.convert_i32x4_s(i32x4.add(even, odd));
}
