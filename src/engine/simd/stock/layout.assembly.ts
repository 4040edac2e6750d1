// Copies of blocks of numbers. Slice, concat and transpose use them.
import { transpose4 } from '../assembly/tile.assembly';

/** Copies `rows` blocks of `bytes` bytes; steps are the bytes from one block to the next. */
export function copyBlocks(from: usize, fromStep: i32, out: usize, outStep: i32, rows: i32, bytes: i32): void {
  for (let row = 0; row < rows; row++) {
    memory.copy(out, from, bytes);
    from += fromStep;
    out += outStep;
  }
}

/**
 * out [batch, n, m, block] from x [batch, m, n, block]: exchanges two neighbouring axes; `block` is the number of
 * floats that stay together.
 */
export function transposeBlocks(x: usize, out: usize, batch: i32, m: i32, n: i32, block: i32): void {
  const entry: usize = (m * n * block) << 2;
  for (let b = 0; b < batch; b++) {
    if (block == 1) transposePlain(x, out, m, n);
    else {
      const bytes: usize = block << 2;
      for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++) memory.copy(out + bytes * (j * m + i), x + bytes * (i * n + j), bytes);
    }
    x += entry;
    out += entry;
  }
}

function transposePlain(x: usize, out: usize, m: i32, n: i32): void {
  const inRow: usize = n << 2;
  const outRow: usize = m << 2;
  let i = 0;
  for (; i + 4 <= m; i += 4) {
    let j = 0;
    for (; j + 4 <= n; j += 4) transpose4(x + inRow * i + (j << 2), inRow, out + outRow * j + (i << 2), outRow);
    for (; j < n; j++)
      for (let l = i; l < i + 4; l++) store<f32>(out + outRow * j + (l << 2), load<f32>(x + inRow * l + (j << 2)));
  }
  for (; i < m; i++)
    for (let j = 0; j < n; j++) store<f32>(out + outRow * j + (i << 2), load<f32>(x + inRow * i + (j << 2)));
}
