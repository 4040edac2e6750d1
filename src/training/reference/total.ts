// Computes the whole loss of a policy update in float64 from the outputs of a network for each token: policyLoss +
// vfCoef·valueLoss − entCoef·entropy + klCoef·refKl. If only living rows get the entropy bonus (rows with an advantage
// other than 0), the entropy is summed over the tokens of these rows, but still divided by the number of tokens of all
// rows. The metrics are then also computed only over living rows.
import type { KlEstimator } from '../../config/names.ts';
import type { PolicyOptions } from '../maths/loss.ts';
import { referenceApproxKl } from './advantages.ts';
import { referenceKl, referencePolicyLoss, referenceValueLoss, type Matrix, type ReferenceBatch } from './policy.ts';

/** The outputs of a network, [B][T]. */
export type PolicyOutput = {
  logprobs: Matrix;
  entropy: Matrix;
  values: Matrix;
};

/** The data that are known before the update. */
export interface Known extends Omit<ReferenceBatch, 'logprobs'> {
  oldValues: Matrix;
  returns: Matrix;
  refLogprobs: Matrix;
}

export interface TotalOptions extends PolicyOptions {
  valueClip: number;
  vfCoef: number;
  entCoef: number;
  klCoef: number;
  /** The KL estimator. Null means that the loss contains no KL. */
  estimator: KlEstimator | null;
  /** Whether rows without an advantage get no entropy bonus and are excluded from the metrics. */
  isBonusOfLiving: boolean;
}

export interface ReferenceTotal {
  total: number;
  policy: number;
  value: number;
  entropy: number;
  refKl: number;
  approxKl: number;
  clipFraction: number;
  dualClipFraction: number;
  /** The smallest distance of a token or span from a point where the slope of the loss jumps. */
  margin: number;
}

export function referenceTotal(said: PolicyOutput, known: Known, options: TotalOptions): ReferenceTotal {
  const batch = { ...known, logprobs: said.logprobs };
  const parts = referencePolicyLoss(batch, options);
  const lives = livingRows(known, options);
  const living = rowsOf(batch, lives);
  const fit = referenceValueLoss({ ...known, values: said.values }, options.valueClip);
  let [tokens, livingTokens, entropy, refKl] = [0, 0, 0, 0];
  let margin = Math.min(parts.margin, fit.margin);
  known.actionMask.forEach((row, b) =>
    row.forEach((is, t) => {
      if (is === 0) return;
      const [logprob, refLogprob] = [said.logprobs, known.refLogprobs].map((m) => (m[b] as number[])[t] as number) as [
        number,
        number,
      ];
      tokens++;
      if (lives[b]) {
        livingTokens++;
        entropy += (said.entropy[b] as number[])[t] as number;
      }
      if (options.estimator === null) return;
      refKl += referenceKl(logprob, refLogprob, options.estimator);
      if (options.estimator === 'abs') margin = Math.min(margin, Math.abs(refLogprob - logprob));
    }),
  );
  refKl /= tokens;
  // The metrics are computed only when they are read, because the total is computed a thousand times for finite
  // differences, which do not use the metrics.
  const told = () => referencePolicyLoss(living, options);
  const { vfCoef, entCoef, klCoef } = options;
  return {
    total: parts.loss + vfCoef * fit.loss - (entCoef * entropy) / tokens + klCoef * refKl,
    ...{ policy: parts.loss, value: fit.loss, entropy: entropy / livingTokens, refKl, margin },
    get approxKl() {
      return referenceApproxKl(living.logprobs, living.oldLogprobs, living.actionMask);
    },
    get clipFraction() {
      return told().clipFraction;
    },
    get dualClipFraction() {
      return told().dualClipFraction;
    },
  };
}

/**
 * Whether each row is living. A living row contains a token whose advantage is not 0, or has a common ratio with such a
 * row. If all rows get the bonus, all count as living.
 */
function livingRows(
  { advantages, trajectoryIds, agentIds }: Known,
  { isBonusOfLiving, ratioLevel }: TotalOptions,
): boolean[] {
  const isTied = (a: number, b: number) =>
    a === b ||
    (trajectoryIds[a] === trajectoryIds[b] &&
      (ratioLevel === 'dialogue' || (ratioLevel === 'trajectory' && agentIds[a] === agentIds[b])));
  return advantages.map(
    (_, b) => !isBonusOfLiving || advantages.some((row, other) => isTied(b, other) && row.some((x) => x !== 0)),
  );
}

const rowsOf = (batch: ReferenceBatch, isKept: boolean[]): ReferenceBatch => {
  const kept = <T>(rows: T[]): T[] => rows.filter((_, b) => isKept[b]);
  return {
    ...{ logprobs: kept(batch.logprobs), oldLogprobs: kept(batch.oldLogprobs), advantages: kept(batch.advantages) },
    ...{ actionMask: kept(batch.actionMask), turnIds: kept(batch.turnIds), trajectoryIds: kept(batch.trajectoryIds) },
    agentIds: kept(batch.agentIds),
  };
};
