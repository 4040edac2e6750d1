// The loss of a policy update and its gradient, with one thread for each token. To compute the ratio of a span, each of
// its threads goes through all tokens of the span. Spans are either short (a turn) or few (a trajectory), so a second
// dispatch would take longer than this repeated work. All numbers that change from step to step are in tensors.
import type * as tf from '@tensorflow/tfjs-core';
import { lossFacts, lossSettings, surrogateNames } from './tokenLoss.ts';
import { as, declare, input, reads } from '../../webgpu/program/kernel.ts';

// e^d − 1 − d, computed without loss of precision near 0.
const excess = `
fn excess(d: f32) -> f32 {
  if (abs(d) > 0.3) { return exp(d) - 1.0 - d; }
  return d * d * (0.5 + d * (0.16666667 + d * (0.041666668 + d * (0.008333334 + d * 0.0013888889))));
}`;

// A log-ratio as GMPO bounds it: from above if the advantage is positive, and from below otherwise. low = 1 − clipLow,
// high = 1 + clipHigh.
const bounded = `
fn bounded(logratio: f32, advantage: f32, low: f32, high: f32) -> f32 {
  return select(max(logratio, low - 1.0), min(logratio, high - 1.0), advantage > 0.0);
}`;

const named = lossSettings.map((name, i) => `let ${name} = settings[${String(i)}u];`).join('\n  ');

/** The number of a surrogate in the settings. */
const surrogateOf = (name: (typeof surrogateNames)[number]) => surrogateNames.indexOf(name).toFixed(1);

/** The offset of a row of `facts`. */
const rowOf = (name: (typeof lossFacts)[number]) => `${String(lossFacts.indexOf(name))}u * n`;

const body = (hasValues: boolean) => `
  let n = sizes.items;
  ${named}
  let share = facts[${rowOf('tokenShare')} + item];
  var policy = 0.0;
  var slope = 0.0;
  var value = 0.0;
  var pull = 0.0;
  var spread = 0.0;
  var moved = 0.0;
  var distance = 0.0;
  var clipped = 0.0;
  var dualClipped = 0.0;
  if (share != 0.0) {
    let d = logprobs[item] - facts[item];
    let advantage = facts[${rowOf('advantages')} + item];
    let weight = facts[${rowOf('weight')} + item];
    let length = u32(facts[${rowOf('spanLength')} + item]);
    let isMean = isArithmetic != 0.0;
    let isGmpo = surrogate == ${surrogateOf('gmpo')};
    let inBand = select(d, bounded(d, advantage, low, high), isGmpo);
    var mean = inBand;
    if (length > 0u) {
      let start = ${rowOf('spanTokens')} + u32(facts[${rowOf('spanStart')} + item]);
      mean = 0.0;
      for (var i = 0u; i < length; i++) {
        let at = u32(facts[start + i]);
        var one = logprobs[at] - facts[at];
        if (isGmpo) { one = bounded(one, advantage, low, high); }
        if (isMean) { one = exp(min(one, logratioClamp)); }
        mean += one;
      }
      mean /= f32(length);
    }
    // The exponent that is clamped, and e to its power. This power is the ratio itself, or this token's share of a mean
    // of ratios.
    let bent = select(mean, d, isMean);
    let own = exp(min(bent, logratioClamp));
    let ratio = select(own, mean, isMean && length > 0u);
    let cut = min(max(ratio, low), high);
    if (surrogate == ${surrogateOf('cispo')}) {
      slope = weight * (-advantage * cut);
      policy = slope * logprobs[item];
      if (cut != ratio) { clipped = facts[${rowOf('share')} + item]; }
    } else if (surrogate == ${surrogateOf('sapo')}) {
      let heat = select(gateNegative, gatePositive, advantage > 0.0);
      let gate = 1.0 / (1.0 + exp(-heat * (ratio - 1.0)));
      policy = weight * (-advantage * 4.0 * gate) / heat;
      if (bent <= logratioClamp) { slope = weight * (-advantage * 4.0 * gate * (1.0 - gate) * own); }
    } else if (isGmpo) {
      policy = weight * (-advantage * ratio);
      if (inBand == d && mean <= logratioClamp) { slope = policy; }
      if (inBand != d && advantage != 0.0) { clipped = facts[${rowOf('share')} + item]; }
    } else {
      let free = -advantage * ratio;
      let limited = -advantage * cut;
      let pessimist = max(free, limited);
      let bound = abs(advantage) * dual;
      policy = weight * min(pessimist, bound);
      if (pessimist <= bound && bent <= logratioClamp && (free >= limited || cut == ratio)) {
        slope = weight * (-advantage * own);
      }
      if (pessimist > bound) {
        dualClipped = facts[${rowOf('share')} + item];
      } else if (limited > free) {
        clipped = facts[${rowOf('share')} + item];
      }
    }${
      hasValues
        ? `
    let old = facts[${rowOf('oldValues')} + item];
    let goal = facts[${rowOf('returns')} + item];
    let step = values[item] - old;
    let direct = values[item] - goal;
    let held = old + clamp(step, -valueClip, valueClip) - goal;
    value = 0.5 * share * max(direct * direct, held * held);
    if (direct * direct >= held * held) { pull = direct; } else if (abs(step) <= valueClip) { pull = held; }
    pull *= vfCoef * share;`
        : ''
    }
    if (klEstimator >= 0.0) {
      let gap = facts[${rowOf('refLogprobs')} + item] - logprobs[item];
      var dGap = gap;
      distance = 0.5 * gap * gap;
      if (klEstimator == 0.0) {
        distance = excess(min(gap, 30.0));
        dGap = exp(min(gap, 30.0)) - 1.0;
        if (distance > 10.0) {
          distance = 10.0;
          dGap = 0.0;
        }
      } else if (klEstimator == 1.0) {
        distance = abs(gap);
        dGap = sign(gap);
      }
      distance *= share;
      slope -= klCoef * share * dGap;
    }
    spread = share * entropy[item];
    moved = share * excess(d);
  }
  dLogprobs[item] = slope;
  dEntropy[item] = -entCoef * share;
  ${hasValues ? 'dValues[item] = pull;' : ''}
  terms[item] = policy + vfCoef * value - entCoef * spread + klCoef * distance;
  terms[n + item] = policy;
  terms[2u * n + item] = value;
  terms[3u * n + item] = spread;
  terms[4u * n + item] = moved;
  terms[5u * n + item] = distance;
  terms[6u * n + item] = clipped;
  terms[7u * n + item] = dualClipped;`;

export const lossKernels = [
  // With a critic, the program needs one more buffer. `hasTokenLoss` checks whether the device can bind it.
  declare('TokenLoss', { buffers: 8 }, (call) => {
    const { recorder } = call;
    const items = input(call, 'facts').shape[1] as number;
    const hasValues = call.attrs['hasValues'] === true;
    const [terms, dLogprobs, dEntropy, dValues] = [[8, items], [items], [items], [hasValues ? items : 0]].map((shape) =>
      recorder.allocate(shape),
    ) as [tf.TensorInfo, tf.TensorInfo, tf.TensorInfo, tf.TensorInfo];
    const text = () => ({ functions: `${excess}${bounded}`, body: body(hasValues) });
    recorder.run({
      program: { key: `TokenLoss ${String(hasValues)}`, variant: 'solo', text },
      writes: {
        ...{ terms: as('f32', terms), dLogprobs: as('f32', dLogprobs), dEntropy: as('f32', dEntropy) },
        ...(hasValues && { dValues: as('f32', dValues) }),
      },
      reads: reads(call, 'f32', 'logprobs', 'entropy', ...(hasValues ? ['values'] : []), 'facts', 'settings'),
      items,
    });
    return [terms, dLogprobs, dEntropy, dValues];
  }),
];
