// Products of a few rows with a matrix stored by columns, as in decoding a token. Nothing is copied into panels: every
// line of W is read once, in place, and multiplied with all rows of x while it is in the fastest cache. Each number of
// the result is a dot product that is summed in four lanes along the depth. Several numbers are summed at the same
// time: for 4 rows and 2 lines, 2 rows and 4 lines, or 1 row and 4 lines. If the computation for a line takes long, the
// processor does not load the next lines into the cache by itself, so they are read in advance.
import { sumLanes, sumsOfLanes } from '../../simd/assembly/exp.assembly';
import { mulAdd } from '../../simd/assembly/tile.assembly';

/** The number of blocks of four lines by which reading is ahead of the computation. */
const AHEAD: i32 = 2;

/** The last number that was read in advance. Without this variable, the compiler would remove the load. */
let touched: i32 = 0;

/**
 * y [m, n] = x [m, k]·wᵀ, where w is stored as [n, k]. Rows of y begin `yLine` floats apart, so a part of the columns
 * of y can be computed alone.
 */
export function fewRows(x: usize, w: usize, y: usize, m: i32, n: i32, k: i32, yLine: i32): void {
  const line: usize = k << 2;
  const yBytes: usize = yLine << 2;
  let j = 0;
  for (; j + 4 <= n; j += 4) {
    fourLines(x, w, y, m, k, yBytes, j + 4 * (AHEAD + 1) <= n ? line * (4 * AHEAD) : 0);
    w += line << 2;
    y += 16;
  }
  for (; j < n; j++) {
    oneLine(x, w, y, m, k, yBytes);
    w += line;
    y += 4;
  }
}

/**
 * Multiplies all rows of x with four lines of w, and reads the four lines that begin `ahead` bytes later in advance.
 */
export function fourLines(x: usize, w: usize, y: usize, m: i32, k: i32, yBytes: usize, ahead: usize): void {
  const line: usize = k << 2;
  let i = 0;
  for (; i + 4 <= m; i += 4) {
    fourRows(x, w, k, y, yBytes, ahead);
    fourRows(x, w + (line << 1), k, y + 8, yBytes, ahead);
    x += line << 2;
    y += yBytes << 2;
  }
  if (i + 2 <= m) {
    twoRows(x, w, k, y, yBytes);
    x += line << 1;
    y += yBytes << 1;
    i += 2;
  }
  if (i < m) oneRow(x, w, k, y);
}

/** Multiplies all rows of x with one line of w. */
export function oneLine(x: usize, w: usize, y: usize, m: i32, k: i32, yBytes: usize): void {
  for (let i = 0; i < m; i++) {
    store<f32>(y, dot(x, w, k));
    x += k << 2;
    y += yBytes;
  }
}

/** Multiplies four rows of x with two lines of w, and reads the two lines that begin `ahead` bytes later in advance. */
function fourRows(x: usize, w: usize, k: i32, out: usize, outRow: usize, ahead: usize): void {
  const line: usize = k << 2;
  const end: usize = (k & ~3) << 2;
  const x1 = x + line, x2 = x1 + line, x3 = x2 + line;
  const w1 = w + line;
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0), c31 = f32x4.splat(0);
  let seen = 0;
  for (let at: usize = 0; at < end; at += 16) {
    seen |= load<i32>(w + ahead + (at << 1));
    const a = v128.load(w + at);
    const b = v128.load(w1 + at);
    let row = v128.load(x + at);
    c00 = mulAdd(c00, row, a);
    c01 = mulAdd(c01, row, b);
    row = v128.load(x1 + at);
    c10 = mulAdd(c10, row, a);
    c11 = mulAdd(c11, row, b);
    row = v128.load(x2 + at);
    c20 = mulAdd(c20, row, a);
    c21 = mulAdd(c21, row, b);
    row = v128.load(x3 + at);
    c30 = mulAdd(c30, row, a);
    c31 = mulAdd(c31, row, b);
  }
  touched = seen;
  const upper = sumsOfLanes(c00, c01, c10, c11);
  const lower = sumsOfLanes(c20, c21, c30, c31);
  v128.store64_lane(out, upper, 0);
  v128.store64_lane(out + outRow, upper, 1);
  v128.store64_lane(out + outRow * 2, lower, 0);
  v128.store64_lane(out + outRow * 3, lower, 1);
  if (k & 3) addRest(x, w, k, out, outRow, 4, 2);
}

/** Multiplies two rows of x with four lines of w. */
function twoRows(x: usize, w: usize, k: i32, out: usize, outRow: usize): void {
  const line: usize = k << 2;
  const end: usize = (k & ~3) << 2;
  const x1 = x + line;
  const w1 = w + line, w2 = w1 + line, w3 = w2 + line;
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0), c02 = f32x4.splat(0), c03 = f32x4.splat(0);
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0), c12 = f32x4.splat(0), c13 = f32x4.splat(0);
  for (let at: usize = 0; at < end; at += 16) {
    const a = v128.load(x + at);
    const b = v128.load(x1 + at);
    let weights = v128.load(w + at);
    c00 = mulAdd(c00, a, weights);
    c10 = mulAdd(c10, b, weights);
    weights = v128.load(w1 + at);
    c01 = mulAdd(c01, a, weights);
    c11 = mulAdd(c11, b, weights);
    weights = v128.load(w2 + at);
    c02 = mulAdd(c02, a, weights);
    c12 = mulAdd(c12, b, weights);
    weights = v128.load(w3 + at);
    c03 = mulAdd(c03, a, weights);
    c13 = mulAdd(c13, b, weights);
  }
  v128.store(out, sumsOfLanes(c00, c01, c02, c03));
  v128.store(out + outRow, sumsOfLanes(c10, c11, c12, c13));
  if (k & 3) addRest(x, w, k, out, outRow, 2, 4);
}

/** Multiplies one row of x with four lines of w. */
function oneRow(x: usize, w: usize, k: i32, out: usize): void {
  const line: usize = k << 2;
  const end: usize = (k & ~3) << 2;
  const w1 = w + line, w2 = w1 + line, w3 = w2 + line;
  let c0 = f32x4.splat(0), c1 = f32x4.splat(0), c2 = f32x4.splat(0), c3 = f32x4.splat(0);
  for (let at: usize = 0; at < end; at += 16) {
    const row = v128.load(x + at);
    c0 = mulAdd(c0, row, v128.load(w + at));
    c1 = mulAdd(c1, row, v128.load(w1 + at));
    c2 = mulAdd(c2, row, v128.load(w2 + at));
    c3 = mulAdd(c3, row, v128.load(w3 + at));
  }
  v128.store(out, sumsOfLanes(c0, c1, c2, c3));
  if (k & 3) addRest(x, w, k, out, 0, 1, 4);
}

/** Adds the products of the last k & 3 numbers along the depth. */
function addRest(x: usize, w: usize, k: i32, out: usize, outRow: usize, rows: i32, lines: i32): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < lines; j++) {
      const to = out + outRow * i + (j << 2);
      store<f32>(to, load<f32>(to) + restOf(x + ((i * k) << 2), w + ((j * k) << 2), k));
    }
  }
}

function dot(x: usize, w: usize, k: i32): f32 {
  const end: usize = (k & ~3) << 2;
  let c = f32x4.splat(0);
  for (let at: usize = 0; at < end; at += 16) c = mulAdd(c, v128.load(x + at), v128.load(w + at));
  return sumLanes(c) + restOf(x, w, k);
}

function restOf(x: usize, w: usize, k: i32): f32 {
  let sum: f32 = 0;
  for (let at = k & ~3; at < k; at++) sum += load<f32>(x + (at << 2)) * load<f32>(w + (at << 2));
  return sum;
}
