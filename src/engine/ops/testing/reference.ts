// The ops again in float64, in plain loops over flat arrays: slow, and easy to check by eye.
// Tests compare every backend with these, and take finite differences of them.

export type Numbers = Float64Array;

/** y[n, o] = Σᵢ x[n, i]·w[o, i]. */
export function linearReference(x: Numbers, w: Numbers, inner: number): Numbers {
  const rows = x.length / inner;
  const outs = w.length / inner;
  return fill(rows * outs, (at) => {
    const [n, o] = [Math.floor(at / outs), at % outs];
    return sum(inner, (i) => get(x, n * inner + i) * get(w, o * inner + i));
  });
}

export function rmsNormReference(x: Numbers, gain: Numbers, eps: number): Numbers {
  const width = gain.length;
  return fill(x.length, (at) => {
    const start = at - (at % width);
    const square = sum(width, (i) => get(x, start + i) ** 2) / width;
    return (get(x, at) / Math.sqrt(square + eps)) * get(gain, at % width);
  });
}

export function swiGluReference(gate: Numbers, up: Numbers): Numbers {
  return fill(gate.length, (at) => (get(gate, at) / (1 + Math.exp(-get(gate, at)))) * get(up, at));
}

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

export function embedReference(ids: ArrayLike<number>, table: Numbers, width: number): Numbers {
  return fill(ids.length * width, (at) => get(table, get(ids, Math.floor(at / width)) * width + (at % width)));
}

/** The log-probability of every token, [N, V]. */
export function logSoftmaxReference(logits: Numbers, vocabulary: number, temperature: number): Numbers {
  return fill(logits.length, (at) => {
    const start = at - (at % vocabulary);
    const total = sum(vocabulary, (i) => Math.exp(get(logits, start + i) / temperature));
    return get(logits, at) / temperature - Math.log(total);
  });
}

/** First the N log-probabilities of the ids, then the N entropies. */
export function tokenLogprobsReference(
  logits: Numbers,
  ids: ArrayLike<number>,
  vocabulary: number,
  temperature: number,
): Numbers {
  const all = logSoftmaxReference(logits, vocabulary, temperature);
  const rows = ids.length;
  return fill(2 * rows, (at) => {
    const start = (at % rows) * vocabulary;
    if (at < rows) return get(all, start + get(ids, at));
    return -sum(vocabulary, (i) => Math.exp(get(all, start + i)) * get(all, start + i));
  });
}

export function sampleReference(
  logits: Numbers,
  uniforms: ArrayLike<number>,
  vocabulary: number,
  temperature: number,
): number[] {
  const all = logSoftmaxReference(logits, vocabulary, temperature);
  return Array.from(uniforms, (u, row) => {
    let cumulative = 0;
    let passed = 0;
    for (let i = 0; i < vocabulary; i++) if ((cumulative += Math.exp(get(all, row * vocabulary + i))) <= u) passed++;
    return Math.min(passed, vocabulary - 1);
  });
}

/** ∂(Σ weights·f(x))/∂x by central differences. */
export function differences(f: (x: Numbers) => Numbers, x: Numbers, weights: Numbers): Numbers {
  const step = 1e-5;
  const loss = (at: number, shift: number) => {
    const moved = Float64Array.from(x);
    moved[at] = get(moved, at) + shift;
    const out = f(moved);
    return sum(out.length, (i) => get(out, i) * get(weights, i));
  };
  return fill(x.length, (at) => (loss(at, step) - loss(at, -step)) / (2 * step));
}

/** Largest difference as a share of the largest reference value (or of 0.001, where all are smaller). */
export function distance(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) return Infinity;
  let largest = 1e-3;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    const gap = Math.abs(get(actual, i) - get(expected, i));
    if (Number.isNaN(gap)) return Infinity;
    difference = Math.max(difference, gap);
    largest = Math.max(largest, Math.abs(get(expected, i)));
  }
  return difference / largest;
}

function fill(length: number, value: (at: number) => number): Numbers {
  return Float64Array.from({ length }, (_, at) => value(at));
}

function sum(length: number, term: (i: number) => number): number {
  let total = 0;
  for (let i = 0; i < length; i++) total += term(i);
  return total;
}

function get(values: ArrayLike<number>, at: number): number {
  return values[at] as number;
}
