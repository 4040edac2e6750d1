// The loss of a policy update in float64, computed span by span from its definition. This code is the reference for the
// kernels of `tokenLoss` and for finite differences, and does not use the rows that describe spans to kernels.
import type { Numbers } from '../../testing/numbers.ts';
import { type lossFacts, type lossSettings, surrogateNames } from '../tokenLoss.ts';

type SpanFact = (typeof import('../spanLayout.ts').spanFacts)[number];
type Setting = (typeof lossSettings)[number];

/** The inputs that are known before the update. Each column has N entries. */
export interface LossGiven {
  facts: Record<Exclude<(typeof lossFacts)[number], SpanFact>, Numbers>;
  settings: Record<Setting, number>;
  /** [N] the span of each token, −1 if it is not an action token. */
  ids: ArrayLike<number>;
}

/** logprobs, entropy and, with a critic, values; [N] each. */
export type ReferenceOutput = readonly [Numbers, Numbers, Numbers?];

/**
 * The terms of the loss in the order of `lossTerms`, [8]. The weights of CISPO are constants, which are computed from
 * the log-probabilities `heldAt` [N].
 */
export function lossReference(
  [logprobs, entropy, values]: ReferenceOutput,
  { facts, settings, ids }: LossGiven,
  heldAt: Numbers = logprobs,
): Numbers {
  const { low, high, dual, vfCoef, entCoef, klCoef } = settings;
  const sums = { policy: 0, value: 0, entropy: 0, approxKl: 0, refKl: 0, clipped: 0, dualClipped: 0 };
  const spans = new Map<number, number[]>();
  Array.from(ids).forEach((id, token) => {
    if (id >= 0) spans.set(id, [...(spans.get(id) ?? []), token]);
  });
  for (const tokens of spans.values()) {
    const of = (name: keyof LossGiven['facts'], token: number) => facts[name][token] as number;
    const surrogate = surrogateNames[settings.surrogate];
    const measured = surrogate === 'cispo' ? heldAt : logprobs;
    const logratios = tokens.map((token) => (measured[token] as number) - of('oldLogprobs', token));
    const ofSpan = facts.advantages[tokens[0] as number] as number;
    const inBand = (logratio: number) => (ofSpan > 0 ? Math.min(logratio, high - 1) : Math.max(logratio, low - 1));
    const ratio = ratioOf(surrogate === 'gmpo' ? logratios.map(inBand) : logratios, settings);
    for (const [i, token] of tokens.entries()) {
      const [advantage, share] = [of('advantages', token), of('tokenShare', token)];
      const cut = Math.min(Math.max(ratio, low), high);
      const free = -advantage * ratio;
      const bounded = -advantage * cut;
      const worst = Math.max(free, bounded);
      const bound = dual * Math.abs(advantage);
      if (surrogate === 'cispo') {
        sums.policy += of('weight', token) * -advantage * cut * (logprobs[token] as number);
        if (cut !== ratio) sums.clipped += of('share', token);
      } else if (surrogate === 'sapo') {
        const heat = advantage > 0 ? settings.gatePositive : settings.gateNegative;
        sums.policy += (of('weight', token) * -advantage * 4) / (heat * (1 + Math.exp(-heat * (ratio - 1))));
      } else if (surrogate === 'gmpo') {
        const logratio = logratios[i] as number;
        sums.policy += of('weight', token) * -advantage * ratio;
        if (advantage !== 0 && inBand(logratio) !== logratio) sums.clipped += of('share', token);
      } else {
        sums.policy += of('weight', token) * Math.min(worst, bound);
        if (worst > bound) sums.dualClipped += of('share', token);
        else if (bounded > free) sums.clipped += of('share', token);
      }
      sums.entropy += share * (entropy[token] as number);
      const moved = (logprobs[token] as number) - of('oldLogprobs', token);
      sums.approxKl += share * (Math.expm1(moved) - moved);
      if (values) {
        const direct = (values[token] as number) - of('returns', token);
        const step = (values[token] as number) - of('oldValues', token);
        const reach = Math.min(Math.max(step, -settings.valueClip), settings.valueClip);
        const held = of('oldValues', token) + reach - of('returns', token);
        sums.value += (share * Math.max(direct ** 2, held ** 2)) / 2;
      }
      if (settings.klEstimator >= 0)
        sums.refKl += share * distanceOf(of('refLogprobs', token) - (logprobs[token] as number), settings.klEstimator);
    }
  }
  const total = sums.policy + vfCoef * sums.value - entCoef * sums.entropy + klCoef * sums.refKl;
  return Float64Array.from([total, ...Object.values(sums)]);
}

function ratioOf(logratios: readonly number[], { isArithmetic, logratioClamp }: Record<Setting, number>): number {
  const mean = (numbers: readonly number[]) => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  if (isArithmetic) return mean(logratios.map((x) => Math.exp(Math.min(x, logratioClamp))));
  return Math.exp(Math.min(mean(logratios), logratioClamp));
}

/** The estimate of KL for a log-ratio d, by the estimators in the order of `klNames`; k3 is limited to 10. */
function distanceOf(d: number, estimator: number): number {
  const estimates = [Math.min(10, Math.expm1(Math.min(d, 30)) - d), Math.abs(d), d ** 2 / 2];
  return estimates[estimator] as number;
}
