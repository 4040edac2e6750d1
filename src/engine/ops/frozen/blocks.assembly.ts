// Weights as GGUF stores them: the numbers of a row in blocks of 32, each with a scale of 16 bits. A block is turned into
// floats in registers, and either summed with x at once or written to a line of floats.
import { sumLanes } from '../../simd/assembly/exp.assembly';
import { mulAdd } from '../../simd/assembly/tile.assembly';

/** Formats; the numbers of 32 weights follow their scale (of Q4_1: scale and smallest), low halves of bytes first. */
export const F16: i32 = 0;
export const Q8_0: i32 = 1;
export const Q4_0: i32 = 2;

// Loaded as splats before a loop: a vector constant inside it is put together anew in every round.
const TABLE = memory.data<u32>(
  [
    0x8fffe000, 0x77800000, 0x47800000, 0x7f800000, // sign, exponent and mantissa in place; 2¹¹²; 65,536; Infinity
    0x0f0f0f0f, 0x08080808, // the lower halves of bytes; eights
  ],
  4,
);

/** Bytes of a block of 32. */
@inline
export function blockBytes(format: i32): i32 {
  return format == F16 ? 64 : format == Q8_0 ? 34 : format == Q4_0 ? 18 : 20;
}

/** A number of 16 bits; all of them are numbers of 32 bits too. */
@inline
function half(at: usize): f32 {
  const bits: u32 = load<u16>(at);
  const size = (bits & 0x7fff) << 13;
  // Signs come as they will, so no branch waits for them; numbers out of range hardly ever come.
  const value = size >= 0x0f800000 ? size | 0x7f800000 : reinterpret<u32>(reinterpret<f32>(size) * reinterpret<f32>(0x77800000));
  return reinterpret<f32>(value | ((bits & 0x8000) << 16));
}

/** Four numbers of 16 bits, each in the sign-extended lane of 32; Infinity and NaN come as 65,536 and more. */
@inline
function halves(lanes: v128, place: v128, scale: v128): v128 {
  // A product moves the exponent rightly also where there is none (denormals), as a sum would not.
  return f32x4.mul(v128.and(i32x4.shl(lanes, 13), place), scale);
}

/** Sixteen bytes of a block of nibbles: the numbers 0–15 minus `middle`. */
@inline
function lower(bytes: v128, mask: v128, middle: v128): v128 {
  return i8x16.sub(v128.and(bytes, mask), middle);
}

/** The numbers 16–31 minus `middle`. */
@inline
function upper(bytes: v128, mask: v128, middle: v128): v128 {
  return i8x16.sub(v128.and(i16x8.shr_u(bytes, 4), mask), middle);
}

/** sum + the products of sixteen whole numbers with x, four lanes. */
@inline
function addProducts(sum: v128, bytes: v128, x: usize): v128 {
  const low = i16x8.extend_low_i8x16_s(bytes);
  const high = i16x8.extend_high_i8x16_s(bytes);
  let s = mulAdd(sum, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), v128.load(x));
  s = mulAdd(s, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), v128.load(x, 16));
  s = mulAdd(s, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), v128.load(x, 32));
  return mulAdd(s, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), v128.load(x, 48));
}

/** Writes sixteen whole numbers · scale + shift. */
@inline
function writeScaled(bytes: v128, scale: v128, shift: v128, out: usize): void {
  const low = i16x8.extend_low_i8x16_s(bytes);
  const high = i16x8.extend_high_i8x16_s(bytes);
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), scale));
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), scale), 16);
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), scale), 32);
  v128.store(out, mulAdd(shift, f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), scale), 48);
}

/** Blocks that follow each other, as floats. */
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

/** The sum of a line's products with x. `sums`: that of x over each block. */
export function dotBlocks(x: usize, from: usize, blocks: i32, format: i32, sums: usize): f32 {
  const end = x + (blocks << 7);
  let total = f32x4.splat(0);
  if (format == F16) {
    // A model with infinite weights computes nothing anyway, so they are not looked for.
    let second = f32x4.splat(0);
    const place = v128.load32_splat(TABLE), scale = v128.load32_splat(TABLE, 4);
    for (; x < end; x += 32) {
      total = mulAdd(total, halves(v128.load16x4_s(from), place, scale), v128.load(x));
      second = mulAdd(second, halves(v128.load16x4_s(from, 8), place, scale), v128.load(x, 16));
      from += 16;
    }
    return sumLanes(f32x4.add(total, second));
  }
  const none = f32x4.splat(0);
  if (format == Q8_0) {
    for (; x < end; x += 128) {
      const first = addProducts(none, v128.load(from, 2), x);
      const second = addProducts(none, v128.load(from, 18), x + 64);
      total = mulAdd(total, f32x4.add(first, second), f32x4.splat(half(from)));
      from += 34;
    }
    return sumLanes(total);
  }
  const mask = v128.load32_splat(TABLE, 16), eights = v128.load32_splat(TABLE, 20);
  let shifted: f32 = 0;
  for (; x < end; x += 128) {
    const d = half(from);
    if (format != Q4_0) {
      // Around the middle of its range the rest of a weight is small, and so is what rounding does to it.
      shifted += (half(from + 2) + 8 * d) * load<f32>(sums);
      sums += 4;
      from += 2;
    }
    const bytes = v128.load(from, 2);
    const first = addProducts(none, lower(bytes, mask, eights), x);
    const second = addProducts(none, upper(bytes, mask, eights), x + 64);
    total = mulAdd(total, f32x4.add(first, second), f32x4.splat(d));
    from += 18;
  }
  return sumLanes(total) + shifted;
}
