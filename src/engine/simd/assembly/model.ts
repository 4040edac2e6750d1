// The remaining pieces of a Llama block: gated activation, rotary positions, embedding.
import { exp4, exp1 } from './exp';

/** out = gate / (1 + e^−gate) · up. */
export function swiGlu(gate: usize, up: usize, out: usize, count: i32): void {
  const one = f32x4.splat(1);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = i << 2;
    const z = v128.load(gate + at);
    const silu = f32x4.div(z, f32x4.add(one, exp4(f32x4.neg(z))));
    v128.store(out + at, f32x4.mul(silu, v128.load(up + at)));
  }
  for (; i < count; i++) {
    const at = i << 2;
    const z = load<f32>(gate + at);
    store<f32>(out + at, (z / (1 + exp1(-z))) * load<f32>(up + at));
  }
}

/** dGate = dy·up·(σ + silu·(1 − σ)), dUp = dy·silu. */
export function swiGluGrad(gate: usize, up: usize, dy: usize, dGate: usize, dUp: usize, count: i32): void {
  const one = f32x4.splat(1);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = i << 2;
    const z = v128.load(gate + at);
    const open = f32x4.div(one, f32x4.add(one, exp4(f32x4.neg(z))));
    const silu = f32x4.mul(z, open);
    const d = v128.load(dy + at);
    const slope = f32x4.add(open, f32x4.mul(silu, f32x4.sub(one, open)));
    v128.store(dGate + at, f32x4.mul(f32x4.mul(d, v128.load(up + at)), slope));
    v128.store(dUp + at, f32x4.mul(d, silu));
  }
  for (; i < count; i++) {
    const at = i << 2;
    const z = load<f32>(gate + at);
    const open: f32 = 1 / (1 + exp1(-z));
    const silu = z * open;
    const d = load<f32>(dy + at);
    store<f32>(dGate + at, d * load<f32>(up + at) * (open + silu * (1 - open)));
    store<f32>(dUp + at, d * silu);
  }
}

/** x, out [B, T, H, D]; cos, sin [tables, T, D] with tables 1 or B; sign −1 turns back. */
export function rope(
  x: usize,
  cos: usize,
  sin: usize,
  out: usize,
  batch: i32,
  length: i32,
  heads: i32,
  size: i32,
  tables: i32,
  sign: f32,
): void {
  const half = size >> 1;
  const halfBytes: usize = half << 2;
  for (let b = 0; b < batch; b++) {
    for (let t = 0; t < length; t++) {
      const table: usize = (<usize>(((tables > 1 ? b : 0) * length + t) * size)) << 2;
      for (let h = 0; h < heads; h++) {
        let d = 0;
        for (; d + 4 <= half; d += 4) {
          const at = d << 2;
          const c = v128.load(cos + table + at);
          const s = f32x4.mul(v128.load(sin + table + at), f32x4.splat(sign));
          const x1 = v128.load(x + at);
          const x2 = v128.load(x + at + halfBytes);
          v128.store(out + at, f32x4.sub(f32x4.mul(x1, c), f32x4.mul(x2, s)));
          v128.store(out + at + halfBytes, f32x4.add(f32x4.mul(x2, c), f32x4.mul(x1, s)));
        }
        for (; d < half; d++) {
          const at = d << 2;
          const c = load<f32>(cos + table + at);
          const s = load<f32>(sin + table + at) * sign;
          const x1 = load<f32>(x + at);
          const x2 = load<f32>(x + at + halfBytes);
          store<f32>(out + at, x1 * c - x2 * s);
          store<f32>(out + at + halfBytes, x2 * c + x1 * s);
        }
        x += (<usize>size) << 2;
        out += (<usize>size) << 2;
      }
    }
  }
}

/** Rows of table [v, c]; returns the first position whose id is outside [0, v), or −1. */
export function embed(ids: usize, table: usize, out: usize, n: i32, v: i32, c: i32): i32 {
  const rowBytes: usize = c << 2;
  for (let i = 0; i < n; i++) {
    const id = load<i32>(ids + (i << 2));
    if (<u32>id >= <u32>v) return i;
    memory.copy(out, table + rowBytes * id, rowBytes);
    out += rowBytes;
  }
  return -1;
}

/** dTable [v, c] = Σ of the rows of dy [n, c] that carry each id, in order of position. */
export function embedGrad(ids: usize, dy: usize, dTable: usize, n: i32, v: i32, c: i32): i32 {
  const rowBytes: usize = c << 2;
  memory.fill(dTable, 0, rowBytes * v);
  for (let i = 0; i < n; i++) {
    const id = load<i32>(ids + (i << 2));
    if (<u32>id >= <u32>v) return i;
    const row = dTable + rowBytes * id;
    let j = 0;
    for (; j + 4 <= c; j += 4) {
      const at = j << 2;
      v128.store(row + at, f32x4.add(v128.load(row + at), v128.load(dy + at)));
    }
    for (; j < c; j++) {
      const at = j << 2;
      store<f32>(row + at, load<f32>(row + at) + load<f32>(dy + at));
    }
    dy += rowBytes;
  }
  return -1;
}
