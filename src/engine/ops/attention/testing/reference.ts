// Attention in float64: over whole rows, and to a cache that is filled as by the kernels.
import { type Mutable, type Numbers, fill, get, sum } from '../../testing/numbers.ts';

/** x [B, T, H, D]; cos and sin [1 or B, T, D]. */
export function ropeReference(x: Numbers, cos: Numbers, sin: Numbers, shape: readonly number[]): Numbers {
  const [, length, heads, size] = shape as [number, number, number, number];
  return fill(x.length, (at) => {
    const d = at % size;
    const t = Math.floor(at / (size * heads)) % length;
    const b = Math.floor(at / (size * heads * length));
    const table = ((cos.length > length * size ? b : 0) * length + t) * size + d;
    const isFirst = d < size / 2;
    const other = get(x, isFirst ? at + size / 2 : at - size / 2);
    return get(x, at) * get(cos, table) + (isFirst ? -other : other) * get(sin, table);
  });
}

export interface AttentionSizes {
  batch: number;
  queries: number;
  keys: number;
  heads: number;
  keyHeads: number;
  size: number;
  isVisible: (batch: number, query: number, key: number) => boolean;
}

/** q [B, S, H, D], k and v [B, K, KV, D]. */
export function attentionReference(q: Numbers, k: Numbers, v: Numbers, sizes: AttentionSizes): Numbers {
  const { batch, queries, keys, heads, keyHeads, size, isVisible } = sizes;
  const out = new Float64Array(q.length);
  for (let b = 0; b < batch; b++)
    for (let s = 0; s < queries; s++)
      for (let h = 0; h < heads; h++) {
        const from = ((b * queries + s) * heads + h) * size;
        const keyAt = (j: number) => ((b * keys + j) * keyHeads + Math.floor((h * keyHeads) / heads)) * size;
        const weights = fill(keys, (j) =>
          isVisible(b, s, j)
            ? Math.exp(sum(size, (d) => get(q, from + d) * get(k, keyAt(j) + d)) / Math.sqrt(size))
            : 0,
        );
        const total = sum(keys, (j) => get(weights, j));
        for (let d = 0; d < size; d++) out[from + d] = sum(keys, (j) => get(weights, j) * get(v, keyAt(j) + d)) / total;
      }
  return out;
}

export interface CacheSizes {
  rows: number;
  capacity: number;
  /** New positions of each row. */
  steps: number;
  heads: number;
  keyHeads: number;
  size: number;
  /** The number of newest positions that each position sees; if absent, it sees all earlier ones. */
  window?: number;
}

export interface CacheArrays {
  /** [B, cap, KV·D]; changed */
  keys: Mutable;
  /** [B, cap, KV·D]; changed */
  values: Mutable;
  /** [B·S, (H + 2·KV)·D] */
  qkv: ArrayLike<number>;
  /** [P, D] */
  cos: ArrayLike<number>;
  sin: ArrayLike<number>;
  /** [B·S] */
  positions: ArrayLike<number>;
  /** [B, cap] */
  mask: ArrayLike<number>;
  /** [B, cap] the position of each slot; needed only with a window */
  places?: ArrayLike<number>;
  /** [2] */
  state: ArrayLike<number>;
}

/** Writes the new keys and values to the cache, and returns the result of attention, [B·S, H·D]. */
export function cachedAttentionReference(arrays: CacheArrays, sizes: CacheSizes): Float64Array {
  const { rows, capacity, steps, heads, keyHeads, size, window } = sizes;
  const { keys, values, positions, mask } = arrays;
  const used = get(arrays.state, 0);
  const width = (heads + 2 * keyHeads) * size;
  const keyWidth = keyHeads * size;
  const table = (from: ArrayLike<number>) =>
    Float64Array.from({ length: rows * steps * size }, (_, i) =>
      get(from, get(positions, Math.floor(i / size)) * size + (i % size)),
    );
  const [cos, sin] = [table(arrays.cos), table(arrays.sin)];
  const part = (from: number, count: number) =>
    Float64Array.from({ length: rows * steps * count * size }, (_, i) =>
      get(arrays.qkv, Math.floor(i / (count * size)) * width + from * size + (i % (count * size))),
    );
  const rotated = (x: Float64Array, count: number) => ropeReference(x, cos, sin, [1, rows * steps, count, size]);
  const freshKeys = rotated(part(heads, keyHeads), keyHeads);
  const freshValues = part(heads + keyHeads, keyHeads);
  for (let b = 0; b < rows; b++)
    for (let i = 0; i < steps * keyWidth; i++) {
      const to = (b * capacity + used) * keyWidth + i;
      keys[to] = get(freshKeys, b * steps * keyWidth + i);
      values[to] = get(freshValues, b * steps * keyWidth + i);
    }
  const total = used + steps;
  // Slots after those in use may contain anything, including NaN. NaN multiplied by 0 is still NaN, so these slots are
  // left out.
  const inUse = (cache: Mutable) =>
    Float64Array.from({ length: rows * total * keyWidth }, (_, i) => {
      const row = Math.floor(i / (total * keyWidth));
      return get(cache, row * (capacity - total) * keyWidth + i);
    });
  return attentionReference(rotated(part(0, heads), heads), inUse(keys), inUse(values), {
    ...{ batch: rows, queries: steps, keys: total, heads, keyHeads, size },
    isVisible: (b, s, j) => {
      if (j === used + s) return true;
      const at = b * capacity + j;
      const isNear = () => get(positions, b * steps + s) - get(arrays.places ?? [], at) < (window as number);
      return j < used + s && get(mask, at) === 1 && (window === undefined || isNear());
    },
  });
}
