// e^x on four lanes: x = n·ln 2 + r, then a polynomial of degree 6 in r (a weighted least-squares fit of the
// relative error over |r| ≤ ln 2 / 2, below 4e-9 before rounding) and n added to the exponent bits.
// Below −86.6 the result is 0, above 88.7 Infinity, NaN stays NaN.

@inline
export function exp4(x: v128): v128 {
  const low = f32x4.splat(-86.6);
  const high = f32x4.splat(88.72);
  const clamped = f32x4.pmin(f32x4.pmax(x, low), high);
  // Adding 1.5·2²³ rounds to an integer, which is then also the low bits of the sum.
  const rounded = f32x4.add(f32x4.mul(clamped, f32x4.splat(1.4426950408889634)), f32x4.splat(12582912));
  const n = f32x4.sub(rounded, f32x4.splat(12582912));
  // ln 2 in two parts: the first has few mantissa bits, so n times it is exact.
  const r = f32x4.sub(
    f32x4.sub(clamped, f32x4.mul(n, f32x4.splat(0.693359375))),
    f32x4.mul(n, f32x4.splat(-2.1219444e-4)),
  );
  let p = f32x4.splat(0.00138145);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.00836875));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.04166839));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.1666652));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(0.49999993));
  p = f32x4.add(f32x4.mul(f32x4.mul(p, r), r), f32x4.add(r, f32x4.splat(1)));
  // Times 2ⁿ: n joins the exponent bits. At n = 128 the polynomial is below 1, so the exponent still fits.
  const value = i32x4.add(p, i32x4.shl(rounded, 23));
  const finite = v128.bitselect(f32x4.splat(Infinity), v128.and(value, f32x4.ge(x, low)), f32x4.gt(x, high));
  return v128.or(finite, v128.andnot(x, f32x4.eq(x, x)));
}

/** The same for one number, so that tails round as full lanes do. */
@inline
export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** Sum of the four lanes, always in the same order. */
@inline
export function sumLanes(x: v128): f32 {
  return (
    f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
  );
}

/** Largest of the four lanes. */
@inline
export function maxLanes(x: v128): f32 {
  return max(
    max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1)),
    max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)),
  );
}
