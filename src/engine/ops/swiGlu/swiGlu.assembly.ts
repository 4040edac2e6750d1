// The gated activation of a Llama block.
import { C2, C3, C4, C5, constant, expNear4, HIGHEST, LN2, LOWEST, ONE, PER_LN2, ROUNDING } from '../../simd/assembly/exp.assembly';

/**
 * Computes y [n, f] from x [n, 2·f], whose rows contain the gates followed by the values `up`: gate·σ·up with σ = 1 /
 * (1 + e^−gate).
 */
export function swiGlu(x: usize, y: usize, n: i32, f: i32): void {
  const perLn2 = constant(PER_LN2), one = constant(ONE), rounding = constant(ROUNDING), ln2 = constant(LN2);
  const c5 = constant(C5), c4 = constant(C4), c3 = constant(C3), c2 = constant(C2);
  const low = constant(LOWEST), high = constant(HIGHEST);
  const width: usize = f << 2;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < f; j += 4) {
      const at: usize = j << 2;
      const gate = v128.load(x + at);
      const z = f32x4.pmin(f32x4.pmax(f32x4.neg(gate), low), high);
      const away = f32x4.add(one, expNear4(z, perLn2, one, rounding, ln2, c5, c4, c3, c2));
      const value = f32x4.mul(f32x4.div(gate, away), v128.load(x + width + at));
      if (j + 4 <= f) v128.store(y + at, value);
      else storePart(y + at, value, f - j);
    }
    x += width << 1;
    y += width;
  }
}

/** dx [n, 2·f]: dGate = dy·up·σ·(1 + gate·(1 − σ)), dUp = dy·gate·σ. */
export function swiGluGrad(x: usize, dy: usize, dx: usize, n: i32, f: i32): void {
  const perLn2 = constant(PER_LN2), one = constant(ONE), rounding = constant(ROUNDING), ln2 = constant(LN2);
  const c5 = constant(C5), c4 = constant(C4), c3 = constant(C3), c2 = constant(C2);
  const low = constant(LOWEST), high = constant(HIGHEST);
  const width: usize = f << 2;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < f; j += 4) {
      const at: usize = j << 2;
      const gate = v128.load(x + at);
      const z = f32x4.pmin(f32x4.pmax(f32x4.neg(gate), low), high);
      const open = f32x4.div(one, f32x4.add(one, expNear4(z, perLn2, one, rounding, ln2, c5, c4, c3, c2)));
      const pass = f32x4.mul(v128.load(dy + at), open);
      const slope = f32x4.add(one, f32x4.mul(gate, f32x4.sub(one, open)));
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

/** Writes the first `lanes` of four numbers. */
export function storePart(out: usize, value: v128, lanes: i32): void {
  for (; lanes > 0; lanes--) {
    store<f32>(out, f32x4.extract_lane(value, 0));
    value = v128.shuffle<f32>(value, value, 1, 2, 3, 0);
    out += 4;
  }
}
