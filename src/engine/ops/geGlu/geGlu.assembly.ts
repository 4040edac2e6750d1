// The gated activation of a Gemma block.
import { C2, C3, C4, C5, constant, expNear4, HIGHEST, LN2, LOWEST, ONE, PER_LN2, ROUNDING } from '../../simd/assembly/exp.assembly';
import { storePart } from '../swiGlu/swiGlu.assembly';

/** The argument of σ is k = z·(LINEAR + CUBIC·z²). */
const LINEAR: f32 = 1.5957691216057308;
const CUBIC: f32 = 0.07135481627260025;
/** Beyond this number, σ(k) is 0 or 1 in float32. Gates are limited to it in k, so that k and its slope are finite. */
const WIDEST: f32 = 16;

/**
 * Computes y [n, f] from x [n, 2·f], whose rows contain the gates followed by the values `up`: gate·σ·up with σ = 1 /
 * (1 + e^−k).
 */
export function geGlu(x: usize, y: usize, n: i32, f: i32): void {
  const perLn2 = constant(PER_LN2), one = constant(ONE), rounding = constant(ROUNDING), ln2 = constant(LN2);
  const c5 = constant(C5), c4 = constant(C4), c3 = constant(C3), c2 = constant(C2);
  const low = constant(LOWEST), high = constant(HIGHEST);
  const linear = f32x4.splat(LINEAR), cubic = f32x4.splat(CUBIC), widest = f32x4.splat(WIDEST);
  const width: usize = f << 2;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < f; j += 4) {
      const at: usize = j << 2;
      const gate = v128.load(x + at);
      const near = f32x4.pmin(f32x4.pmax(gate, f32x4.neg(widest)), widest);
      const k = f32x4.mul(near, f32x4.add(linear, f32x4.mul(cubic, f32x4.mul(near, near))));
      const z = f32x4.pmin(f32x4.pmax(f32x4.neg(k), low), high);
      const away = f32x4.add(one, expNear4(z, perLn2, one, rounding, ln2, c5, c4, c3, c2));
      const value = f32x4.mul(f32x4.div(gate, away), v128.load(x + width + at));
      if (j + 4 <= f) v128.store(y + at, value);
      else storePart(y + at, value, f - j);
    }
    x += width << 1;
    y += width;
  }
}

/** dx [n, 2·f]: dGate = dy·up·σ·(1 + gate·(1 − σ)·(LINEAR + 3·CUBIC·gate²)), dUp = dy·gate·σ. */
export function geGluGrad(x: usize, dy: usize, dx: usize, n: i32, f: i32): void {
  const perLn2 = constant(PER_LN2), one = constant(ONE), rounding = constant(ROUNDING), ln2 = constant(LN2);
  const c5 = constant(C5), c4 = constant(C4), c3 = constant(C3), c2 = constant(C2);
  const low = constant(LOWEST), high = constant(HIGHEST);
  const linear = f32x4.splat(LINEAR), cubic = f32x4.splat(CUBIC), widest = f32x4.splat(WIDEST);
  const three = f32x4.splat(3);
  const width: usize = f << 2;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < f; j += 4) {
      const at: usize = j << 2;
      const gate = v128.load(x + at);
      const near = f32x4.pmin(f32x4.pmax(gate, f32x4.neg(widest)), widest);
      const bend = f32x4.mul(cubic, f32x4.mul(near, near));
      const k = f32x4.mul(near, f32x4.add(linear, bend));
      const z = f32x4.pmin(f32x4.pmax(f32x4.neg(k), low), high);
      const open = f32x4.div(one, f32x4.add(one, expNear4(z, perLn2, one, rounding, ln2, c5, c4, c3, c2)));
      const pass = f32x4.mul(v128.load(dy + at), open);
      const steep = f32x4.mul(near, f32x4.add(linear, f32x4.mul(three, bend)));
      const slope = f32x4.add(one, f32x4.mul(steep, f32x4.sub(one, open)));
      const dGate = f32x4.mul(f32x4.mul(pass, slope), v128.load(x + width + at));
      const dUp = f32x4.mul(pass, gate);
      if (j + 4 <= f) {
        v128.store(dx + at, dGate);
        v128.store(dx + width + at, dUp);
      } else {
        storePart(dx + at, dGate, f - j);
        storePart(dx + width + at, dUp, f - j);
      }
    }
    x += width << 1;
    dx += width << 1;
    dy += width;
  }
}
