// C = A·B in tiles of 4 rows × 8 columns that are kept in registers. B is copied into panels of 8 columns (padded with
// zeros), whether or not it is stored transposed. A block of B, 256 deep and 256 columns wide, stays in the L2 cache
// while all rows of A are multiplied with it. The order of the sum along the depth does not depend on how the columns
// are divided into blocks. A is read in place, unless it is stored by columns. In that case the rows of four tiles,
// which share cache lines, are first copied together, because columns that are far apart in memory would remove each
// other from the cache.
import { rowTile, singleRow, tile, transpose4 } from '../../simd/assembly/tile.assembly';

export const DEPTH: i32 = 256;
export const COLUMNS: i32 = 256;

/**
 * Computes [m, n] = [m, k]·[k, n] for each batch entry, in row-major float32. `flags`: 1 = A is stored as [k, m], 2 = B
 * is stored as [n, k], 4 = the product is added to the existing values. `aLine` is the number of floats from the
 * beginning of one stored line of A to that of the next, so a part of A's rows (or of its columns if it is stored as
 * [k, m]) can be multiplied separately. Strides are bytes from one batch entry to the next. `scratch` contains 4096 +
 * min(k, 256)·ceil8(min(n, 256)) floats.
 */
export function matmul(
  a: usize, b: usize, c: usize,
  m: i32, n: i32, k: i32, flags: i32, aLine: i32,
  batch: i32, aStride: i32, bStride: i32, cStride: i32,
  scratch: usize,
): void {
  for (let entry = 0; entry < batch; entry++) {
    multiply(a, b, c, m, n, k, flags, aLine, scratch);
    a += aStride;
    b += bStride;
    c += cStride;
  }
}

function multiply(
  a: usize, b: usize, c: usize, m: i32, n: i32, k: i32, flags: i32, aLine: i32, scratch: usize,
): void {
  const aStep: usize = <usize>(flags & 1 ? aLine : 1) << 2; // bytes to the next column of A
  const panels = scratch + (DEPTH << 6);
  for (let j = 0; j < n; j += COLUMNS) {
    const columns = min(COLUMNS, n - j);
    for (let k0 = 0; k0 < k; k0 += DEPTH) {
      const depth = min(DEPTH, k - k0);
      if (flags & 2) packTransposed(b + ((j * k + k0) << 2), k, depth, columns, panels);
      else packPlain(b + ((k0 * n + j) << 2), n, depth, columns, panels);
      multiplyBlock(a + aStep * k0, panels, c + (j << 2), m, columns, depth, flags, aLine, n, scratch, k0 > 0 || (flags & 4) != 0);
    }
  }
}

/** Multiplies all rows of A, over the given depth, with the prepared `panels`. Rows of C begin `cLine` floats apart. */
export function multiplyBlock(
  a: usize, panels: usize, c: usize, m: i32, columns: i32, depth: i32, flags: i32, aLine: i32, cLine: i32,
  scratch: usize, isAdded: bool,
): void {
  const aRow: usize = <usize>(flags & 1 ? 1 : aLine) << 2; // bytes to the next row of A
  const aStep: usize = <usize>(flags & 1 ? aLine : 1) << 2;
  const rowBytes: usize = cLine << 2;
  const panelBytes: usize = depth << 5;
  let i = 0;
  for (; i + 4 <= m; i += 4) {
    const from = a + aRow * i;
    const strip = scratch + ((i >> 2) & 3) * (depth << 4);
    if (flags & 1 && !(i & 15)) interleaveColumns(from, aStep, depth, scratch, min(4, (m - i) >> 2));
    let panel = panels;
    for (let j = 0; j < columns; j += 8) {
      const to = c + (j << 2);
      if (flags & 1) tile(strip, 16, panel, 32, depth, to, rowBytes, 4, columns - j, isAdded);
      else rowTile(from, aRow, panel, 32, depth, 1, 0, 0, to, rowBytes, columns - j, isAdded);
      panel += panelBytes;
    }
    c += rowBytes << 2;
  }
  for (; i < m; i++) {
    let panel = panels;
    for (let j = 0; j < columns; j += 8) {
      singleRow(a + aRow * i, aStep, panel, depth, c + (j << 2), columns - j, isAdded);
      panel += panelBytes;
    }
    c += rowBytes;
  }
}

/** Copies the rows of up to four adjacent tiles of an A that is stored by columns to [tile, depth, 4]. */
function interleaveColumns(a: usize, aStep: usize, depth: i32, out: usize, tiles: i32): void {
  const tileBytes: usize = depth << 4;
  const end = out + tileBytes;
  if (tiles == 4) {
    for (; out < end; out += 16) {
      v128.store(out, v128.load(a));
      v128.store(out + tileBytes, v128.load(a, 16));
      v128.store(out + tileBytes * 2, v128.load(a, 32));
      v128.store(out + tileBytes * 3, v128.load(a, 48));
      a += aStep;
    }
    return;
  }
  for (; out < end; out += 16) {
    for (let t = 0; t < tiles; t++) v128.store(out + tileBytes * t, v128.load(a + (t << 4)));
    a += aStep;
  }
}

/**
 * Copies some columns of a row-major B, whose rows begin `bLine` floats apart, into panels: for each 8 columns, `depth`
 * rows of 8 floats.
 */
function packPlain(b: usize, bLine: i32, depth: i32, n: i32, out: usize): void {
  const rowBytes: usize = bLine << 2;
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

/** Copies the same panels from a B that is stored as [n, k]; `k` is the length of a stored row. */
export function packTransposed(b: usize, k: i32, depth: i32, n: i32, out: usize): void {
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

