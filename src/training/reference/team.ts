// Computes formulas for several agents literally in float64: HAPPO's products of ratios, GAE over all turns of a team,
// mixing networks, and trees of candidates. The code is deliberately slow.
import type { Matrix } from './policy.ts';

const average = (xs: number[]): number => xs.reduce((sum, x) => sum + x, 0) / xs.length;

/**
 * The weights M of all agents. M of the (m+1)-th agent is the advantage times the product of the first m ratios, which
 * is clipped to e^{±3}.
 */
export function referenceHappo(advantage: number, ratios: number[]): number[] {
  const weights: number[] = [];
  for (let m = 0; m <= ratios.length; m++) {
    let product = 1;
    for (let k = 0; k < m; k++) product *= ratios[k] as number;
    weights.push(advantage * Math.min(Math.exp(3), Math.max(Math.exp(-3), product)));
  }
  return weights;
}

/** The advantage Σ_l (γλ)^l δ_{t+l} of each step, where every δ is computed directly. */
export function referenceJoint(
  steps: { reward: number; value: number }[],
  { gamma, lambda }: { gamma: number; lambda: number },
): number[] {
  const value = (t: number) => steps[t]?.value ?? 0;
  return steps.map((_, t) => {
    let advantage = 0;
    for (let l = 0; t + l < steps.length; l++) {
      const { reward } = steps[t + l] as { reward: number };
      advantage += Math.pow(gamma * lambda, l) * (reward + gamma * value(t + l + 1) - value(t + l));
    }
    return advantage;
  });
}

export interface ReferenceMixing {
  w1: Matrix;
  b1: number[];
  w2: number[];
  v: number;
}

/**
 * Q_tot in one state. `margin` is the smallest distance of a hidden unit or a weight from 0, where the slope of the
 * function jumps.
 */
export function referenceQmix(q: number[], { w1, b1, w2, v }: ReferenceMixing): { total: number; margin: number } {
  let total = v;
  let margin = Infinity;
  for (let unit = 0; unit < b1.length; unit++) {
    let x = b1[unit] as number;
    for (let agent = 0; agent < q.length; agent++) {
      const weight = (w1[unit] as number[])[agent] as number;
      x += Math.abs(weight) * (q[agent] as number);
      margin = Math.min(margin, Math.abs(weight));
    }
    margin = Math.min(margin, Math.abs(x), Math.abs(w2[unit] as number));
    total += Math.abs(w2[unit] as number) * (x > 0 ? x : Math.exp(x) - 1);
  }
  return { total, margin };
}

/**
 * The weights of the mixing network in one state, and the smallest distance from 0 of a hidden unit in the network that
 * computes v. At 0, the slope of a hidden unit jumps.
 */
export function referenceMixer(
  state: number[],
  layer: (name: string) => { weight: Matrix; bias: number[] },
  agents: number,
): ReferenceMixing & { margin: number } {
  const apply = (name: string, x: number[]): number[] => {
    const { weight, bias } = layer(name);
    return weight.map((row, out) => row.reduce((sum, w, i) => sum + w * (x[i] as number), bias[out] as number));
  };
  const flat = apply('mixer.w1', state);
  const up = apply('mixer.value.up', state);
  return {
    w1: Array.from({ length: flat.length / agents }, (_, unit) => flat.slice(unit * agents, (unit + 1) * agents)),
    b1: apply('mixer.b1', state),
    w2: apply('mixer.w2', state),
    v: apply(
      'mixer.value.down',
      up.map((x) => (x > 0 ? x : 0)),
    )[0] as number,
    margin: Math.min(...up.map(Math.abs)),
  };
}

export interface ReferenceCandidate {
  tree: number | string;
  agent: number;
  turn: number;
  team: number;
  local: number;
}

/**
 * The advantage of each candidate, compared with the other candidates of the same tree and turn; 0 if there are no
 * others.
 */
export function referenceTree(
  candidates: ReferenceCandidate[],
  std: boolean,
): { advantage: number; isBest: boolean }[] {
  return candidates.map((own, at) => {
    const score = (of: ReferenceCandidate) => of.team + of.local;
    const siblings = candidates.filter(({ tree, turn }) => tree === own.tree && turn === own.turn);
    const scores = siblings.map(score);
    const isBest = candidates.every((other, place) => {
      if (other.tree !== own.tree || other.turn !== own.turn || place === at) return true;
      return place < at ? score(other) < score(own) : score(other) <= score(own);
    });
    if (siblings.length === 1) return { advantage: 0, isBest };
    const squares = scores.reduce((sum, x) => sum + (x - average(scores)) ** 2, 0);
    const spread = Math.sqrt(squares / (scores.length - 1)) + 1e-6;
    return { advantage: (score(own) - average(scores)) / (std ? spread : 1), isBest };
  });
}
