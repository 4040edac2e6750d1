// Kernels over the rows of [n, c]: softmax and sums.
import { exp4, exp1, maxLanes, sumLanes } from '../assembly/exp.assembly';

/** The largest of `count` numbers, each multiplied by `factor`. */
export function maxScaled(x: usize, count: i32, factor: f32): f32 {
  let top: f32 = -Infinity;
  let j = 0;
  if (count >= 4) {
    let tops = f32x4.splat(-Infinity);
    for (; j + 4 <= count; j += 4) tops = f32x4.pmax(f32x4.mul(v128.load(x + (j << 2)), f32x4.splat(factor)), tops);
    top = maxLanes(tops);
  }
  for (; j < count; j++) top = max(top, load<f32>(x + (j << 2)) * factor);
  return top;
}

/** Computes out = exp(x·factor − top) and returns the sum of all elements of out. */
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

/** Softmax of each row. */
export function softmaxRows(x: usize, out: usize, n: i32, c: i32): void {
  const rowBytes: usize = c << 2;
  for (let i = 0; i < n; i++) {
    const top = maxScaled(x, c, 1);
    const sum = expShifted(x, out, c, 1, top);
    const inverse: f32 = 1 / sum;
    for (let j = 0; j < c; j++) store<f32>(out + (j << 2), load<f32>(out + (j << 2)) * inverse);
    x += rowBytes;
    out += rowBytes;
  }
}

/** out[i] is the sum of row i, computed in chunks. */
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
