// Computes advantages, team rewards, targets of the mixing critic and the metrics of an update in float64, directly
// from the formulas. Tests compare the real code with these results. For every number, the members of the group are
// searched for again, and every Σ is computed separately. The code is deliberately simple and slow.
import type { TeamAcross, TeamOver } from '../../config/names.ts';
import type { Matrix } from './policy.ts';

const sum = (xs: readonly number[]): number => xs.reduce((total, x) => total + x, 0);
const average = (xs: readonly number[]): number => sum(xs) / xs.length;
/** The unbiased variance: Σ(x − mean)²/(n − 1). */
const variance = (xs: readonly number[]): number =>
  sum(xs.map((x) => (x - average(xs)) * (x - average(xs)))) / (xs.length - 1);
const where = (xs: readonly number[], mask: readonly number[]): number[] => xs.filter((_, at) => mask[at] === 1);

/** The advantage of GRPO: (R − mean_g)/(std_g + 1e-6), or R − mean_g without the division. A lone member gets R. */
export function referenceGroup(rewards: number[], keys: string[], isDivided: boolean): number[] {
  return rewards.map((reward, at) => {
    const group = rewards.filter((_, other) => keys[other] === keys[at]);
    if (group.length === 1) return reward;
    return (reward - average(group)) / (isDivided ? Math.sqrt(variance(group)) + 1e-6 : 1);
  });
}

/** The advantage of RLOO: R minus the mean of the other rewards in the group. A lone member gets R. */
export function referenceLoo(rewards: number[], keys: string[]): number[] {
  return rewards.map((reward, at) => {
    const others = rewards.filter((_, other) => other !== at && keys[other] === keys[at]);
    return others.length === 0 ? reward : reward - average(others);
  });
}

/** The advantage of OPO: R minus the sum of ℓ·R over its group, divided by the sum of ℓ. A lone member gets R. */
export function referenceLengthWeighted(rewards: number[], keys: string[], lengths: number[]): number[] {
  return rewards.map((reward, at) => {
    const group = rewards.flatMap((_, other) => (keys[other] === keys[at] ? [other] : []));
    const earned = sum(group.map((member) => (lengths[member] as number) * (rewards[member] as number)));
    return group.length === 1 ? reward : reward - earned / sum(group.map((member) => lengths[member] as number));
  });
}

/**
 * The advantage for pass@k: the best reward of a group minus the second best for the best member, and 0 for all others.
 * A lone member gets R.
 */
export function referenceBest(rewards: number[], keys: string[], std: boolean): number[] {
  const out = rewards.map(() => 0);
  for (const key of new Set(keys)) {
    const group = rewards.flatMap((_, at) => (keys[at] === key ? [at] : []));
    const [best, second] = group.toSorted((a, b) => (rewards[b] as number) - (rewards[a] as number));
    if (best === undefined) continue;
    const lead = (rewards[best] as number) - (second === undefined ? 0 : (rewards[second] as number));
    const centre = sum(group.map((at) => rewards[at] as number)) / group.length;
    const spread = Math.sqrt(sum(group.map((at) => ((rewards[at] as number) - centre) ** 2)) / (group.length - 1));
    out[best] = std && group.length > 1 ? lead / (spread + 1e-6) : lead;
  }
  return out;
}

/** (x − mean)/√(var + 1e-8) over the entries whose mask is 1, and 0 elsewhere. The variance of a single number is 0. */
export function referenceWhiten(x: number[], mask: number[]): number[] {
  const chosen = where(x, mask);
  const spread = chosen.length > 1 ? Math.sqrt(variance(chosen)) : 0;
  return x.map((value, at) => (mask[at] === 1 ? (value - average(chosen)) / Math.sqrt(spread * spread + 1e-8) : 0));
}

/** The discounted return Σ_k gamma^k·r from each token to the end of its row, whitened over the tokens of all rows. */
export function referenceReinforce(rewards: Matrix, gamma: number): Matrix {
  const toGo = rewards.map((row) => row.map((_, t) => sum(row.slice(t).map((r, k) => Math.pow(gamma, k) * r))));
  const whitened = referenceWhiten(
    toGo.flat(),
    toGo.flat().map(() => 1),
  );
  return toGo.map((row, b) => {
    const start = toGo.slice(0, b).flat().length;
    return whitened.slice(start, start + row.length);
  });
}

/** [turn][agent] an agent's reward at a turn. */
export function referenceTeamReward(
  perTurn: Matrix,
  { across, over, gammaTurn }: { across: TeamAcross; over: TeamOver; gammaTurn: number },
): Matrix {
  const paid = (turn: number, agent: number): number => {
    const all = perTurn[turn] as number[];
    if (across === 'sum') return sum(all);
    if (across === 'mean') return average(all);
    if (across === 'max') return all.toSorted((a, b) => b - a)[0] as number;
    return (across === 'dictator' ? all[0] : all[agent]) as number;
  };
  const last = perTurn.length - 1;
  return perTurn.map((ofTurn, turn) =>
    ofTurn.map((_, agent) => {
      if (over === 'sparse') return turn === last ? paid(last, agent) : 0;
      let total = paid(turn, agent);
      if (over === 'accumulated')
        for (let later = turn + 1; later <= last; later++)
          total += Math.pow(gammaTurn, later - turn) * paid(later, agent);
      return total;
    }),
  );
}

/** r_t + gammaTurn·Φ(s_{t+1}) − Φ(s_t), where `afterLast` is Φ after the last turn. */
export function referenceShaping(
  rewards: number[],
  potentials: number[],
  { gammaTurn, afterLast }: { gammaTurn: number; afterLast: number },
): number[] {
  const states = [...potentials, afterLast];
  return rewards.map((reward, t) => reward + gammaTurn * (states[t + 1] as number) - (states[t] as number));
}

/** The target of each round: r + gammaTurn·Q_tot of the next round, or only r for the last round. */
export function referenceMixingTargets(rewards: number[], totals: number[], gammaTurn: number): number[] {
  const isDone = (k: number) => (k === rewards.length - 1 ? 1 : 0);
  return rewards.map((reward, k) => reward + gammaTurn * (totals[k + 1] ?? 0) * (1 - isDone(k)));
}

/** The mean of (r − 1) − log r over the entries whose mask is 1; 0 if there are none. */
export function referenceApproxKl(logprobs: Matrix, oldLogprobs: Matrix, mask: Matrix): number {
  const flat = oldLogprobs.flat();
  const each = logprobs.flat().map((logprob, at) => {
    const ratio = Math.exp(logprob - (flat[at] as number));
    return ratio - 1 - Math.log(ratio);
  });
  const chosen = where(each, mask.flat());
  return chosen.length === 0 ? 0 : average(chosen);
}

/** β·(1 + clip(KL/target − 1, ±0.2)·n/horizon), where n/horizon is at most four. */
export function referenceKlCoef(
  beta: number,
  { kl, target, n, horizon }: { kl: number; target: number; n: number; horizon: number },
): number {
  let error = (kl - target) / target;
  if (error > 0.2) error = 0.2;
  if (error < -0.2) error = -0.2;
  const horizons = n > 4 * horizon ? 4 : n / horizon;
  return beta + beta * error * horizons;
}

/** 1 − var(R − v)/var(R) over the entries whose mask is 1; NaN if R does not vary. */
export function referenceExplainedVariance(values: number[], returns: number[], mask: number[]): number {
  const chosen = where(returns, mask);
  const missed = where(
    returns.map((target, at) => target - (values[at] as number)),
    mask,
  );
  const isConstant = chosen.every((target) => target === chosen[0]);
  return isConstant ? Number.NaN : 1 - variance(missed) / variance(chosen);
}

/**
 * The running mean and standard deviation of returns, iteration by iteration. The weight of each iteration is 0.9 times
 * the weight of the next iteration.
 */
export function referenceScale(series: number[][]): { centre: number; deviation: number } {
  let [total, first, second] = [0, 0, 0];
  series.forEach((returns, i) => {
    const weight = 0.9 ** (series.length - 1 - i);
    total += weight;
    for (const x of returns) {
      first += (weight * x) / returns.length;
      second += (weight * x * x) / returns.length;
    }
  });
  const variance = second / total - (first / total) ** 2;
  return { centre: first / total, deviation: variance < 0.01 ? 0.1 : Math.sqrt(variance) };
}
