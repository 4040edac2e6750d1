// A second implementation of the credit formulas, which follows them literally: every Σ is a separate sum, and no value
// is reused for the next entry. Tests compare the code for MAPoRL, ReMemR1, UMAD and causal influence with this
// implementation.

export type NumberTable = number[][];

const sum = (xs: number[]): number => xs.reduce((total, x) => total + x, 0);
const average = (xs: number[]): number => sum(xs) / xs.length;
const column = (table: NumberTable, turn: number): number[] => table[turn] as number[];
const cell = (table: NumberTable, turn: number, agent: number): number => column(table, turn)[agent] as number;

export function referenceInfluenceAware(
  scores: NumberTable,
  gamma: number,
  variant: 'last-own' | 'last-all' | 'current-own' | 'current-all' | 'discounted-own' | 'discounted-all',
): NumberTable {
  const end = scores.length - 1;
  return scores.map((row, t) =>
    row.map((_, i) => {
      if (variant === 'last-own') return cell(scores, end, i);
      if (variant === 'last-all') return average(column(scores, end));
      if (variant === 'current-own') return cell(scores, t, i);
      if (variant === 'current-all') return average(column(scores, t));
      let numerator = cell(scores, t, i);
      let denominator = 1;
      for (let later = t + 1; later <= end; later++) {
        const v = variant === 'discounted-own' ? cell(scores, later, i) : average(column(scores, later));
        numerator += Math.pow(gamma, later - t) * v;
        denominator += Math.pow(gamma, later - t);
      }
      return numerator / denominator;
    }),
  );
}

/** alpha is [α₀, α₁] and beta is [β₀, β₁], with the indices of the paper. */
export function referenceInfluenceBonus(right: boolean[][], alpha: number[], beta: number[]): NumberTable {
  const [a0, a1, b0, b1] = [...alpha, ...beta] as [number, number, number, number];
  return right.map((row, t) =>
    row.map((isRight, i) => {
      if (row.length === 1) return 0;
      const majority = (turn: number): boolean => {
        const others = (right[turn] as boolean[]).filter((_, j) => j !== i);
        return others.filter((x) => x).length * 2 > others.length;
      };
      let paid = 0;
      if (t > 0) {
        const wasRight = (right[t - 1] as boolean[])[i] as boolean;
        if (!wasRight && isRight) paid += majority(t - 1) ? a1 : a0;
        if (wasRight && !isRight) paid -= majority(t - 1) ? a0 : a1;
      }
      if (t < right.length - 1) {
        if (!majority(t) && majority(t + 1)) paid += isRight ? b1 : b0;
        if (majority(t) && !majority(t + 1)) paid -= isRight ? b0 : b1;
      }
      return paid;
    }),
  );
}

export function referenceMixed(
  entries: { rollout: number; outcome: number; question: string; state: number; step: string }[],
  alpha: number,
): number[] {
  return entries.map((entry) => {
    const asked = entries.filter((other) => other.question === entry.question);
    const question = [...new Map(asked.map(({ rollout, outcome }) => [rollout, outcome])).values()];
    const step = entries.filter((other) => other.step === entry.step).map(({ state }) => state);
    return alpha * (entry.outcome - average(question)) + (1 - alpha) * (entry.state - average(step));
  });
}

export function referenceConfidence(advantages: number[], nlls: number[], keys: string[], alpha: number): number[] {
  return advantages.map((advantage, at) => {
    const group = nlls.filter((_, other) => keys[other] === keys[at]);
    if (group.length === 1) return advantage;
    const centre = average(group);
    const spread = Math.sqrt(sum(group.map((nll) => (nll - centre) ** 2)) / (group.length - 1));
    return advantage * Math.exp((-alpha * ((nlls[at] as number) - centre)) / (spread + 1e-6));
  });
}

export function referenceInfluenceGain(rewards: NumberTable, coef: number): NumberTable {
  return rewards.map((row, t) =>
    row.map((reward, i) => {
      if (t === rewards.length - 1 || row.length === 1) return reward;
      const deltas: number[] = [];
      for (let j = 0; j < row.length; j++) if (j !== i) deltas.push(cell(rewards, t + 1, j) - cell(rewards, t, j));
      const mean = average(deltas);
      return reward + (mean > 1e-9 ? coef : mean < -1e-9 ? -coef : 0);
    }),
  );
}

/** full[t] and hidden[t] are the log-probabilities of the tokens of turn t + 1, with turn t visible or hidden. */
export function referenceCausal(full: number[][], hidden: number[][]): number[] {
  return [...full.map((tokens, t) => (tokens.length === 0 ? 0 : average(tokens) - average(hidden[t] as number[]))), 0];
}
