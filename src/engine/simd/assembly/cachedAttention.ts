// Attention of new positions over a cache and over themselves: the decoding step. With one query for each row
// a packed copy of the keys would cost as much as the scores, so keys and values are read where they lie.
import { exp1, sumLanes } from './exp';

const HIDDEN: f32 = -1e9;

/**
 * out [B, S, H, D]; q [B, S, H, D], pastK and pastV [B, P, KV, D], k and v [B, S, KV, D],
 * pastMask [B, P], selfMask [B, S]. `scratch`: P + S floats.
 */
export function cachedAttention(
  q: usize,
  pastK: usize,
  pastV: usize,
  k: usize,
  v: usize,
  pastMask: usize,
  selfMask: usize,
  out: usize,
  batch: i32,
  steps: i32,
  past: i32,
  heads: i32,
  keyHeads: i32,
  size: i32,
  scratch: usize,
): void {
  const group = heads / keyHeads;
  const scale: f32 = 1 / sqrt<f32>(<f32>size);
  const rowBytes: usize = (keyHeads * size) << 2;
  for (let b = 0; b < batch; b++) {
    for (let s = 0; s < steps; s++) {
      for (let h = 0; h < heads; h++) {
        const query: usize = (((b * steps + s) * heads + h) * size) << 2;
        const head: usize = ((h / group) * size) << 2;
        const old: usize = rowBytes * (b * past) + head;
        const own: usize = rowBytes * (b * steps) + head;
        const newScores = scratch + (past << 2);
        let top = scores(
          q + query,
          pastK + old,
          rowBytes,
          size,
          past,
          pastMask + ((b * past) << 2),
          -1,
          scale,
          scratch,
        );
        top = max(
          top,
          scores(q + query, k + own, rowBytes, size, s + 1, selfMask + ((b * steps) << 2), s, scale, newScores),
        );
        let total: f32 = 0;
        const count = past + s + 1;
        for (let j = 0; j < count; j++) {
          const e = exp1(load<f32>(scratch + (j << 2)) - top);
          store<f32>(scratch + (j << 2), e);
          total += e;
        }
        blend(scratch, pastV + old, past, newScores, v + own, s + 1, rowBytes, size, 1 / total, out + query);
      }
    }
  }
}

/** Scores of one query against `count` keys into `row`, except that `own` is never hidden; returns the largest. */
function scores(
  x: usize,
  keys: usize,
  rowBytes: usize,
  size: i32,
  count: i32,
  mask: usize,
  own: i32,
  scale: f32,
  row: usize,
): f32 {
  let top: f32 = -Infinity;
  for (let j = 0; j < count; j++) {
    let sum = f32x4.splat(0);
    let d = 0;
    for (; d + 4 <= size; d += 4) sum = f32x4.add(sum, f32x4.mul(v128.load(x + (d << 2)), v128.load(keys + (d << 2))));
    let dot = sumLanes(sum);
    for (; d < size; d++) dot += load<f32>(x + (d << 2)) * load<f32>(keys + (d << 2));
    const bias: f32 = j == own ? 0 : (1 - load<f32>(mask + (j << 2))) * HIDDEN;
    const score = dot * scale + bias;
    store<f32>(row + (j << 2), score);
    top = max(top, score);
    keys += rowBytes;
  }
  return top;
}

/** out[d] = factor·(Σ old shares·old values + Σ new shares·new values). */
function blend(
  oldShares: usize,
  oldValues: usize,
  oldCount: i32,
  newShares: usize,
  newValues: usize,
  newCount: i32,
  rowBytes: usize,
  size: i32,
  factor: f32,
  out: usize,
): void {
  let d = 0;
  for (; d + 8 <= size; d += 8) {
    let s0 = f32x4.splat(0),
      s1 = f32x4.splat(0);
    let line = oldValues + (d << 2);
    for (let j = 0; j < oldCount; j++) {
      const w = v128.load32_splat(oldShares + (j << 2));
      s0 = f32x4.add(s0, f32x4.mul(w, v128.load(line)));
      s1 = f32x4.add(s1, f32x4.mul(w, v128.load(line, 16)));
      line += rowBytes;
    }
    line = newValues + (d << 2);
    for (let j = 0; j < newCount; j++) {
      const w = v128.load32_splat(newShares + (j << 2));
      s0 = f32x4.add(s0, f32x4.mul(w, v128.load(line)));
      s1 = f32x4.add(s1, f32x4.mul(w, v128.load(line, 16)));
      line += rowBytes;
    }
    v128.store(out + (d << 2), f32x4.mul(s0, f32x4.splat(factor)));
    v128.store(out + (d << 2), f32x4.mul(s1, f32x4.splat(factor)), 16);
  }
  for (; d < size; d++) {
    let sum: f32 = 0;
    let line = oldValues + (d << 2);
    for (let j = 0; j < oldCount; j++) {
      sum += load<f32>(oldShares + (j << 2)) * load<f32>(line);
      line += rowBytes;
    }
    line = newValues + (d << 2);
    for (let j = 0; j < newCount; j++) {
      sum += load<f32>(newShares + (j << 2)) * load<f32>(line);
      line += rowBytes;
    }
    store<f32>(out + (d << 2), sum * factor);
  }
}
