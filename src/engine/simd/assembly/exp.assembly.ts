// e^x for four numbers at once. x is written as n·ln 2 + r; e^r is computed by a polynomial (fitted to minimise the
// relative error for |r| ≤ ln 2 / 2); and n is added to the exponent bits. Each constant is read from memory and copied
// to all lanes, because a vector constant inside a loop would be built again in every iteration, which takes three
// instructions.

const TABLE = memory.data<f32>(
  [
    1.4426950408889634, 1, -86.6, 88.72, Infinity, // 0: 1 / ln 2, one, range of exp4 and what lies above it
    12582912, 0.693359375, -2.1219444e-4, // 20: 1.5·2²³, ln 2 in two parts
    0.00138145, 0.00836875, 0.04166839, 0.1666652, 0.49999993, // 32: degree 6, error 4e-9
    12583039, 0.6931471805599453, -87.3, 88.3, // 52: 1.5·2²³ + 127, ln 2, range of expNear4
    0.00831243, 0.04189099, 0.16667118, 0.49999226, // 68: degree 5, error 1.1e-7
  ],
  4,
);

/** Computes e^x. For x below −86.6 the result is 0, for x above 88.7 it is Infinity, and for NaN it is NaN. */
@inline
export function exp4(x: v128): v128 {
  const low = v128.load32_splat(TABLE, 8);
  const high = v128.load32_splat(TABLE, 12);
  const clamped = f32x4.pmin(f32x4.pmax(x, low), high);
  // Adding 1.5·2²³ rounds a number to an integer, which is then in the low bits of the sum.
  const magic = v128.load32_splat(TABLE, 20);
  const rounded = f32x4.add(f32x4.mul(clamped, v128.load32_splat(TABLE)), magic);
  const n = f32x4.sub(rounded, magic);
  // ln 2 is split into two parts. The first part has few mantissa bits, so its product with n is exact.
  const r = f32x4.sub(
    f32x4.sub(clamped, f32x4.mul(n, v128.load32_splat(TABLE, 24))),
    f32x4.mul(n, v128.load32_splat(TABLE, 28)),
  );
  let p = f32x4.add(f32x4.mul(v128.load32_splat(TABLE, 32), r), v128.load32_splat(TABLE, 36));
  p = f32x4.add(f32x4.mul(p, r), v128.load32_splat(TABLE, 40));
  p = f32x4.add(f32x4.mul(p, r), v128.load32_splat(TABLE, 44));
  p = f32x4.add(f32x4.mul(p, r), v128.load32_splat(TABLE, 48));
  p = f32x4.add(f32x4.mul(f32x4.mul(p, r), r), f32x4.add(r, v128.load32_splat(TABLE, 4)));
  // Multiplies by 2ⁿ by adding n to the exponent bits. At n = 128 the polynomial is below 1, so the exponent still
  // fits.
  const value = i32x4.add(p, i32x4.shl(rounded, 23));
  const finite = v128.bitselect(
    v128.load32_splat(TABLE, 16),
    v128.and(value, f32x4.ge(x, low)),
    f32x4.gt(x, high),
  );
  return v128.or(finite, v128.andnot(x, f32x4.eq(x, x)));
}

/**
 * `exp4` for one number. It rounds in the same way, so the last numbers of an array, which do not fill four lanes, are
 * computed like all others.
 */
@inline
export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/**
 * The addresses of the constants of expNear4, in this order: 1 / ln 2, one, rounding, ln 2, range, coefficients. The
 * caller loads the constants before a loop.
 */
export const PER_LN2 = TABLE;
export const ONE = TABLE + 4;
export const ROUNDING = TABLE + 52;
export const LN2 = TABLE + 56;
export const LOWEST = TABLE + 60;
export const HIGHEST = TABLE + 64;
export const C5 = TABLE + 68;
export const C4 = TABLE + 72;
export const C3 = TABLE + 76;
export const C2 = TABLE + 80;

/**
 * A faster approximation of e^x for x between LOWEST and HIGHEST: absolute error below 2e-7 for x ≤ 0, relative error
 * below 3e-7 for |x| < 2. NaN stays NaN.
 */
@inline
export function expNear4(
  x: v128, perLn2: v128, one: v128, rounding: v128, ln2: v128, c5: v128, c4: v128, c3: v128, c2: v128,
): v128 {
  // Rounds as in `exp4`. The constant that is added includes the exponent's bias of 127, so the low bits become those
  // of the number 2ⁿ.
  const rounded = f32x4.add(f32x4.mul(x, perLn2), rounding);
  const r = f32x4.sub(x, f32x4.mul(f32x4.sub(rounded, rounding), ln2));
  let p = f32x4.add(f32x4.mul(c5, r), c4);
  p = f32x4.add(f32x4.mul(p, r), c3);
  p = f32x4.add(f32x4.mul(p, r), c2);
  p = f32x4.add(f32x4.mul(f32x4.mul(p, r), r), f32x4.add(r, one));
  return f32x4.mul(p, i32x4.shl(rounded, 23));
}

/** A constant of the table, copied to all lanes. */
@inline
export function constant(at: usize): v128 {
  return v128.load32_splat(at);
}

/** The sum of the four lanes, always added in the same order. */
@inline
export function sumLanes(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

/** The sums of the lanes of four vectors, each added in the order of sumLanes. */
@inline
export function sumsOfLanes(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 2, 4, 6), v128.shuffle<f32>(a, b, 1, 3, 5, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 2, 4, 6), v128.shuffle<f32>(c, d, 1, 3, 5, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 2, 4, 6), v128.shuffle<f32>(ab, cd, 1, 3, 5, 7));
}

/** The largest of the four lanes. */
@inline
export function maxLanes(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}
