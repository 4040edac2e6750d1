// The loss of a policy update and its gradient. After the means over spans have been computed, the tokens are processed
// one after another.
import { exp1 } from '../../simd/assembly/exp.assembly';

const CLAMP = 0, LOW = 4, HIGH = 8, DUAL = 12, VALUE_CLIP = 16;
const VF = 20, ENT = 24, KL = 28, ESTIMATOR = 32, ARITHMETIC = 36;
const SURROGATE = 40, GATE_POSITIVE = 44, GATE_NEGATIVE = 48;
const CISPO = 1, SAPO = 2, GMPO = 3;

/** e^d − 1 − d, computed without loss of precision near 0. */
@inline
function excess(d: f32): f32 {
  if (abs(d) > 0.3) return exp1(d) - 1 - d;
  return d * d * (0.5 + d * (0.16666667 + d * (0.041666668 + d * (0.008333334 + d * 0.0013888889))));
}

/**
 * A log-ratio as GMPO bounds it: from above if the advantage is positive, and from below otherwise. low = 1 − clipLow,
 * high = 1 + clipHigh.
 */
@inline
function bounded(logratio: f32, advantage: f32, low: f32, high: f32): f32 {
  return advantage > 0 ? min(logratio, high - 1) : max(logratio, low - 1);
}

/**
 * Writes for each token in a span the mean of the span: of the log-ratios, which GMPO bounds, or, if `isArithmetic`, of
 * the ratios, summed in order. means [n] must be zeros at first. Each span is summed only once, when its first token is reached.
 */
function spanMeans(logprobs: usize, facts: usize, means: usize, n: i32, settings: usize): void {
  const clamp = load<f32>(settings, CLAMP);
  const low = load<f32>(settings, LOW);
  const high = load<f32>(settings, HIGH);
  const isArithmetic = load<f32>(settings, ARITHMETIC) != 0;
  const isBounded = <i32>load<f32>(settings, SURROGATE) == GMPO;
  const row: usize = (<usize>n) << 2;
  const tokens = facts + row * 8;
  for (let i = 0; i < n; i++) {
    const fact = facts + ((<usize>i) << 2);
    const length = <i32>load<f32>(fact + row * 10);
    if (length == 0) continue;
    const span = tokens + ((<usize>load<f32>(fact + row * 9)) << 2);
    if (<i32>load<f32>(span) != i) continue;
    let sum: f32 = 0;
    for (let k = 0; k < length; k++) {
      const at: usize = (<usize>load<f32>(span + ((<usize>k) << 2))) << 2;
      let one = load<f32>(logprobs + at) - load<f32>(facts + at);
      if (isBounded) one = bounded(one, load<f32>(facts + at + row), low, high);
      sum += isArithmetic ? exp1(min(one, clamp)) : one;
    }
    const mean = sum / <f32>length;
    for (let k = 0; k < length; k++) store<f32>(means + ((<usize>load<f32>(span + ((<usize>k) << 2))) << 2), mean);
  }
}

/**
 * Computes terms [8, n], and the derivatives of the total with respect to logprobs, entropy and values, [n] each. facts
 * [11, n] and settings [13] are as in tokenLoss.ts. If `values` is 0, there is no critic, and dValues is not written.
 */
export function tokenLoss(
  logprobs: usize, entropy: usize, values: usize, facts: usize, settings: usize,
  terms: usize, dLogprobs: usize, dEntropy: usize, dValues: usize, n: i32,
): void {
  const clamp = load<f32>(settings, CLAMP);
  const low = load<f32>(settings, LOW);
  const high = load<f32>(settings, HIGH);
  const dual = load<f32>(settings, DUAL);
  const reach = load<f32>(settings, VALUE_CLIP);
  const vf = load<f32>(settings, VF);
  const ent = load<f32>(settings, ENT);
  const klCoef = load<f32>(settings, KL);
  const estimator = <i32>load<f32>(settings, ESTIMATOR);
  const isArithmetic = load<f32>(settings, ARITHMETIC) != 0;
  const surrogate = <i32>load<f32>(settings, SURROGATE);
  const row: usize = (<usize>n) << 2;
  memory.fill(terms, 0, row * 8);
  memory.fill(dLogprobs, 0, row);
  memory.fill(dEntropy, 0, row);
  if (values != 0) memory.fill(dValues, 0, row);
  // The first term of a token is written last, because its place in memory contains the mean of the token's span until
  // then.
  spanMeans(logprobs, facts, terms, n, settings);
  for (let i = 0; i < n; i++) {
    const at: usize = (<usize>i) << 2;
    const fact = facts + at;
    const share = load<f32>(fact + row * 4);
    if (share == 0) continue;
    const term = terms + at;
    const logprob = load<f32>(logprobs + at);

    const d: f32 = logprob - load<f32>(fact);
    const advantage = load<f32>(fact + row);
    const weight = load<f32>(fact + row * 2);
    const isSpan = load<f32>(fact + row * 10) != 0;
    const inBand: f32 = surrogate == GMPO ? bounded(d, advantage, low, high) : d;
    const mean: f32 = isSpan ? load<f32>(term) : inBand;
    // The exponent to which the bound applies, and e to the power of the bounded exponent. In the arithmetic form, this
    // power is the token's own ratio, of which the span's ratio is the mean; otherwise it is the ratio of the token or
    // span.
    const bent: f32 = isArithmetic ? d : mean;
    const own = exp1(min(bent, clamp));
    const ratio: f32 = isArithmetic && isSpan ? mean : own;
    const held = min(max(ratio, low), high);
    let policy: f32 = 0;
    let slope: f32 = 0;
    let isClipped = false;
    let isDual = false;
    if (surrogate == CISPO) {
      slope = weight * (-advantage * held);
      policy = slope * logprob;
      isClipped = held != ratio;
    } else if (surrogate == SAPO) {
      const heat: f32 = advantage > 0 ? load<f32>(settings, GATE_POSITIVE) : load<f32>(settings, GATE_NEGATIVE);
      const gate: f32 = 1 / (1 + exp1(-heat * (ratio - 1)));
      policy = weight * (-advantage * 4 * gate) / heat;
      if (bent <= clamp) slope = weight * (-advantage * 4 * gate * (1 - gate) * own);
    } else if (surrogate == GMPO) {
      policy = weight * (-advantage * ratio);
      isClipped = inBand != d && advantage != 0;
      if (inBand == d && mean <= clamp) slope = policy;
    } else {
      const free = -advantage * ratio;
      const cut = -advantage * held;
      const pessimist = max(free, cut);
      const bound = abs(advantage) * dual;
      policy = weight * min(pessimist, bound);
      isDual = pessimist > bound;
      isClipped = !isDual && cut > free;
      const acts = free >= cut || (ratio >= low && ratio <= high);
      if (!isDual && bent <= clamp && acts) slope = weight * (-advantage * own);
    }

    let value: f32 = 0;
    if (values != 0) {
      const v = load<f32>(values + at);
      const old = load<f32>(fact + row * 5);
      const goal = load<f32>(fact + row * 6);
      const step = v - old;
      const direct = v - goal;
      const near = old + min(max(step, -reach), reach) - goal;
      const isDirect = direct * direct >= near * near;
      value = 0.5 * share * max(direct * direct, near * near);
      const pull: f32 = isDirect ? direct : step >= -reach && step <= reach ? near : 0;
      store<f32>(dValues + at, vf * share * pull);
    }

    let distance: f32 = 0;
    if (estimator >= 0) {
      const gap: f32 = load<f32>(fact + row * 7) - logprob;
      let dGap: f32 = 0;
      if (estimator == 0) {
        distance = excess(min(gap, 30));
        dGap = exp1(min(gap, 30)) - 1;
        if (distance > 10) {
          distance = 10;
          dGap = 0;
        }
      } else if (estimator == 1) {
        distance = abs(gap);
        dGap = gap > 0 ? 1 : gap < 0 ? -1 : 0;
      } else {
        distance = 0.5 * gap * gap;
        dGap = gap;
      }
      distance *= share;
      slope -= klCoef * share * dGap;
    }

    const spread = share * load<f32>(entropy + at);
    store<f32>(dLogprobs + at, slope);
    store<f32>(dEntropy + at, -ent * share);
    store<f32>(term, policy + vf * value - ent * spread + klCoef * distance);
    store<f32>(term + row, policy);
    store<f32>(term + row * 2, value);
    store<f32>(term + row * 3, spread);
    store<f32>(term + row * 4, share * excess(d));
    store<f32>(term + row * 5, distance);
    const spanShare = load<f32>(fact + row * 3);
    store<f32>(term + row * 6, isClipped ? spanShare : 0);
    store<f32>(term + row * 7, isDual ? spanShare : 0);
  }
}
