// Root mean square normalisation of rows [n, c], alone or after an addition to the residual stream.
import { sumLanes } from '../../simd/assembly/exp.assembly';

/**
 * The number of rows that are summed in float32 before their sum is added to the total, so that rounding errors stay
 * small in long sums.
 */
const CHUNK: i32 = 64;

/** inverse[i] = 1 / sqrt(mean(x²) + eps), y = x·inverse·gain. */
export function rmsNorm(x: usize, gain: usize, y: usize, inverse: usize, n: i32, c: i32, eps: f32): void {
  const rowBytes: usize = c << 2;
  for (let i = 0; i < n; i++) {
    let squares = f32x4.splat(0);
    let j = 0;
    for (; j + 4 <= c; j += 4) {
      const z = v128.load(x + (j << 2));
      squares = f32x4.add(squares, f32x4.mul(z, z));
    }
    let sum = sumLanes(squares);
    for (; j < c; j++) {
      const z = load<f32>(x + (j << 2));
      sum += z * z;
    }
    store<f32>(inverse, scaleRow(x, gain, y, c, sum, eps));
    inverse += 4;
    x += rowBytes;
    y += rowBytes;
  }
}

/** Computes sum = x + delta, and then normalises the sum like `rmsNorm`. */
export function addNorm(
  x: usize, delta: usize, gain: usize, sum: usize, y: usize, inverse: usize, n: i32, c: i32, eps: f32,
): void {
  const rowBytes: usize = c << 2;
  for (let i = 0; i < n; i++) {
    let squares = f32x4.splat(0);
    let j = 0;
    for (; j + 4 <= c; j += 4) {
      const at = j << 2;
      const z = f32x4.add(v128.load(x + at), v128.load(delta + at));
      v128.store(sum + at, z);
      squares = f32x4.add(squares, f32x4.mul(z, z));
    }
    let total = sumLanes(squares);
    for (; j < c; j++) {
      const at = j << 2;
      const z = load<f32>(x + at) + load<f32>(delta + at);
      store<f32>(sum + at, z);
      total += z * z;
    }
    store<f32>(inverse, scaleRow(sum, gain, y, c, total, eps));
    inverse += 4;
    x += rowBytes;
    delta += rowBytes;
    sum += rowBytes;
    y += rowBytes;
  }
}

/** Writes one normalised row, and returns the factor by which it was multiplied. */
@inline
function scaleRow(x: usize, gain: usize, y: usize, c: i32, squares: f32, eps: f32): f32 {
  const factor: f32 = 1 / sqrt<f32>(squares / <f32>c + eps);
  const times = f32x4.splat(factor);
  let j = 0;
  for (; j + 4 <= c; j += 4) {
    const at = j << 2;
    v128.store(y + at, f32x4.mul(f32x4.mul(v128.load(x + at), times), v128.load(gain + at)));
  }
  for (; j < c; j++) {
    const at = j << 2;
    store<f32>(y + at, load<f32>(x + at) * factor * load<f32>(gain + at));
  }
  return factor;
}

/**
 * Computes dx [n, c] and dGain [c] for both functions above; x is the input of the normalisation. `extra` [n, c] is
 * added to dx, unless it is 0. The rows may be split into parts; each part writes its own dGain, and the caller adds
 * these. `scratch`: c floats.
 */
export function normGrad(
  x: usize, gain: usize, inverse: usize, extra: usize, dy: usize,
  dx: usize, dGain: usize,
  n: i32, c: i32, scratch: usize,
): void {
  const rowBytes: usize = c << 2;
  memory.fill(dGain, 0, rowBytes);
  for (let start = 0; start < n; start += CHUNK) {
    memory.fill(scratch, 0, rowBytes);
    const end = min(n, start + CHUNK);
    for (let i = start; i < end; i++) {
      normGradRow(x, gain, load<f32>(inverse), extra, dy, dx, scratch, c);
      inverse += 4;
      x += rowBytes;
      dy += rowBytes;
      dx += rowBytes;
      if (extra) extra += rowBytes;
    }
    let j = 0;
    for (; j + 4 <= c; j += 4) {
      const at = j << 2;
      v128.store(dGain + at, f32x4.add(v128.load(dGain + at), v128.load(scratch + at)));
    }
    for (; j < c; j++) {
      const at = j << 2;
      store<f32>(dGain + at, load<f32>(dGain + at) + load<f32>(scratch + at));
    }
  }
}

// dx = r·(dy·gain − unit·mean(dy·gain·unit)) + extra, unit = x·r; dGain += dy·unit
@inline
function normGradRow(
  x: usize, gain: usize, inverse: f32, extra: usize, dy: usize, dx: usize, dGain: usize, c: i32,
): void {
  const times = f32x4.splat(inverse);
  let along = f32x4.splat(0);
  let j = 0;
  for (; j + 4 <= c; j += 4) {
    const at = j << 2;
    const share = f32x4.mul(v128.load(dy + at), f32x4.mul(v128.load(x + at), times));
    v128.store(dGain + at, f32x4.add(v128.load(dGain + at), share));
    along = f32x4.add(along, f32x4.mul(share, v128.load(gain + at)));
  }
  let sum = sumLanes(along);
  for (; j < c; j++) {
    const at = j << 2;
    const share = load<f32>(dy + at) * (load<f32>(x + at) * inverse);
    store<f32>(dGain + at, load<f32>(dGain + at) + share);
    sum += share * load<f32>(gain + at);
  }
  const back = (sum / <f32>c) * inverse;
  const backs = f32x4.splat(back);
  j = 0;
  for (; j + 4 <= c; j += 4) {
    const at = j << 2;
    const direct = f32x4.mul(v128.load(dy + at), v128.load(gain + at));
    const value = f32x4.mul(times, f32x4.sub(direct, f32x4.mul(v128.load(x + at), backs)));
    v128.store(dx + at, extra ? f32x4.add(value, v128.load(extra + at)) : value);
  }
  for (; j < c; j++) {
    const at = j << 2;
    const direct = load<f32>(dy + at) * load<f32>(gain + at);
    const value = inverse * (direct - load<f32>(x + at) * back);
    store<f32>(dx + at, extra ? value + load<f32>(extra + at) : value);
  }
}
