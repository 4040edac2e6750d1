// Log-probabilities and sampling in float64.
import { type Mutable, type Numbers, fill, get, sum } from '../../testing/numbers.ts';

/** The log-probability of every token, [N, V]. */
export function logSoftmaxReference(logits: Numbers, vocabulary: number, temperature: number): Numbers {
  return fill(logits.length, (at) => {
    const start = at - (at % vocabulary);
    const total = sum(vocabulary, (i) => Math.exp(get(logits, start + i) / temperature));
    return get(logits, at) / temperature - Math.log(total);
  });
}

/** The N log-probabilities of the ids, followed by the N entropies. */
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

/** `topTokens` for one row: all tokens in order, and the log-probability of each token by its id. */
export function topReference(logits: Numbers, said: number, temperature: number) {
  const total = sum(logits.length, (id) => Math.exp(get(logits, id) / temperature));
  const logprobs = logits.map((z) => z / temperature - Math.log(total));
  const order = Array.from(logits.keys()).sort((a, b) => get(logits, b) - get(logits, a) || a - b);
  return {
    ...{ order, logprobs, rank: order.indexOf(said) },
    entropy: -sum(logits.length, (id) => Math.exp(get(logprobs, id)) * get(logprobs, id)),
  };
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

export interface TakeArrays {
  ids: Mutable;
  out: Mutable;
  logits: ArrayLike<number>;
  uniforms: ArrayLike<number>;
  alive: Mutable;
  mask: Mutable;
  starts: ArrayLike<number>;
  positions: Mutable;
  state: ArrayLike<number>;
}

/** `takeTokens` on plain arrays. */
export function takeTokensReference(
  { ids, out, logits, uniforms, alive, mask, starts, positions, state }: TakeArrays,
  { temperature, endIds, maxPosition }: { temperature: number; endIds: readonly number[]; maxPosition: number },
): void {
  const rows = ids.length;
  const vocabulary = logits.length / rows;
  const capacity = mask.length / rows;
  const [slot, step] = [get(state, 0), get(state, 1)];
  const wide = Float64Array.from(logits);
  const draws = Array.from({ length: rows }, (_, b) => get(uniforms, step * rows + b));
  const drawn = sampleReference(wide, draws, vocabulary, temperature);
  const logprobs = logSoftmaxReference(wide, vocabulary, temperature);
  drawn.forEach((id, b) => {
    ids[b] = id;
    out[2 * step * rows + b] = id;
    out[(2 * step + 1) * rows + b] = get(logprobs, b * vocabulary + id);
    mask[b * capacity + slot] = get(alive, b);
    positions[b] = Math.min(get(starts, b) + step, maxPosition);
    if (endIds.includes(id)) alive[b] = 0;
  });
}
