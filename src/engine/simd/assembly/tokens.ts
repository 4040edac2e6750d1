// Softmax of the logits [n, v] met with token ids: log-probability and entropy in one pass, their gradient,
// and sampling. Kernels that read ids return the first row whose id is outside [0, v), or −1.
import { expShifted, maxScaled } from './rows';

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
    // log p + H = (z − top) − log + H; p = 0 contributes nothing, whatever log p is.
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

/** ids[i] = number of tokens whose cumulative probability is ≤ uniforms[i], at most v − 1. `scratch`: v floats. */
export function sampleTokens(
  logits: usize,
  uniforms: usize,
  ids: usize,
  logprobs: usize,
  n: i32,
  v: i32,
  inverse: f32,
  scratch: usize,
): void {
  for (let i = 0; i < n; i++) {
    const top = maxScaled(logits, v, inverse);
    const sum = expShifted(logits, scratch, v, inverse, top);
    const u = load<f32>(uniforms + (i << 2));
    let cumulative: f32 = 0;
    let id = 0;
    for (let j = 0; j < v; j++) {
      cumulative += load<f32>(scratch + (j << 2)) / sum;
      if (cumulative <= u) id++;
    }
    id = min(id, v - 1);
    store<i32>(ids + (i << 2), id);
    store<f32>(logprobs + (i << 2), load<f32>(logits + (id << 2)) * inverse - top - Mathf.log(sum));
    logits += (<usize>v) << 2;
  }
}
