// Kernels over the rows of [n, c]: root mean square normalisation, softmax, sums.
import { exp4, exp1, maxLanes, sumLanes } from './exp';

/** How many rows are summed in float32 before they join the total: keeps long sums accurate. */
const CHUNK: i32 = 64;

/** out = x / sqrt(mean(x²) + eps) · gain. */
export function rmsNorm(x: usize, gain: usize, out: usize, n: i32, c: i32, eps: f32): void {
  const rowBytes: usize = c << 2;
  for (let i = 0; i < n; i++) {
    const inverse = inverseRoot(x, c, eps);
    const times = f32x4.splat(inverse);
    let j = 0;
    for (; j + 4 <= c; j += 4) {
      const at = j << 2;
      v128.store(out + at, f32x4.mul(f32x4.mul(v128.load(x + at), times), v128.load(gain + at)));
    }
    for (; j < c; j++) {
      const at = j << 2;
      store<f32>(out + at, load<f32>(x + at) * inverse * load<f32>(gain + at));
    }
    x += rowBytes;
    out += rowBytes;
  }
}

/** dx [n, c] and dGain [c]; `scratch`: c floats. */
export function rmsNormGrad(
  x: usize, gain: usize, dy: usize, dx: usize, dGain: usize, n: i32, c: i32, eps: f32, scratch: usize,
): void {
  const rowBytes: usize = c << 2;
  memory.fill(dGain, 0, rowBytes);
  for (let start = 0; start < n; start += CHUNK) {
    memory.fill(scratch, 0, rowBytes);
    const end = min(n, start + CHUNK);
    for (let i = start; i < end; i++) {
      rmsNormGradRow(x, gain, dy, dx, scratch, c, eps);
      x += rowBytes;
      dy += rowBytes;
      dx += rowBytes;
    }
    for (let j = 0; j < c; j++) {
      const at = j << 2;
      store<f32>(dGain + at, load<f32>(dGain + at) + load<f32>(scratch + at));
    }
  }
}

@inline
function inverseRoot(x: usize, c: i32, eps: f32): f32 {
  let squares = f32x4.splat(0);
  let j = 0;
  for (; j + 4 <= c; j += 4) {
    const y = v128.load(x + (j << 2));
    squares = f32x4.add(squares, f32x4.mul(y, y));
  }
  let sum = sumLanes(squares);
  for (; j < c; j++) {
    const y = load<f32>(x + (j << 2));
    sum += y * y;
  }
  return 1 / sqrt<f32>(sum / <f32>c + eps);
}

function rmsNormGradRow(x: usize, gain: usize, dy: usize, dx: usize, dGain: usize, c: i32, eps: f32): void {
  const inverse = inverseRoot(x, c, eps);
  const times = f32x4.splat(inverse);
  // dx = r·(dy·gain − unit·mean(dy·gain·unit)), unit = x·r; dGain += dy·unit
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
    v128.store(dx + at, f32x4.mul(times, f32x4.sub(direct, f32x4.mul(v128.load(x + at), backs))));
  }
  for (; j < c; j++) {
    const at = j << 2;
    const direct = load<f32>(dy + at) * load<f32>(gain + at);
    store<f32>(dx + at, inverse * (direct - load<f32>(x + at) * back));
  }
}

/** Largest of `count` numbers, each times `factor`. */
export function maxScaled(x: usize, count: i32, factor: f32): f32 {
  let top: f32 = -Infinity;
  let j = 0;
  if (count >= 4) {
    let tops = f32x4.splat(-Infinity);
    for (; j + 4 <= count; j += 4) tops = f32x4.max(tops, f32x4.mul(v128.load(x + (j << 2)), f32x4.splat(factor)));
    top = maxLanes(tops);
  }
  for (; j < count; j++) top = max(top, load<f32>(x + (j << 2)) * factor);
  return top;
}

/** out = exp(x·factor − top), and its sum. */
export function expShifted(x: usize, out: usize, count: i32, factor: f32, top: f32): f32 {
  let sums = f32x4.splat(0);
  let j = 0;
  for (; j + 4 <= count; j += 4) {
    const shifted = f32x4.sub(f32x4.mul(v128.load(x + (j << 2)), f32x4.splat(factor)), f32x4.splat(top));
    const e = exp4(shifted);
    v128.store(out + (j << 2), e);
    sums = f32x4.add(sums, e);
  }
  let sum = sumLanes(sums);
  for (; j < count; j++) {
    const e = exp1(load<f32>(x + (j << 2)) * factor - top);
    store<f32>(out + (j << 2), e);
    sum += e;
  }
  return sum;
}

/** Softmax of each row, or its logarithm. */
export function softmaxRows(x: usize, out: usize, n: i32, c: i32, isLog: bool): void {
  const rowBytes: usize = c << 2;
  for (let i = 0; i < n; i++) {
    const top = maxScaled(x, c, 1);
    const sum = expShifted(x, out, c, 1, top);
    const inverse: f32 = 1 / sum;
    const shift = top + Mathf.log(sum);
    for (let j = 0; j < c; j++) {
      const at = j << 2;
      store<f32>(out + at, isLog ? load<f32>(x + at) - shift : load<f32>(out + at) * inverse);
    }
    x += rowBytes;
    out += rowBytes;
  }
}

/** out[i] = Σ row i, summed in chunks. */
export function sumRows(x: usize, out: usize, n: i32, c: i32): void {
  for (let i = 0; i < n; i++) {
    let total: f64 = 0;
    let j = 0;
    while (j + 4 <= c) {
      const end = min(c & ~3, j + 256);
      let sums = f32x4.splat(0);
      for (; j < end; j += 4) sums = f32x4.add(sums, v128.load(x + (j << 2)));
      total += <f64>sumLanes(sums);
    }
    for (; j < c; j++) total += <f64>load<f32>(x + (j << 2));
    store<f32>(out + (i << 2), <f32>total);
    x += <usize>c << 2;
  }
}
