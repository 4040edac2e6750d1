// Samples one token of one row on the host, from the logits that the device has computed. The code is the same for all
// backends. Limits apply in the order of transformers: temperature, top-k, top-p (Holtzman et al. 2020, 1904.09751),
// min-p (Nguyen et al. 2024, 2407.01082). Each limit applies to the tokens that are left after the previous limit.
// Deviation: among equally likely tokens, those with lower ids come first, so exactly k tokens remain after top-k.
import type { DrawnToken, TokenLimits } from '../../records/policy.ts';

/**
 * Samples from softmax(logits / temperature) with the limits. Returns the first of the remaining tokens, in the order
 * of their ids, whose cumulative probability exceeds the uniform random number.
 * @param logits [V]
 * @param uniform in [0, 1)
 * @param temperature > 0
 */
export function drawToken(
  logits: ArrayLike<number>,
  uniform: number,
  { temperature, ...limits }: TokenLimits & { temperature: number },
): DrawnToken {
  const { length } = logits;
  let top = -Infinity;
  for (let id = 0; id < length; id++) top = Math.max(top, (logits[id] as number) / temperature);
  // Loops are used because they are faster than `map`: this code runs for every token of a text, and the vocabulary may
  // be large.
  const weights = new Float64Array(length);
  let sum = 0;
  for (let id = 0; id < length; id++) sum += weights[id] = Math.exp((logits[id] as number) / temperature - top);
  const left = uniform * limited(weights, sum, limits);
  let [chosen, cumulative] = [0, 0];
  for (let id = 0; id < length && cumulative <= left; id++) {
    if (weights[id] === 0) continue;
    chosen = id;
    cumulative += weights[id] as number;
  }
  return { id: chosen, logprob: (logits[chosen] as number) / temperature - top - Math.log(sum) };
}

/**
 * Sets the weights of excluded tokens to 0, and returns the sum of all other weights. The most likely token, whose
 * weight is 1, is never excluded.
 */
function limited(weights: Float64Array, sum: number, { topK = Infinity, topP = 1, minP = 0 }: TokenLimits): number {
  if (topK >= weights.length && topP >= 1 && minP <= 0) return sum;
  if (topK < weights.length || topP < 1) {
    const order = [...weights.keys()].sort((a, b) => (weights[b] as number) - (weights[a] as number) || a - b);
    const first = order.slice(0, Math.max(1, topK));
    const enough = topP * first.reduce((sum, id) => sum + (weights[id] as number), 0);
    let before = 0;
    const kept = first.filter((id, place) => {
      const isNeeded = place === 0 || topP >= 1 || before < enough;
      before += weights[id] as number;
      return isNeeded;
    });
    const stays = new Set(kept);
    for (const id of order) if (!stays.has(id)) weights[id] = 0;
  }
  if (minP > 0) weights.forEach((weight, id) => void (weight < minP && (weights[id] = 0)));
  return weights.reduce((all, weight) => all + weight, 0);
}
