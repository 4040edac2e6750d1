// Products with a frozen matrix W [rows, columns], in the form in which GGUF files store it. If x has many rows, each
// block of W is converted to floats once, when panels of W are prepared. If x has a single row, float weights are
// converted in registers, and quantised weights stay integers: the row of x is rounded to 16-bit integers instead. If x
// has a few rows, they all use the same converted rows of W, which fit in the fastest cache. W has no gradient.
import { fourLines, oneLine } from '../linear/fewRows.assembly';
import { COLUMNS, DEPTH, multiplyBlock, packTransposed } from '../linear/matmul.assembly';
import { F16, blockBytes, dotBlocks, roundRow, unpack } from './blocks.assembly';

/**
 * Computes y [m, rows] = x [m, columns]·Wᵀ, or with `isBack` y [m, columns] = x [m, rows]·W.
 * `scratch`: 4096 + 2048 + 65,536 floats.
 */
export function frozenMatmul(
  x: usize, w: usize, y: usize, m: i32, rows: i32, columns: i32, format: i32, isBack: i32, scratch: usize,
): void {
  const n = isBack ? columns : rows;
  const k = isBack ? rows : columns;
  const line = scratch + (DEPTH << 6);
  const panels = line + (DEPTH << 5);
  for (let j = 0; j < n; j += COLUMNS) {
    const across = min(COLUMNS, n - j);
    for (let k0 = 0; k0 < k; k0 += DEPTH) {
      const depth = min(DEPTH, k - k0);
      if (isBack) packRows(w, columns, format, k0, depth, j, across, line, panels);
      else packLines(w, columns, format, j, across, k0, depth, line, panels);
      multiplyBlock(x + (k0 << 2), panels, y + (j << 2), m, across, depth, 0, k, n, scratch, k0 > 0);
    }
  }
}

/** The address of the block that contains the number of W at a row and column. */
@inline
function blockOf(w: usize, row: i32, column: i32, columns: i32, format: i32): usize {
  return w + <usize>(row * (columns >> 5) + (column >> 5)) * blockBytes(format);
}

/**
 * Copies rows of W, which become columns of the product, from column `k0` on into panels, as floats. `lines`: 8 × depth
 * floats.
 */
function packLines(
  w: usize, columns: i32, format: i32, row: i32, rows: i32, k0: i32, depth: i32, lines: usize, panels: usize,
): void {
  for (let j = 0; j < rows; j += 8) {
    const count = min(8, rows - j);
    for (let l = 0; l < count; l++)
      unpack(blockOf(w, row + j + l, k0, columns, format), depth >> 5, format, lines + ((l * depth) << 2));
    packTransposed(lines, depth, depth, count, panels + ((j * depth) << 2));
  }
}

/**
 * Copies columns of W from column `j` on, over the rows from `row` to `row + depth - 1`, into panels, as floats.
 * `line`: `across` floats.
 */
function packRows(
  w: usize, columns: i32, format: i32, row: i32, depth: i32, j: i32, across: i32, line: usize, panels: usize,
): void {
  const panelBytes: usize = depth << 5;
  for (let r = 0; r < depth; r++) {
    unpack(blockOf(w, row + r, j, columns, format), across >> 5, format, line);
    let out = panels + (r << 5);
    for (let at: usize = 0; at < <usize>(across << 2); at += 32) {
      v128.store(out, v128.load(line + at));
      v128.store(out, v128.load(line + at, 16), 16);
      out += panelBytes;
    }
  }
}

/** Like `frozenMatmul`, but for few rows of x. Rows of y begin `yLine` floats apart. `scratch`: 4·columns floats. */
export function frozenFew(
  x: usize, w: usize, y: usize, m: i32, rows: i32, columns: i32, format: i32, yLine: i32, scratch: usize,
): void {
  const blocks = columns >> 5;
  const lineBytes: usize = blocks * blockBytes(format);
  if (m == 1) {
    if (format != F16) roundRow(x, blocks, format, scratch);
    const given = format == F16 ? x : scratch;
    for (let j = 0; j < rows; j++) {
      store<f32>(y + (j << 2), dotBlocks(given, w, blocks, format));
      w += lineBytes;
    }
    return;
  }
  const yBytes: usize = yLine << 2;
  let j = 0;
  for (; j + 4 <= rows; j += 4) {
    for (let l = 0; l < 4; l++) {
      unpack(w, blocks, format, scratch + ((l * columns) << 2));
      w += lineBytes;
    }
    fourLines(x, scratch, y + (j << 2), m, columns, yBytes, 0);
  }
  for (; j < rows; j++) {
    unpack(w, blocks, format, scratch);
    oneLine(x, scratch, y + (j << 2), m, columns, yBytes);
    w += lineBytes;
  }
}

/**
 * Copies the row of W [v, columns] for each id, as floats. Returns the position of the first id outside [0, v), or −1
 * if there is none.
 */
export function frozenEmbed(ids: usize, w: usize, out: usize, n: i32, v: i32, columns: i32, format: i32): i32 {
  for (let i = 0; i < n; i++) {
    const id = load<i32>(ids + (i << 2));
    if (<u32>id >= <u32>v) return i;
    unpack(blockOf(w, id, 0, columns, format), columns >> 5, format, out);
    out += columns << 2;
  }
  return -1;
}
