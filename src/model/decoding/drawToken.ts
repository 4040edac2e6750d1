// One token of one row, drawn on the host from the logits that a device gave: what is drawn is the same on every backend.
// Limits cut in the order of transformers: temperature, top-k, top-p (Holtzman et al. 2020, 1904.09751), min-p (Nguyen et al.
// 2024, 2407.01082); each measures what the one before it left. Deviation: of tokens that are equally likely those with lower
// ids come first, so top-k leaves exactly k.
import type { DrawnToken, TokenLimits } from '../../records/policy.ts';

/**
 * Draws from softmax(logits / temperature) under the limits: of the tokens that are left, by id, the first whose cumulative
 * probability exceeds the uniform number.
 * @param logits [V]
 * @param uniform in [0, 1)
 * @param temperature > 0
 */
export function drawToken(
  logits: ArrayLike<number>,
  uniform: number,
  { temperature, ...limits }: TokenLimits & { temperature: number },
): DrawnToken {
  const scaled = Float64Array.from(logits, (logit) => logit / temperature);
  const top = scaled.reduce((largest, z) => Math.max(largest, z), -Infinity);
  const weights = scaled.map((z) => Math.exp(z - top));
  const logSum = Math.log(total(weights));
  limit(weights, limits);
  const left = uniform * total(weights);
  let [id, cumulative] = [0, 0];
  for (let one = 0; one < weights.length; one++) {
    if (weights[one] === 0) continue;
    id = one;
    cumulative += weights[one] as number;
    if (cumulative > left) break;
  }
  return { id, logprob: (scaled[id] as number) - top - logSum };
}

const total = (weights: Float64Array) => weights.reduce((sum, weight) => sum + weight, 0);

/** Sets the weights of tokens that may not be drawn to 0; the likeliest, whose weight is 1, always stays. */
function limit(weights: Float64Array, { topK = Infinity, topP = 1, minP = 0 }: TokenLimits): void {
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
}
