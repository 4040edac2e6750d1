// The softmax of logits [n, v] together with token ids: log-probability and entropy in one pass, their gradient, and
// sampling. Kernels that read ids return the first row whose id is outside [0, v), or −1 if there is none.
import { expShifted, maxScaled } from '../../simd/stock/rows.assembly';

/** `scratch`: v floats; `inverse` = 1 / temperature. */
export function tokenLogprobs(
  logits: usize,
  ids: usize,
  logprobs: usize,
  entropy: usize,
  n: i32,
  v: i32,
  inverse: f32,
  scratch: usize,
): i32 {
  for (let i = 0; i < n; i++) {
    const id = load<i32>(ids + (i << 2));
    if (<u32>id >= <u32>v) return i;
    const top = maxScaled(logits, v, inverse);
    const sum = expShifted(logits, scratch, v, inverse, top);
    const log = Mathf.log(sum);
    let along: f32 = 0; // Σ e·(z − top)
    for (let j = 0; j < v; j++) {
      const e = load<f32>(scratch + (j << 2));
      if (e > 0) along += e * (load<f32>(logits + (j << 2)) * inverse - top);
    }
    store<f32>(logprobs + (i << 2), load<f32>(logits + (id << 2)) * inverse - top - log);
    store<f32>(entropy + (i << 2), log - along / sum);
    logits += (<usize>v) << 2;
  }
  return -1;
}

/**
 * Writes the k most likely tokens of each row to topIds and topLogprobs [n, k]; equally likely tokens are ordered by
 * id. Also writes the log-probability of the sampled token, the entropy of the row, and the number of tokens before the
 * sampled one. `scratch`: v floats.
 */
export function topTokens(
  logits: usize, ids: usize, topIds: usize, topLogprobs: usize, logprobs: usize, entropy: usize, ranks: usize,
  n: i32, v: i32, k: i32, inverse: f32, scratch: usize,
): i32 {
  for (let i = 0; i < n; i++) {
    const at = i << 2;
    const bad = tokenLogprobs(logits, ids + at, logprobs + at, entropy + at, 1, v, inverse, scratch);
    if (bad >= 0) return i;
    const id = load<i32>(ids + at);
    store<i32>(ranks + at, placeOf(logits, id, v));
    pickTop(logits, topIds, topLogprobs, v, k);
    // The difference between a scaled logit and its log-probability, which is the same for all tokens of the row.
    const spread = load<f32>(logits + (id << 2)) * inverse - load<f32>(logprobs + at);
    for (let j = 0; j < k; j++) {
      const place = topLogprobs + (j << 2);
      store<f32>(place, load<f32>(place) * inverse - spread);
    }
    logits += (<usize>v) << 2;
    topIds += (<usize>k) << 2;
    topLogprobs += (<usize>k) << 2;
  }
  return -1;
}

/**
 * The number of tokens, among the v tokens, that are more likely than the given one, or equally likely with a smaller
 * id.
 */
@inline
function placeOf(logits: usize, id: i32, v: i32): i32 {
  const said = load<f32>(logits + (id << 2));
  let before = 0;
  for (let j = 0; j < v; j++) {
    const z = load<f32>(logits + (j << 2));
    if (z > said || (z == said && j < id)) before++;
  }
  return before;
}

/** Finds the k most likely of v tokens, in order, with their logits. */
@inline
function pickTop(logits: usize, topIds: usize, tops: usize, v: i32, k: i32): void {
  for (let j = 0; j < k; j++) {
    store<f32>(tops + (j << 2), -Infinity);
    store<i32>(topIds + (j << 2), 0);
  }
  const last = tops + ((k - 1) << 2);
  for (let j = 0; j < v; j += 4) {
    // Groups of four tokens without a token that is likely enough are skipped; most groups are of this kind.
    if (j + 4 <= v && !v128.any_true(f32x4.gt(v128.load(logits + (j << 2)), f32x4.splat(load<f32>(last))))) continue;
    for (let id = j; id < min(j + 4, v); id++) {
      const z = load<f32>(logits + (id << 2));
      if (!(z > load<f32>(last))) continue;
      let place = k - 1;
      for (; place > 0 && z > load<f32>(tops + ((place - 1) << 2)); place--) {
        store<f32>(tops + (place << 2), load<f32>(tops + ((place - 1) << 2)));
        store<i32>(topIds + (place << 2), load<i32>(topIds + ((place - 1) << 2)));
      }
      store<f32>(tops + (place << 2), z);
      store<i32>(topIds + (place << 2), id);
    }
  }
}

/** dz = (dLogprob·(1[id] − p) − dEntropy·p·(log p + H)) / temperature. `scratch`: v floats. */
export function tokenLogprobsGrad(
  logits: usize,
  ids: usize,
  dLogprobs: usize,
  dEntropy: usize,
  out: usize,
  n: i32,
  v: i32,
  inverse: f32,
  scratch: usize,
): i32 {
  for (let i = 0; i < n; i++) {
    const id = load<i32>(ids + (i << 2));
    if (<u32>id >= <u32>v) return i;
    const top = maxScaled(logits, v, inverse);
    const sum = expShifted(logits, scratch, v, inverse, top);
    const share: f32 = 1 / sum;
    const log = Mathf.log(sum);
    const dLogprob = load<f32>(dLogprobs + (i << 2)) * inverse;
    const dH = load<f32>(dEntropy + (i << 2)) * inverse;
    let h: f32 = 0;
    if (dH != 0) {
      let along: f32 = 0;
      for (let j = 0; j < v; j++) {
        const e = load<f32>(scratch + (j << 2));
        if (e > 0) along += e * (load<f32>(logits + (j << 2)) * inverse - top);
      }
      h = log - along * share;
    }
    // log p + H = (z − top) − log + H. A token with p = 0 must contribute nothing, although its log p is −Infinity.
    const offset = h - log - top;
    let j = 0;
    for (; j + 4 <= v; j += 4) {
      const at = j << 2;
      const e = v128.load(scratch + at);
      const logs = f32x4.add(f32x4.mul(v128.load(logits + at), f32x4.splat(inverse)), f32x4.splat(offset));
      const pull = f32x4.add(f32x4.splat(dLogprob), f32x4.mul(f32x4.splat(dH), logs));
      const value = f32x4.mul(f32x4.mul(e, f32x4.splat(-share)), pull);
      v128.store(out + at, v128.and(value, f32x4.ne(e, f32x4.splat(0))));
    }
    for (; j < v; j++) {
      const at = j << 2;
      const e = load<f32>(scratch + at);
      const pull = dLogprob + dH * (load<f32>(logits + at) * inverse + offset);
      store<f32>(out + at, e != 0 ? e * -share * pull : 0);
    }
    const own = out + (id << 2);
    store<f32>(own, load<f32>(own) + dLogprob);
    logits += (<usize>v) << 2;
    out += (<usize>v) << 2;
  }
  return -1;
}

/** Sets ids[i] to the token that `draw` selects with uniforms[i]. `scratch`: v floats. */
export function sampleTokens(
  logits: usize, uniforms: usize, ids: usize, logprobs: usize, n: i32, v: i32, inverse: f32, scratch: usize,
): void {
  for (let i = 0; i < n; i++) {
    const at = i << 2;
    store<i32>(ids + at, draw(logits, load<f32>(uniforms + at), logprobs + at, v, inverse, scratch));
    logits += (<usize>v) << 2;
  }
}

/**
 * Step t = state[1] of a turn, in place. The sampled tokens and their log-probabilities are written to ids [n] and out
 * [W, 2, n], and `alive` [n] is written to slot state[0] of mask [n, capacity]. positions [n] become min(starts + t,
 * maxPosition). In rows whose token is one of the `endCount` ids at `ends`, `alive` becomes 0. uniforms [W, n].
 * `scratch`: v floats.
 */
export function takeTokens(
  ids: usize, out: usize, logits: usize, uniforms: usize, alive: usize, mask: usize, starts: usize, positions: usize,
  state: usize, n: i32, v: i32, capacity: i32, inverse: f32, maxPosition: i32, ends: usize, endCount: i32,
  scratch: usize,
): void {
  const slot = load<i32>(state);
  const step = load<i32>(state, 4);
  const line: usize = n << 2;
  uniforms += line * step;
  out += line * (2 * step);
  for (let i = 0; i < n; i++) {
    const at = i << 2;
    const id = draw(logits, load<f32>(uniforms + at), out + line + at, v, inverse, scratch);
    store<i32>(ids + at, id);
    store<f32>(out + at, <f32>id);
    // For the last token of a window there may be no slot left. This is no problem, because such a token is not passed
    // to the model.
    if (slot < capacity) store<f32>(mask + ((i * capacity + slot) << 2), load<f32>(alive + at));
    store<i32>(positions + at, min(load<i32>(starts + at) + step, maxPosition));
    for (let e = 0; e < endCount; e++) if (load<i32>(ends + (e << 2)) == id) store<f32>(alive + at, 0);
    logits += (<usize>v) << 2;
  }
}

/**
 * Returns the id of the sampled token: the number of tokens whose cumulative probability is ≤ u, but at most v − 1.
 * Also writes its log-probability.
 */
@inline
function draw(logits: usize, u: f32, logprob: usize, v: i32, inverse: f32, scratch: usize): i32 {
  const top = maxScaled(logits, v, inverse);
  const sum = expShifted(logits, scratch, v, inverse, top);
  let cumulative: f32 = 0;
  let id = 0;
  for (let j = 0; j < v; j++) {
    cumulative += load<f32>(scratch + (j << 2)) / sum;
    if (cumulative <= u) id++;
  }
  id = min(id, v - 1);
  store<f32>(logprob, load<f32>(logits + (id << 2)) * inverse - top - Mathf.log(sum));
  return id;
}
