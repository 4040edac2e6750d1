// Attention of new positions to a cache that also contains these positions, for the decoding step and the prefill. The
// keys and values are read directly from the cache: with one query per row, copying the keys to a better order would
// cost as much as computing the scores.
import { C2, C3, C4, C5, constant, expNear4, LN2, LOWEST, maxLanes, ONE, PER_LN2, ROUNDING, sumLanes } from '../../simd/assembly/exp.assembly';
import { rotateHead } from './rotate.assembly';

const HIDDEN: f32 = -1e9;

/**
 * Computes y [B·S, H·D], or, if `isNewest`, only the last position of each S, [B, H·D]. Inputs: qkv [B·S, (H +
 * 2·KV)·D], not yet rotated; cos and sin [P, D], from which `positions` [B·S] selects rows; rotated keys and values [B,
 * capacity, KV·D], where the new ones are written to the slots from state[0] on; mask [B, capacity]. Batch entries are
 * independent. With a window, `places` [B, capacity] contains the position of each slot, and a query sees only the slots
 * of the newest `window` positions, including its own; `places` is 0 if there is no window. `scratch`: D + capacity + 4
 * floats.
 */
export function cachedAttention(
  keys: usize, values: usize, qkv: usize, cos: usize, sin: usize, positions: usize, mask: usize, state: usize, y: usize,
  batch: i32, steps: i32, capacity: i32, heads: i32, keyHeads: i32, size: i32, isNewest: i32,
  places: usize, window: i32, scratch: usize,
): void {
  const past = load<i32>(state);
  const group = heads / keyHeads;
  const scale: f32 = 1 / sqrt<f32>(<f32>size);
  const headBytes: usize = size << 2;
  const keyLine = headBytes * keyHeads;
  const query = scratch;
  const shares = scratch + (((size + 3) & ~3) << 2);
  for (let b = 0; b < batch; b++) {
    for (let s = 0; s < steps; s++) {
      const position = load<i32>(positions);
      const turn = headBytes * position;
      const slot = keyLine * (past + s);
      const fresh = qkv + headBytes * heads;
      for (let g = 0; g < keyHeads; g++) {
        const at = headBytes * g;
        rotateHead(fresh + at, cos + turn, sin + turn, keys + slot + at, size, false);
      }
      memory.copy(values + slot, fresh + keyLine, keyLine);
      positions += 4;
      const queries = qkv;
      qkv += headBytes * (heads + 2 * keyHeads);
      if (isNewest && s < steps - 1) continue;
      for (let h = 0; h < heads; h++) {
        const at = headBytes * (h / group);
        rotateHead(queries + headBytes * h, cos + turn, sin + turn, query, size, false);
        const total = formShares(query, keys + at, keyLine, size, past + s, mask, places, position - window, shares, scale);
        blend(shares, past + s + 1, values + at, keyLine, size, 1 / total, y + headBytes * h);
      }
      y += headBytes * heads;
    }
    keys += keyLine * capacity;
    values += keyLine * capacity;
    mask += capacity << 2;
    if (places) places += capacity << 2;
  }
}

/**
 * Writes the attention weights, not yet divided by their sum, of one query for the keys 0 … own; the key `own` is never
 * masked. If there are `places`, keys at positions up to `last` are hidden. Returns the sum of the weights.
 */
function formShares(
  x: usize, keys: usize, keyLine: usize, size: i32, own: i32, mask: usize, places: usize, last: i32, row: usize,
  scale: f32,
): f32 {
  const count = own + 1;
  let j = 0;
  for (; j + 4 <= count; j += 4) {
    v128.store(row + (j << 2), dot4(x, keys, keyLine, size));
    keys += keyLine << 2;
  }
  for (; j < count; j++) {
    store<f32>(row + (j << 2), dot(x, keys, size));
    keys += keyLine;
  }
  for (; j & 3; j++) store<f32>(row + (j << 2), -Infinity);
  const one = constant(ONE);
  const self = load<f32>(row + (own << 2));
  for (j = 0; j + 4 <= own; j += 4) {
    const at = j << 2;
    const bias = f32x4.mul(f32x4.sub(one, v128.load(mask + at)), f32x4.splat(HIDDEN));
    v128.store(row + at, f32x4.add(v128.load(row + at), bias));
  }
  for (; j < own; j++) {
    const at = j << 2;
    store<f32>(row + at, load<f32>(row + at) + (1 - load<f32>(mask + at)) * HIDDEN);
  }
  if (places) hideFar(row, places, own, last);
  let highest = f32x4.splat(self);
  for (j = 0; j < count; j += 4) highest = f32x4.pmax(v128.load(row + (j << 2)), highest);
  const top = f32x4.splat(maxLanes(highest));
  const times = f32x4.splat(scale);
  const perLn2 = constant(PER_LN2), rounding = constant(ROUNDING), ln2 = constant(LN2);
  const c5 = constant(C5), c4 = constant(C4), c3 = constant(C3), c2 = constant(C2), low = constant(LOWEST);
  let total = f32x4.splat(0);
  for (j = 0; j < count; j += 4) {
    const x = f32x4.mul(f32x4.sub(v128.load(row + (j << 2)), top), times);
    const near = expNear4(f32x4.pmax(x, low), perLn2, one, rounding, ln2, c5, c4, c3, c2);
    const e = v128.andnot(near, f32x4.lt(x, low)); // far below: exactly 0
    v128.store(row + (j << 2), e);
    total = f32x4.add(total, e);
  }
  return sumLanes(total);
}

/** Hides the first `count` keys that are at positions up to `last`. */
function hideFar(row: usize, places: usize, count: i32, last: i32): void {
  const never = f32x4.splat(-Infinity), bound = f32x4.splat(<f32>last);
  let j = 0;
  for (; j + 4 <= count; j += 4) {
    const at = j << 2;
    const isFar = f32x4.le(v128.load(places + at), bound);
    v128.store(row + at, v128.bitselect(never, v128.load(row + at), isFar));
  }
  for (; j < count; j++) {
    const at = j << 2;
    if (load<f32>(places + at) <= <f32>last) store<f32>(row + at, -Infinity);
  }
}

/** Products of x with four rows. */
@inline
function dot4(x: usize, rows: usize, line: usize, size: i32): v128 {
  const row1 = rows + line;
  const row2 = row1 + line;
  const row3 = row2 + line;
  let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
  let d = 0;
  for (; d + 4 <= size; d += 4) {
    const at = d << 2;
    const z = v128.load(x + at);
    s0 = f32x4.add(s0, f32x4.mul(z, v128.load(rows + at)));
    s1 = f32x4.add(s1, f32x4.mul(z, v128.load(row1 + at)));
    s2 = f32x4.add(s2, f32x4.mul(z, v128.load(row2 + at)));
    s3 = f32x4.add(s3, f32x4.mul(z, v128.load(row3 + at)));
  }
  // Adds up the lanes of each of the four products. The four sums are computed at the same time.
  const low = f32x4.add(v128.shuffle<f32>(s0, s1, 0, 4, 1, 5), v128.shuffle<f32>(s0, s1, 2, 6, 3, 7));
  const high = f32x4.add(v128.shuffle<f32>(s2, s3, 0, 4, 1, 5), v128.shuffle<f32>(s2, s3, 2, 6, 3, 7));
  let sums = f32x4.add(v128.shuffle<f32>(low, high, 0, 1, 4, 5), v128.shuffle<f32>(low, high, 2, 3, 6, 7));
  for (; d < size; d++) {
    const at = d << 2;
    let column = f32x4.splat(load<f32>(rows + at));
    column = f32x4.replace_lane(column, 1, load<f32>(row1 + at));
    column = f32x4.replace_lane(column, 2, load<f32>(row2 + at));
    column = f32x4.replace_lane(column, 3, load<f32>(row3 + at));
    sums = f32x4.add(sums, f32x4.mul(v128.load32_splat(x + at), column));
  }
  return sums;
}

@inline
function dot(x: usize, y: usize, size: i32): f32 {
  let sums = f32x4.splat(0);
  let d = 0;
  for (; d + 4 <= size; d += 4) sums = f32x4.add(sums, f32x4.mul(v128.load(x + (d << 2)), v128.load(y + (d << 2))));
  let sum = sumLanes(sums);
  for (; d < size; d++) sum += load<f32>(x + (d << 2)) * load<f32>(y + (d << 2));
  return sum;
}

/** out[d] = factor·Σ_j shares[j]·values[j][d]. */
function blend(shares: usize, count: i32, values: usize, line: usize, size: i32, factor: f32, out: usize): void {
  const times = f32x4.splat(factor);
  const end = shares + (count << 2);
  let d = 0;
  for (; d + 16 <= size; d += 16) {
    let s0 = f32x4.splat(0), s1 = f32x4.splat(0), s2 = f32x4.splat(0), s3 = f32x4.splat(0);
    let value = values + (d << 2);
    for (let share = shares; share < end; share += 4) {
      const w = v128.load32_splat(share);
      s0 = f32x4.add(s0, f32x4.mul(w, v128.load(value)));
      s1 = f32x4.add(s1, f32x4.mul(w, v128.load(value, 16)));
      s2 = f32x4.add(s2, f32x4.mul(w, v128.load(value, 32)));
      s3 = f32x4.add(s3, f32x4.mul(w, v128.load(value, 48)));
      value += line;
    }
    const at = out + (d << 2);
    v128.store(at, f32x4.mul(s0, times));
    v128.store(at, f32x4.mul(s1, times), 16);
    v128.store(at, f32x4.mul(s2, times), 32);
    v128.store(at, f32x4.mul(s3, times), 48);
  }
  for (; d + 4 <= size; d += 4) {
    let sum = f32x4.splat(0);
    let value = values + (d << 2);
    for (let share = shares; share < end; share += 4) {
      sum = f32x4.add(sum, f32x4.mul(v128.load32_splat(share), v128.load(value)));
      value += line;
    }
    v128.store(out + (d << 2), f32x4.mul(sum, times));
  }
  for (; d < size; d++) {
    let sum: f32 = 0;
    let value = values + (d << 2);
    for (let share = shares; share < end; share += 4) {
      sum += load<f32>(share) * load<f32>(value);
      value += line;
    }
    store<f32>(out + (d << 2), sum * factor);
  }
}
