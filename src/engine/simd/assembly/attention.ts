// Causal attention for short rows, one (batch, key head) at a time. Keys and values are copied once into
// transposed or padded scratch and shared by the query heads of the group; the softmax of a query lives in one
// scratch row. The backward pass recomputes the shares, keeps them and the score gradients as two matrices,
// and reads them by columns for the keys and values.
import { exp4, maxLanes, sumLanes } from './exp';

const HIDDEN: f32 = -1e9;

/**
 * out [B, T, H, D] from q [B, T, H, D], k and v [B, T, KV, D]; mask [B, T] or 0.
 * `scratch`: D·T16 + T·D4 + 2·T16 floats, T16 and D4 rounded up to multiples of 16 and 4.
 */
export function attention(
  q: usize, k: usize, v: usize, mask: usize, out: usize,
  batch: i32, length: i32, heads: i32, keyHeads: i32, size: i32,
  scratch: usize,
): void {
  const t16 = (length + 15) & ~15;
  const d4 = (size + 3) & ~3;
  const scale: f32 = 1 / sqrt<f32>(<f32>size);
  const keysByDim = scratch;
  const values = keysByDim + ((size * t16) << 2);
  const row = values + ((length * d4) << 2);
  const bias = row + (t16 << 2);
  const group = heads / keyHeads;
  for (let b = 0; b < batch; b++) {
    fillBias(mask, b, length, t16, bias);
    for (let g = 0; g < keyHeads; g++) {
      const first: usize = ((b * length * keyHeads + g) * size) << 2;
      copyByDim(k + first, (keyHeads * size) << 2, length, size, t16, scale, keysByDim);
      copyPadded(v + first, (keyHeads * size) << 2, length, size, values);
      for (let r = 0; r < group; r++) {
        for (let i = 0; i < length; i++) {
          const at: usize = (((b * length + i) * heads + g * group + r) * size) << 2;
          const total = softmaxRow(q + at, keysByDim, t16, size, bias, i, row);
          weightedSum(row, 4, i + 1, values, d4, 1 / total, out + at, size, false);
        }
      }
    }
  }
}

/**
 * Gradients dq, dk, dv of `attention` for dy [B, T, H, D].
 * `scratch`: 2·D·T16 + 3·T·D4 + 2·T·T16 + T16 floats.
 */
export function attentionGrad(
  q: usize, k: usize, v: usize, mask: usize, dy: usize,
  dq: usize, dk: usize, dv: usize,
  batch: i32, length: i32, heads: i32, keyHeads: i32, size: i32,
  scratch: usize,
): void {
  const t16 = (length + 15) & ~15;
  const d4 = (size + 3) & ~3;
  const scale: f32 = 1 / sqrt<f32>(<f32>size);
  const keysByDim = scratch;
  const valuesByDim = keysByDim + ((size * t16) << 2);
  const keys = valuesByDim + ((size * t16) << 2);
  const queries = keys + ((length * d4) << 2);
  const douts = queries + ((length * d4) << 2);
  const shares = douts + ((length * d4) << 2);
  const dScores = shares + ((length * t16) << 2);
  const bias = dScores + ((length * t16) << 2);
  const group = heads / keyHeads;
  const rowBytes: usize = t16 << 2;
  const keyRow: usize = (keyHeads * size) << 2;
  for (let b = 0; b < batch; b++) {
    fillBias(mask, b, length, t16, bias);
    for (let g = 0; g < keyHeads; g++) {
      const first: usize = ((b * length * keyHeads + g) * size) << 2;
      copyByDim(k + first, keyRow, length, size, t16, scale, keysByDim);
      copyByDim(v + first, keyRow, length, size, t16, 1, valuesByDim);
      copyPadded(k + first, keyRow, length, size, keys);
      for (let r = 0; r < group; r++) {
        const head: usize = ((b * length * heads + g * group + r) * size) << 2;
        const queryRow: usize = (heads * size) << 2;
        copyPadded(q + head, queryRow, length, size, queries);
        copyPadded(dy + head, queryRow, length, size, douts);
        for (let i = 0; i < length; i++) {
          const share = shares + rowBytes * i;
          const dScore = dScores + rowBytes * i;
          const total = softmaxRow(queries + ((i * d4) << 2), keysByDim, t16, size, bias, i, share);
          dotRow(douts + ((i * d4) << 2), valuesByDim, t16, size, i, dScore);
          scoreGradient(share, dScore, i, 1 / total, scale);
          weightedSum(dScore, 4, i + 1, keys, d4, 1, dq + head + queryRow * i, size, false);
        }
        for (let j = 0; j < length; j++) {
          const column: usize = rowBytes * j + (j << 2);
          const from: usize = (j * d4) << 2;
          const at = first + keyRow * j;
          weightedSum(dScores + column, rowBytes, length - j, queries + from, d4, 1, dk + at, size, r > 0);
          weightedSum(shares + column, rowBytes, length - j, douts + from, d4, 1, dv + at, size, r > 0);
        }
      }
    }
  }
}

function fillBias(mask: usize, b: i32, length: i32, t16: i32, bias: usize): void {
  for (let j = 0; j < t16; j++) {
    const visible: f32 = mask != 0 && j < length ? load<f32>(mask + ((b * length + j) << 2)) : 1;
    store<f32>(bias + (j << 2), (1 - visible) * HIDDEN);
  }
}

/** [length, size] with rows `rowBytes` apart → [size, t16], scaled, zero beyond the length. */
function copyByDim(from: usize, rowBytes: usize, length: i32, size: i32, t16: i32, scale: f32, out: usize): void {
  for (let d = 0; d < size; d++) {
    const line = out + ((d * t16) << 2);
    let source = from + (d << 2);
    for (let j = 0; j < length; j++) {
      store<f32>(line + (j << 2), load<f32>(source) * scale);
      source += rowBytes;
    }
    for (let j = length; j < t16; j++) store<f32>(line + (j << 2), 0);
  }
}

/** [length, size] with rows `rowBytes` apart → [length, d4], zero beyond the size. */
function copyPadded(from: usize, rowBytes: usize, length: i32, size: i32, out: usize): void {
  for (let j = 0; j < length; j++) {
    let d = 0;
    for (; d + 4 <= size; d += 4) {
      v128.store(out, v128.load(from + (d << 2)));
      out += 16;
    }
    if (d < size) {
      v128.store(out, f32x4.splat(0));
      for (let l = 0; d + l < size; l++) store<f32>(out + (l << 2), load<f32>(from + ((d + l) << 2)));
      out += 16;
    }
    from += rowBytes;
  }
}

/** row[j] = Σ_d x[d]·lines[d][j] for the blocks of 16 that hold j ≤ i. */
function dotRow(x: usize, lines: usize, t16: i32, size: i32, i: i32, row: usize): void {
  const lineBytes: usize = t16 << 2;
  for (let j = 0; j <= i; j += 16) {
    let s0 = f32x4.splat(0);
    let s1 = f32x4.splat(0);
    let s2 = f32x4.splat(0);
    let s3 = f32x4.splat(0);
    let line = lines + (j << 2);
    for (let d = 0; d < size; d++) {
      const y = v128.load32_splat(x + (d << 2));
      s0 = f32x4.add(s0, f32x4.mul(y, v128.load(line)));
      s1 = f32x4.add(s1, f32x4.mul(y, v128.load(line, 16)));
      s2 = f32x4.add(s2, f32x4.mul(y, v128.load(line, 32)));
      s3 = f32x4.add(s3, f32x4.mul(y, v128.load(line, 48)));
      line += lineBytes;
    }
    const out = row + (j << 2);
    v128.store(out, s0);
    v128.store(out, s1, 16);
    v128.store(out, s2, 32);
    v128.store(out, s3, 48);
  }
}

/** Unnormalised shares of query i in row[0 … i], zeros up to the next multiple of 4; returns their sum. */
function softmaxRow(x: usize, lines: usize, t16: i32, size: i32, bias: usize, i: i32, row: usize): f32 {
  dotRow(x, lines, t16, size, i, row);
  const count = (i + 4) & ~3;
  const own = load<f32>(row + (i << 2)); // a position never hides itself
  for (let j = i + 1; j < count; j++) store<f32>(row + (j << 2), -Infinity);
  for (let j = 0; j < count; j += 4) {
    const at = row + (j << 2);
    v128.store(at, f32x4.add(v128.load(at), v128.load(bias + (j << 2))));
  }
  store<f32>(row + (i << 2), own);
  let highest = v128.load(row);
  for (let j = 4; j < count; j += 4) highest = f32x4.max(highest, v128.load(row + (j << 2)));
  const top = f32x4.splat(maxLanes(highest));
  let total = f32x4.splat(0);
  for (let j = 0; j < count; j += 4) {
    const e = exp4(f32x4.sub(v128.load(row + (j << 2)), top));
    v128.store(row + (j << 2), e);
    total = f32x4.add(total, e);
  }
  return sumLanes(total);
}

/** Normalises the shares in place and turns their gradients into score gradients. */
function scoreGradient(share: usize, dScore: usize, i: i32, inverse: f32, scale: f32): void {
  const count = (i + 4) & ~3;
  let along = f32x4.splat(0);
  for (let j = 0; j < count; j += 4) {
    const p = f32x4.mul(v128.load(share + (j << 2)), f32x4.splat(inverse));
    v128.store(share + (j << 2), p);
    along = f32x4.add(along, f32x4.mul(p, v128.load(dScore + (j << 2))));
  }
  const mean = f32x4.splat(sumLanes(along));
  for (let j = 0; j < count; j += 4) {
    const at = dScore + (j << 2);
    const p = f32x4.mul(v128.load(share + (j << 2)), f32x4.splat(scale));
    v128.store(at, f32x4.mul(p, f32x4.sub(v128.load(at), mean)));
  }
}

/** out[d] = factor·Σ_j weight[j]·matrix[j][d], j < count; weights lie `step` bytes apart, matrix rows d4 floats. */
export function weightedSum(
  weights: usize, step: usize, count: i32, matrix: usize, d4: i32, factor: f32,
  out: usize, size: i32, isAdded: bool,
): void {
  const rowBytes: usize = d4 << 2;
  const times = f32x4.splat(factor);
  let d = 0;
  for (; d + 16 <= d4; d += 16) {
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
    let weight = weights;
    let line = matrix + (d << 2);
    for (let j = 0; j < count; j++) {
      const w = v128.load32_splat(weight);
      s0 = f32x4.add(s0, f32x4.mul(w, v128.load(line)));
      s1 = f32x4.add(s1, f32x4.mul(w, v128.load(line, 16)));
      s2 = f32x4.add(s2, f32x4.mul(w, v128.load(line, 32)));
      s3 = f32x4.add(s3, f32x4.mul(w, v128.load(line, 48)));
      weight += step;
      line += rowBytes;
    }
    const at = out + (d << 2);
    write4(at, f32x4.mul(s0, times), 4, isAdded);
    write4(at + 16, f32x4.mul(s1, times), 4, isAdded);
    write4(at + 32, f32x4.mul(s2, times), 4, isAdded);
    write4(at + 48, f32x4.mul(s3, times), min(4, size - d - 12), isAdded);
  }
  for (; d + 12 <= d4; d += 12) {
    let s0 = f32x4.splat(0);
    let s1 = f32x4.splat(0);
    let s2 = f32x4.splat(0);
    let weight = weights;
    let line = matrix + (d << 2);
    for (let j = 0; j < count; j++) {
      const w = v128.load32_splat(weight);
      s0 = f32x4.add(s0, f32x4.mul(w, v128.load(line)));
      s1 = f32x4.add(s1, f32x4.mul(w, v128.load(line, 16)));
      s2 = f32x4.add(s2, f32x4.mul(w, v128.load(line, 32)));
      weight += step;
      line += rowBytes;
    }
    const at = out + (d << 2);
    write4(at, f32x4.mul(s0, times), 4, isAdded);
    write4(at + 16, f32x4.mul(s1, times), 4, isAdded);
    write4(at + 32, f32x4.mul(s2, times), min(4, size - d - 8), isAdded);
  }
  for (; d + 8 <= d4; d += 8) {
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0);
    let weight = weights;
    let line = matrix + (d << 2);
    for (let j = 0; j < count; j++) {
      const w = v128.load32_splat(weight);
      s0 = f32x4.add(s0, f32x4.mul(w, v128.load(line)));
      s1 = f32x4.add(s1, f32x4.mul(w, v128.load(line, 16)));
      weight += step;
      line += rowBytes;
    }
    write4(out + (d << 2), f32x4.mul(s0, times), 4, isAdded);
    write4(out + (d << 2) + 16, f32x4.mul(s1, times), min(4, size - d - 4), isAdded);
  }
  for (; d < d4; d += 4) {
    let s = f32x4.splat(0);
    let weight = weights;
    let line = matrix + (d << 2);
    for (let j = 0; j < count; j++) {
      s = f32x4.add(s, f32x4.mul(v128.load32_splat(weight), v128.load(line)));
      weight += step;
      line += rowBytes;
    }
    write4(out + (d << 2), f32x4.mul(s, times), min(4, size - d), isAdded);
  }
}

@inline
function write4(out: usize, value: v128, lanes: i32, isAdded: bool): void {
  if (lanes == 4) v128.store(out, isAdded ? f32x4.add(v128.load(out), value) : value);
  else writeLanes(out, value, lanes, isAdded);
}

function writeLanes(out: usize, value: v128, lanes: i32, isAdded: bool): void {
  for (let l = 0; l < lanes; l++) {
    const x = f32x4.extract_lane(value, 0);
    store<f32>(out + (l << 2), isAdded ? load<f32>(out + (l << 2)) + x : x);
    value = v128.shuffle<f32>(value, value, 1, 2, 3, 0);
  }
}
