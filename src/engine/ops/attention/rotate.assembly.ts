// Rotary position embedding: (x1, x2) → (x1·cos − x2·sin, x2·cos + x1·sin), where x1 and x2 are the halves of a head.

/** Rotates one head of `size` floats; with `isInverse` the rotation is reversed. `out` may be `x`. */
@inline
export function rotateHead(x: usize, cos: usize, sin: usize, out: usize, size: i32, isInverse: bool): void {
  const half = size >> 1;
  const y: usize = x + (half << 2);
  const outY: usize = out + (half << 2);
  let d = 0;
  for (; d + 4 <= half; d += 4) {
    const at = d << 2;
    const c = v128.load(cos + at);
    const s = v128.load(sin + at);
    const x1 = v128.load(x + at);
    const x2 = v128.load(y + at);
    const a = f32x4.mul(x2, s);
    const b = f32x4.mul(x1, s);
    v128.store(out + at, isInverse ? f32x4.add(f32x4.mul(x1, c), a) : f32x4.sub(f32x4.mul(x1, c), a));
    v128.store(outY + at, isInverse ? f32x4.sub(f32x4.mul(x2, c), b) : f32x4.add(f32x4.mul(x2, c), b));
  }
  for (; d < half; d++) {
    const at = d << 2;
    const c = load<f32>(cos + at);
    const s = isInverse ? -load<f32>(sin + at) : load<f32>(sin + at);
    const x1 = load<f32>(x + at);
    const x2 = load<f32>(y + at);
    store<f32>(out + at, x1 * c - x2 * s);
    store<f32>(outY + at, x2 * c + x1 * s);
  }
}

/**
 * Rotates `rows` heads, which begin `line` bytes apart in x and `outLine` bytes apart in `out`. Row t is rotated by row
 * t of the tables [rows, size].
 */
export function rotateRows(
  x: usize, line: usize, cos: usize, sin: usize, out: usize, outLine: usize, rows: i32, size: i32,
): void {
  const table: usize = size << 2;
  for (let t = 0; t < rows; t++) {
    rotateHead(x, cos, sin, out, size, false);
    x += line;
    out += outLine;
    cos += table;
    sin += table;
  }
}

/** Like `rotateRows`, but with the rotation reversed. */
export function rotateRowsBack(
  x: usize, line: usize, cos: usize, sin: usize, out: usize, outLine: usize, rows: i32, size: i32,
): void {
  const table: usize = size << 2;
  for (let t = 0; t < rows; t++) {
    rotateHead(x, cos, sin, out, size, true);
    x += line;
    out += outLine;
    cos += table;
    sin += table;
  }
}
