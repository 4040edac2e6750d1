// The two inner loops that all products use. Each computes 4 rows × 8 columns of a product in registers. `tile` reads
// four rows whose numbers are interleaved, and `rowTile` reads each row from its own place in memory. Only a limited
// number of vectors is used at the same time: V8 loads everything that an iteration needs at its start, so eight sums,
// six operands and one product fill exactly the fifteen registers that V8 can use on x86. With two values of k per
// iteration, or a wider tile, some sums would be kept in memory, which takes twice as long.

// The sum must be the second operand of the addition, because fusedProducts.ts searches the compiled module for this
// order.
@inline
export function mulAdd(sum: v128, x: v128, y: v128): v128 {
  return f32x4.add(f32x4.mul(x, y), sum);
}

/** Writes one row of a tile: the first `columns` of its 8 numbers. */
@inline
function writeRow(out: usize, low: v128, high: v128, columns: i32, isAdded: bool): void {
  if (columns >= 8) {
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

/**
 * out[row][column] = Σ_k a[k][row]·panel[k][column]; from one k to the next, the addresses in a and panel increase by
 * `aStep` and `panelStep` bytes. Writes `rows` ≤ 4 rows, `outRow` bytes apart, and `columns` columns (all of them if it
 * is 8 or more); `isAdded` adds to the existing values.
 */
export function tile(
  a: usize, aStep: usize, panel: usize, panelStep: usize, depth: i32,
  out: usize, outRow: usize, rows: i32, columns: i32, isAdded: bool,
): void {
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0), c31 = f32x4.splat(0);
  const end = a + aStep * depth;
  while (a < end) {
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
    a += aStep;
    panel += panelStep;
  }
  writeRow(out, c00, c01, columns, isAdded);
  if (rows > 1) writeRow(out + outRow, c10, c11, columns, isAdded);
  if (rows > 2) writeRow(out + outRow * 2, c20, c21, columns, isAdded);
  if (rows > 3) writeRow(out + outRow * 3, c30, c31, columns, isAdded);
}

/**
 * out[row][column] = Σ a[row][k]·panel[k][column]. The sum consists of `rounds` sections, each over `depth` values of
 * k. The rows of a are `aRow` bytes apart. From one section to the next, the address in a also jumps by `aJump` bytes,
 * and each jump is `aGrowth` bytes longer than the previous one. Writes 4 rows, `outRow` bytes apart, and `columns`
 * columns (all of them if it is 8 or more).
 */
export function rowTile(
  a: usize, aRow: usize, panel: usize, panelStep: usize, depth: i32,
  rounds: i32, aJump: usize, aGrowth: usize,
  out: usize, outRow: usize, columns: i32, isAdded: bool,
): void {
  let c00 = f32x4.splat(0), c01 = f32x4.splat(0);
  let c10 = f32x4.splat(0), c11 = f32x4.splat(0);
  let c20 = f32x4.splat(0), c21 = f32x4.splat(0);
  let c30 = f32x4.splat(0), c31 = f32x4.splat(0);
  for (; rounds > 0; rounds--) {
    const a1 = a + aRow;
    const a2 = a1 + aRow;
    const a3 = a2 + aRow;
    const end: usize = depth << 2;
    for (let k: usize = 0; k < end; k += 4) {
      const b0 = v128.load(panel);
      const b1 = v128.load(panel, 16);
      let x = v128.load32_splat(a + k);
      c00 = mulAdd(c00, x, b0);
      c01 = mulAdd(c01, x, b1);
      x = v128.load32_splat(a1 + k);
      c10 = mulAdd(c10, x, b0);
      c11 = mulAdd(c11, x, b1);
      x = v128.load32_splat(a2 + k);
      c20 = mulAdd(c20, x, b0);
      c21 = mulAdd(c21, x, b1);
      x = v128.load32_splat(a3 + k);
      c30 = mulAdd(c30, x, b0);
      c31 = mulAdd(c31, x, b1);
      panel += panelStep;
    }
    a += aJump;
    aJump += aGrowth;
  }
  writeRow(out, c00, c01, columns, isAdded);
  writeRow(out + outRow, c10, c11, columns, isAdded);
  writeRow(out + outRow * 2, c20, c21, columns, isAdded);
  writeRow(out + outRow * 3, c30, c31, columns, isAdded);
}

/** Computes one row of a product: out[column] = Σ_k a[k]·panel[k][column]. */
export function singleRow(
  a: usize, aStep: usize, panel: usize, depth: i32, out: usize, columns: i32, isAdded: bool,
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

/** Transposes a 4×4 block; the distances between rows are in bytes. */
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
