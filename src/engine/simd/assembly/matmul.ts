// C = A·B in tiles of 4 rows × 8 columns held in registers. B is packed into panels of 8 columns (padded with
// zeros) and each 4 rows of A are interleaved, which absorbs both transposes: one inner loop serves all
// four kinds. Depth is cut into blocks so that strips and panels stay in the nearest caches.

const DEPTH: i32 = 256;

/**
 * batch × [m, n] = [m, k]·[k, n], row-major float32.
 * `flags`: 1 = A is stored [k, m], 2 = B is stored [n, k]. Strides are bytes from one batch entry to the next.
 * `scratch` holds 1024 + min(k, 256)·ceil8(n) floats.
 */
export function matmul(
  a: usize,
  b: usize,
  c: usize,
  m: i32,
  n: i32,
  k: i32,
  flags: i32,
  batch: i32,
  aStride: i32,
  bStride: i32,
  cStride: i32,
  scratch: usize,
): void {
  for (let entry = 0; entry < batch; entry++) {
    multiply(a, b, c, m, n, k, flags, scratch);
    a += aStride;
    b += bStride;
    c += cStride;
  }
}

function multiply(a: usize, b: usize, c: usize, m: i32, n: i32, k: i32, flags: i32, scratch: usize): void {
  const aRow: usize = <usize>(flags & 1 ? 1 : k) << 2; // bytes to the next row of A
  const aStep: usize = <usize>(flags & 1 ? m : 1) << 2; // bytes to the next column of A
  const rowBytes: usize = n << 2;
  const strip = scratch; // 4 rows of A, interleaved
  const panels = scratch + (DEPTH << 4);
  for (let k0 = 0; k0 < k; k0 += DEPTH) {
    const depth = min(DEPTH, k - k0);
    if (flags & 2) packTransposed(b + (k0 << 2), k, depth, n, panels);
    else packPlain(b + ((k0 * n) << 2), n, depth, panels);
    const aBlock = a + aStep * k0;
    const panelBytes: usize = depth << 5;
    let i = 0;
    let out = c;
    for (; i + 4 <= m; i += 4) {
      if (flags & 1) interleaveColumns(aBlock + (i << 2), aStep, depth, strip);
      else interleaveRows(aBlock + aRow * i, aRow, depth, strip);
      let panel = panels;
      for (let j = 0; j < n; j += 8) {
        tile(strip, panel, depth, out + (j << 2), rowBytes, min(8, n - j), k0 > 0);
        panel += panelBytes;
      }
      out += rowBytes << 2;
    }
    for (; i < m; i++) {
      let panel = panels;
      for (let j = 0; j < n; j += 8) {
        singleRow(aBlock + aRow * i, aStep, panel, depth, out + (j << 2), min(8, n - j), k0 > 0);
        panel += panelBytes;
      }
      out += rowBytes;
    }
  }
}

/** 4 rows of a row-major A, side by side: out[k][row]. */
function interleaveRows(a: usize, aRow: usize, depth: i32, out: usize): void {
  let k = 0;
  for (; k + 4 <= depth; k += 4) {
    transpose4(a, aRow, out, 16);
    a += 16;
    out += 64;
  }
  for (; k < depth; k++) {
    for (let row = 0; row < 4; row++) store<f32>(out + (row << 2), load<f32>(a + aRow * row));
    a += 4;
    out += 16;
  }
}

/** 4 rows of an A stored by columns, where they already lie side by side. */
function interleaveColumns(a: usize, aStep: usize, depth: i32, out: usize): void {
  for (let k = 0; k < depth; k++) {
    v128.store(out, v128.load(a));
    a += aStep;
    out += 16;
  }
}

/** Panels of a row-major B: for each 8 columns, `depth` rows of 8 floats. */
function packPlain(b: usize, n: i32, depth: i32, out: usize): void {
  const rowBytes: usize = n << 2;
  for (let j = 0; j < n; j += 8) {
    let from = b + (j << 2);
    if (j + 8 <= n) {
      for (let k = 0; k < depth; k++) {
        v128.store(out, v128.load(from));
        v128.store(out, v128.load(from, 16), 16);
        from += rowBytes;
        out += 32;
      }
    } else {
      const columns = n - j;
      for (let k = 0; k < depth; k++) {
        v128.store(out, f32x4.splat(0));
        v128.store(out, f32x4.splat(0), 16);
        for (let l = 0; l < columns; l++) store<f32>(out + (l << 2), load<f32>(from + (l << 2)));
        from += rowBytes;
        out += 32;
      }
    }
  }
}

/** The same panels from a B stored [n, k]; `k` is the stored row length. */
function packTransposed(b: usize, k: i32, depth: i32, n: i32, out: usize): void {
  const rowBytes: usize = k << 2;
  for (let j = 0; j < n; j += 8) {
    const from = b + rowBytes * j;
    if (j + 8 <= n) {
      let at = 0;
      for (; at + 4 <= depth; at += 4) {
        transpose4(from + (at << 2), rowBytes, out, 32);
        transpose4(from + (at << 2) + (rowBytes << 2), rowBytes, out + 16, 32);
        out += 128;
      }
      for (; at < depth; at++) {
        for (let l = 0; l < 8; l++) store<f32>(out + (l << 2), load<f32>(from + rowBytes * l + (at << 2)));
        out += 32;
      }
    } else {
      const columns = n - j;
      for (let at = 0; at < depth; at++) {
        v128.store(out, f32x4.splat(0));
        v128.store(out, f32x4.splat(0), 16);
        for (let l = 0; l < columns; l++) store<f32>(out + (l << 2), load<f32>(from + rowBytes * l + (at << 2)));
        out += 32;
      }
    }
  }
}

/** Transposes a 4×4 block; row distances in bytes. */
@inline
export function transpose4(from: usize, fromRow: usize, out: usize, outRow: usize): void {
  const a = v128.load(from);
  const b = v128.load(from + fromRow);
  const c = v128.load(from + fromRow * 2);
  const d = v128.load(from + fromRow * 3);
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const ab2 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cd2 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(out, v128.shuffle<f32>(ab, cd, 0, 1, 4, 5));
  v128.store(out + outRow, v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
  v128.store(out + outRow * 2, v128.shuffle<f32>(ab2, cd2, 0, 1, 4, 5));
  v128.store(out + outRow * 3, v128.shuffle<f32>(ab2, cd2, 2, 3, 6, 7));
}

@inline
function mulAdd(sum: v128, x: v128, y: v128): v128 {
  return f32x4.add(sum, f32x4.mul(x, y));
}

/** One row of a tile: 8 numbers, of which `columns` are written; added to C after the first depth block. */
@inline
function writeRow(out: usize, low: v128, high: v128, columns: i32, isAdded: bool): void {
  if (columns == 8) {
    v128.store(out, isAdded ? f32x4.add(v128.load(out), low) : low);
    v128.store(out, isAdded ? f32x4.add(v128.load(out, 16), high) : high, 16);
  } else {
    writePart(out, low, high, columns, isAdded);
  }
}

function writePart(out: usize, low: v128, high: v128, columns: i32, isAdded: bool): void {
  let rest = low;
  for (let l = 0; l < columns; l++) {
    if (l == 4) rest = high;
    const value = f32x4.extract_lane(rest, 0);
    store<f32>(out + (l << 2), isAdded ? load<f32>(out + (l << 2)) + value : value);
    rest = v128.shuffle<f32>(rest, rest, 1, 2, 3, 0);
  }
}

/** A tile of C, 4 × 8, from an interleaved strip of A and a panel of B. */
function tile(a: usize, panel: usize, depth: i32, out: usize, outRow: usize, columns: i32, isAdded: bool): void {
  let c00 = f32x4.splat(0);
  let c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0);
  let c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0);
  let c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0);
  let c31 = f32x4.splat(0);
  const end = panel + (depth << 5);
  while (panel < end) {
    const b0 = v128.load(panel);
    const b1 = v128.load(panel, 16);
    let x = v128.load32_splat(a);
    c00 = mulAdd(c00, x, b0);
    c01 = mulAdd(c01, x, b1);
    x = v128.load32_splat(a, 4);
    c10 = mulAdd(c10, x, b0);
    c11 = mulAdd(c11, x, b1);
    x = v128.load32_splat(a, 8);
    c20 = mulAdd(c20, x, b0);
    c21 = mulAdd(c21, x, b1);
    x = v128.load32_splat(a, 12);
    c30 = mulAdd(c30, x, b0);
    c31 = mulAdd(c31, x, b1);
    a += 16;
    panel += 32;
  }
  writeRow(out, c00, c01, columns, isAdded);
  writeRow(out + outRow, c10, c11, columns, isAdded);
  writeRow(out + outRow * 2, c20, c21, columns, isAdded);
  writeRow(out + outRow * 3, c30, c31, columns, isAdded);
}

function singleRow(
  a: usize,
  aStep: usize,
  panel: usize,
  depth: i32,
  out: usize,
  columns: i32,
  isAdded: bool,
): void {
  let low = f32x4.splat(0), high = f32x4.splat(0);
  const end = panel + (depth << 5);
  while (panel < end) {
    const x = v128.load32_splat(a);
    low = mulAdd(low, x, v128.load(panel));
    high = mulAdd(high, x, v128.load(panel, 16));
    a += aStep;
    panel += 32;
  }
  writeRow(out, low, high, columns, isAdded);
}
