// Causal attention for rows of tokens. One head of one batch entry is processed at a time; the query heads of a group
// share keys and values. A block consists of eight queries, which are the lanes of two vectors. Therefore the softmax
// of a block needs no sums across lanes, and keys after a block's last query are never read. The attention weights of a
// block of queries are stored key by key, [8·block + 8, 8]. The blocks of a head are stored one after another and are
// called a triangle. The forward pass keeps the triangles for the backward pass, which then consists of five products
// and needs no exponential.
import { C2, C3, C4, C5, constant, expNear4, LN2, LOWEST, ONE, PER_LN2, ROUNDING, sumLanes } from '../../simd/assembly/exp.assembly';
import { rotateRows, rotateRowsBack } from './rotate.assembly';
import { rowTile, tile, transpose4 } from '../../simd/assembly/tile.assembly';

const HIDDEN: f32 = -1e9;

/** The number of bytes of all blocks before this one. */
@inline
function blockAt(block: i32): usize {
  return <usize>(block * (block + 1)) << 7;
}

/**
 * Computes y [B·T, H·D]. Inputs: qkv [B·T, (H + 2·KV)·D], not yet rotated; cos and sin [T, D], where the table of the
 * next batch entry begins `tableStep` floats later (0 if all entries use the same table); mask [B, T] or 0. D is even. A query sees
 * only the newest `window` positions, including its own (0: all positions).
 * `shares`: B·H triangles of 32·n·(n + 1) floats with n = ⌈T/8⌉, or 0 if they are not kept. `scratch`: (3·T8 + 8)·D8 +
 * T8 floats and one triangle, where T8 and D8 are T and D rounded up to multiples of 8.
 */
export function attention(
  qkv: usize, cos: usize, sin: usize, mask: usize, y: usize, shares: usize,
  batch: i32, length: i32, heads: i32, keyHeads: i32, size: i32, tableStep: i32, window: i32,
  scratch: usize,
): void {
  const blocks = (length + 7) >> 3;
  const d8 = (size + 7) & ~7;
  const line: usize = d8 << 2;
  const plane = line * (blocks << 3);
  const keys = scratch;
  const values = keys + plane;
  const queries = values + plane;
  const panel = queries + plane;
  const bias = panel + (line << 3);
  const own = bias + (blocks << 5);
  const scale: f32 = 1 / sqrt<f32>(<f32>size);
  const group = heads / keyHeads;
  const headBytes: usize = size << 2;
  const inLine = headBytes * (heads + 2 * keyHeads);
  const outLine = headBytes * heads;
  memory.fill(scratch, 0, plane * 3 + (line << 3));
  for (let b = 0; b < batch; b++) {
    if (mask) fillBias(mask + ((b * length) << 2), length, bias);
    const table: usize = (b * tableStep) << 2;
    for (let g = 0; g < keyHeads; g++) {
      const key = qkv + headBytes * (heads + g);
      rotateRows(key, inLine, cos + table, sin + table, keys, line, length, size);
      copyRows(key + headBytes * keyHeads, inLine, values, line, length, size);
      for (let r = 0; r < group; r++) {
        const head = headBytes * (g * group + r);
        rotateRows(qkv + head, inLine, cos + table, sin + table, queries, line, length, size);
        const triangle = shares ? shares : own;
        formShares(queries, keys, panel, mask ? bias : 0, triangle, blocks, size, line, window, scale);
        for (let i = 0; i < length; i += 4) {
          const strip = triangle + blockAt(i >> 3) + ((i & 4) << 2);
          const out = y + head + outLine * i;
          for (let d = 0; d < size; d += 8)
            tile(strip, 32, values + (d << 2), line, i + 4, out + (d << 2), outLine, length - i, size - d, false);
        }
        if (shares) shares += blockAt(blocks);
      }
    }
    qkv += inLine * length;
    y += outLine * length;
  }
}

/**
 * Computes dqkv, the gradient of `attention`, from dy, which has the shape of y. `shares` are the triangles of the
 * forward pass, or 0 if the triangles have to be computed again. `scratch`: (7·T8 + 8)·D8 + 2·T8 floats and two
 * triangles.
 */
export function attentionGrad(
  qkv: usize, cos: usize, sin: usize, mask: usize, y: usize, shares: usize, dy: usize, dqkv: usize,
  batch: i32, length: i32, heads: i32, keyHeads: i32, size: i32, tableStep: i32, window: i32,
  scratch: usize,
): void {
  const blocks = (length + 7) >> 3;
  const d8 = (size + 7) & ~7;
  const line: usize = d8 << 2;
  const plane = line * (blocks << 3);
  const keys = scratch;
  const values = keys + plane;
  const queries = values + plane;
  const outs = queries + plane; // gradients of the outputs
  const panel = outs + plane;
  const dQueries = panel + (line << 3);
  const dKeys = dQueries + plane;
  const dValues = dKeys + plane;
  const bias = dValues + plane;
  const along = bias + (blocks << 5);
  const dScores = along + (blocks << 5);
  const own = dScores + blockAt(blocks);
  const scale: f32 = 1 / sqrt<f32>(<f32>size);
  const group = heads / keyHeads;
  const headBytes: usize = size << 2;
  const inLine = headBytes * (heads + 2 * keyHeads);
  const outLine = headBytes * heads;
  memory.fill(scratch, 0, plane * 4 + (line << 3));
  memory.fill(along, 0, blocks << 5);
  for (let b = 0; b < batch; b++) {
    if (mask) fillBias(mask + ((b * length) << 2), length, bias);
    const table: usize = (b * tableStep) << 2;
    for (let g = 0; g < keyHeads; g++) {
      const key = headBytes * (heads + g);
      const value = key + headBytes * keyHeads;
      rotateRows(qkv + key, inLine, cos + table, sin + table, keys, line, length, size);
      copyRows(qkv + value, inLine, values, line, length, size);
      for (let r = 0; r < group; r++) {
        const head = headBytes * (g * group + r);
        rotateRows(qkv + head, inLine, cos + table, sin + table, queries, line, length, size);
        copyRows(dy + head, outLine, outs, line, length, size);
        dotRows(dy + head, y + head, outLine, along, length, size);
        const triangle = shares ? shares : own;
        if (!shares) formShares(queries, keys, panel, mask ? bias : 0, triangle, blocks, size, line, window, scale);
        for (let block = 0; block < blocks; block++) {
          const dScore = dScores + blockAt(block);
          fillPanel(outs + line * (block << 3), line, panel, size);
          for (let j = 0; j < (block << 3) + 8; j += 4)
            rowTile(values + line * j, line, panel, 32, size, 1, 0, 0, dScore + (j << 5), 32, 8, false);
          scoreGradient(triangle + blockAt(block), dScore, along + (block << 5), (block << 3) + 8, scale);
          for (let i = 0; i < 8; i += 4) {
            const out = dQueries + line * ((block << 3) + i);
            const strip = dScore + (i << 2);
            const depth = (block << 3) + i + 4;
            for (let d = 0; d < d8; d += 8)
              tile(strip, 32, keys + (d << 2), line, depth, out + (d << 2), line, 4, 8, false);
          }
        }
        for (let j = 0; j < length; j += 4) {
          const first = j >> 3;
          const jump: usize = (first + 1) << 8;
          const at = blockAt(first) + (j << 5);
          const from = line * (first << 3);
          const out = line * j;
          for (let d = 0; d < d8; d += 8) {
            const column: usize = d << 2;
            rowTile(
              dScores + at, 32, queries + from + column, line, 8, blocks - first, jump, 256,
              dKeys + out + column, line, 8, r > 0,
            );
            rowTile(
              triangle + at, 32, outs + from + column, line, 8, blocks - first, jump, 256,
              dValues + out + column, line, 8, r > 0,
            );
          }
        }
        rotateRowsBack(dQueries, line, cos + table, sin + table, dqkv + head, inLine, length, size);
        if (shares) shares += blockAt(blocks);
      }
      rotateRowsBack(dKeys, line, cos + table, sin + table, dqkv + key, inLine, length, size);
      copyRows(dValues, line, dqkv + value, inLine, length, size);
    }
    qkv += inLine * length;
    dqkv += inLine * length;
    y += outLine * length;
    dy += outLine * length;
  }
}

function fillBias(mask: usize, length: i32, bias: usize): void {
  for (let j = 0; j < length; j++) store<f32>(bias + (j << 2), (1 - load<f32>(mask + (j << 2))) * HIDDEN);
  for (let j = length; j & 7; j++) store<f32>(bias + (j << 2), 0);
}

/** Copies `rows` heads of `size` floats each. The gaps between the heads in `out` stay unchanged. */
function copyRows(from: usize, line: usize, out: usize, outLine: usize, rows: i32, size: i32): void {
  for (let t = 0; t < rows; t++) {
    let d = 0;
    for (; d + 4 <= size; d += 4) v128.store(out + (d << 2), v128.load(from + (d << 2)));
    for (; d < size; d++) store<f32>(out + (d << 2), load<f32>(from + (d << 2)));
    from += line;
    out += outLine;
  }
}

/** out[t] = x[t]·y[t]. */
function dotRows(x: usize, y: usize, line: usize, out: usize, rows: i32, size: i32): void {
  for (let t = 0; t < rows; t++) {
    let sums = f32x4.splat(0);
    let d = 0;
    for (; d + 4 <= size; d += 4) sums = f32x4.add(sums, f32x4.mul(v128.load(x + (d << 2)), v128.load(y + (d << 2))));
    let sum = sumLanes(sums);
    for (; d < size; d++) sum += load<f32>(x + (d << 2)) * load<f32>(y + (d << 2));
    store<f32>(out + (t << 2), sum);
    x += line;
    y += line;
  }
}

/** Transposes eight rows, from [8, size] to [size, 8]. */
@inline
function fillPanel(rows: usize, line: usize, panel: usize, size: i32): void {
  for (let d = 0; d < size; d += 4) {
    transpose4(rows + (d << 2), line, panel + (d << 5), 32);
    transpose4(rows + (d << 2) + (line << 2), line, panel + (d << 5) + 16, 32);
  }
}

/** Computes the triangle of attention weights of one head. */
function formShares(
  queries: usize, keys: usize, panel: usize, bias: usize, triangle: usize, blocks: i32, size: i32, line: usize,
  window: i32, scale: f32,
): void {
  for (let block = 0; block < blocks; block++) {
    const first = block << 3;
    const scores = triangle + blockAt(block);
    fillPanel(queries + line * first, line, panel, size);
    for (let j = 0; j < first + 8; j += 4)
      rowTile(keys + line * j, line, panel, 32, size, 1, 0, 0, scores + (j << 5), 32, 8, false);
    if (window) hideFar(scores, first, window);
    softmax(scores, first, bias, scale);
    softmax(scores + 16, first + 4, bias, scale);
    for (let j = first + 4; j < first + 8; j++) v128.store(scores + (j << 5), f32x4.splat(0));
  }
}

/** Hides from each of eight queries, `first` … first + 7, the keys that are `window` or more positions before it. */
function hideFar(scores: usize, first: i32, window: i32): void {
  const never = f32x4.splat(-Infinity);
  for (let j = 0; j + window <= first + 7; j++) {
    const at = scores + (j << 5);
    if (j + window <= first) {
      v128.store(at, never);
      v128.store(at, never, 16);
    } else for (let lane = j + window - first; lane < 8; lane++) store<f32>(at + (lane << 2), -Infinity);
  }
}

/**
 * Converts the scores of four queries, `first` … first + 3, to attention weights in place. The queries are the lanes of
 * a vector; the keys are processed one after another, up to the last of these queries.
 */
function softmax(scores: usize, first: i32, bias: usize, scale: f32): void {
  const times = f32x4.splat(scale);
  const end = scores + ((first + 4) << 5);
  const edge = scores + (first << 5);
  let top = diagonal(edge, bias ? bias + (first << 2) : 0);
  if (bias)
    for (let at = scores; at < edge; at += 32) {
      const score = f32x4.add(v128.load(at), v128.load32_splat(bias));
      v128.store(at, score);
      top = f32x4.pmax(score, top);
      bias += 4;
    }
  else for (let at = scores; at < edge; at += 32) top = f32x4.pmax(v128.load(at), top);
  const perLn2 = constant(PER_LN2), one = constant(ONE), rounding = constant(ROUNDING), ln2 = constant(LN2);
  const c5 = constant(C5), c4 = constant(C4), c3 = constant(C3), c2 = constant(C2), low = constant(LOWEST);
  let total = f32x4.splat(0);
  for (let at = scores; at < end; at += 32) {
    const x = f32x4.mul(f32x4.sub(v128.load(at), top), times);
    const near = expNear4(f32x4.pmax(x, low), perLn2, one, rounding, ln2, c5, c4, c3, c2);
    const e = v128.andnot(near, f32x4.lt(x, low)); // far below: exactly 0
    v128.store(at, e);
    total = f32x4.add(total, e);
  }
  const inverse = f32x4.div(one, total);
  for (let at = scores; at < end; at += 32) v128.store(at, f32x4.mul(v128.load(at), inverse));
}

/**
 * Hides later keys from the four queries of a block on the diagonal, and masked keys from all positions but their own.
 */
@inline
function diagonal(edge: usize, bias: usize): v128 {
  const never = f32x4.splat(-Infinity);
  let s0 = v128.load(edge);
  let s1 = v128.load(edge, 32);
  let s2 = v128.load(edge, 64);
  let s3 = v128.load(edge, 96);
  if (bias) {
    s0 = v128.shuffle<f32>(s0, f32x4.add(s0, v128.load32_splat(bias)), 0, 5, 6, 7);
    s1 = v128.shuffle<f32>(s1, f32x4.add(s1, v128.load32_splat(bias, 4)), 0, 1, 6, 7);
    s2 = v128.shuffle<f32>(s2, f32x4.add(s2, v128.load32_splat(bias, 8)), 0, 1, 2, 7);
  }
  s1 = v128.shuffle<f32>(never, s1, 0, 5, 6, 7);
  s2 = v128.shuffle<f32>(never, s2, 0, 1, 6, 7);
  s3 = v128.shuffle<f32>(never, s3, 0, 1, 2, 7);
  v128.store(edge, s0);
  v128.store(edge, s1, 32);
  v128.store(edge, s2, 64);
  v128.store(edge, s3, 96);
  return f32x4.pmax(f32x4.pmax(s0, s1), f32x4.pmax(s2, s3));
}

/**
 * Computes the gradients of the scores from those of the attention weights, for eight queries and `count` keys:
 * share·(dShare − along)·scale.
 */
function scoreGradient(shares: usize, dScores: usize, along: usize, count: i32, scale: f32): void {
  const low = v128.load(along);
  const high = v128.load(along, 16);
  const times = f32x4.splat(scale);
  for (const end = dScores + (count << 5); dScores < end; dScores += 32) {
    const first = f32x4.mul(f32x4.sub(v128.load(dScores), low), times);
    const second = f32x4.mul(f32x4.sub(v128.load(dScores, 16), high), times);
    v128.store(dScores, f32x4.mul(v128.load(shares), first));
    v128.store(dScores, f32x4.mul(v128.load(shares, 16), second), 16);
    shares += 32;
  }
}
