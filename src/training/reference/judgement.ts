// Computes preference losses, verifier losses and calibration in float64, directly from the definitions. Every pair is
// compared, and every bin is counted separately.
import type { Matrix } from './policy.ts';

const average = (xs: number[]): number => xs.reduce((sum, x) => sum + x, 0) / xs.length;
const logSigmoid = (x: number): number => (x < -30 ? x : -Math.log(1 + Math.exp(-x)));

interface ReferencePreference {
  beta: number;
  smoothing: number;
  kind: 'sigmoid' | 'robust' | 'hinge' | 'ipo' | 'ipoOfSum' | 'simpo';
  margin?: number;
}

export function referenceDpo(
  deltas: number[],
  { beta, smoothing: epsilon, kind, margin: gamma = 0 }: ReferencePreference,
): { loss: number; margin: number } {
  const losses = deltas.map((delta) => {
    if (kind === 'hinge') return Math.max(0, 1 - beta * delta);
    if (kind === 'simpo') return -logSigmoid(beta * delta - gamma);
    if (kind === 'robust')
      return ((1 - epsilon) * -logSigmoid(beta * delta) - epsilon * -logSigmoid(-beta * delta)) / (1 - 2 * epsilon);
    if (kind.startsWith('ipo')) return Math.pow(delta - 1 / (2 * beta), 2);
    return -(1 - epsilon) * logSigmoid(beta * delta) - epsilon * logSigmoid(-beta * delta);
  });
  const margins = kind === 'hinge' ? deltas.map((delta) => Math.abs(1 - beta * delta)) : [Infinity];
  return { loss: average(losses), margin: Math.min(...margins) };
}

export function referenceDelta(
  batch: { logprobs: Matrix; refLogprobs: Matrix | null; actionMask: Matrix },
  { winner, loser }: { winner: number[]; loser: number[] },
  isMean = false,
): number {
  const side = (rows: number[]): number => {
    let total = 0;
    let tokens = 0;
    for (const row of rows) {
      (batch.logprobs[row] as number[]).forEach((logprob, t) => {
        if ((batch.actionMask[row] as number[])[t] === 0) return;
        tokens++;
        total += logprob - (batch.refLogprobs ? ((batch.refLogprobs[row] as number[])[t] as number) : 0);
      });
    }
    return isMean && tokens > 0 ? total / tokens : total;
  };
  return side(winner) - side(loser);
}

export function referenceVerifierLoss(logits: Matrix, isRight: number[], mask: Matrix): number {
  const losses: number[] = [];
  logits.forEach((row, b) =>
    row.forEach((x, t) => {
      if ((mask[b] as number[])[t] === 1) losses.push(-(isRight[b] === 1 ? logSigmoid(x) : logSigmoid(-x)));
    }),
  );
  return losses.length === 0 ? 0 : average(losses);
}

export function referenceAuc(scores: number[], isRight: boolean[]): number {
  const wins: number[] = [];
  scores.forEach((right, i) => {
    if (!isRight[i]) return;
    scores.forEach((wrong, j) => {
      if (!isRight[j]) wins.push(right > wrong ? 1 : right === wrong ? 0.5 : 0);
    });
  });
  return wins.length === 0 ? Number.NaN : average(wins);
}

export function referenceReliability(
  scores: number[],
  isRight: boolean[],
  bins: number,
): { count: number; meanScore: number; shareRight: number }[] {
  return Array.from({ length: bins }, (_, bin) => {
    const isIn = (score: number) => score * bins >= bin && (score * bins < bin + 1 || bin === bins - 1);
    const own = scores.map((_, at) => at).filter((at) => isIn(scores[at] as number));
    return {
      count: own.length,
      meanScore: average(own.map((at) => scores[at] as number)),
      shareRight: average(own.map((at) => (isRight[at] ? 1 : 0))),
    };
  });
}
