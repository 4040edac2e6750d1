// The embedding and its gradient. Both functions return the position of the first id outside [0, v), or −1 if there is
// none.

/**
 * Copies the row of table [v, c] for each id. Returns the position of the first id outside [0, v), or −1 if there is
 * none.
 */
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

/**
 * Computes dTable [v, c]: each row is the sum of the rows of dy [n, c] whose id is this row, added in the order of
 * positions.
 */
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
