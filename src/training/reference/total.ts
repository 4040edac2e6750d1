// The whole loss of a policy update in float64, from what a network says of each token:
// policyLoss + vfCoef·valueLoss − entCoef·entropy + klCoef·refKl.
import type { KlEstimator } from '../../config/names.ts';
import type { PolicyOptions } from '../maths/loss.ts';
import { referenceApproxKl } from './advantages.ts';
import { referenceKl, referencePolicyLoss, referenceValueLoss, type Matrix, type ReferenceBatch } from './policy.ts';

/** What a network says, [B][T] each. */
export type Said = {
  logprobs: Matrix;
  entropy: Matrix;
  values: Matrix;
};

/** What was known before the update. */
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
  /** Null: no KL in the loss. */
  estimator: KlEstimator | null;
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
  /** Distance of the nearest token or span to a kink. */
  margin: number;
}

export function referenceTotal(said: Said, known: Known, options: TotalOptions): ReferenceTotal {
  const parts = referencePolicyLoss({ ...known, logprobs: said.logprobs }, options);
  const fit = referenceValueLoss({ ...known, values: said.values }, options.valueClip);
  let [tokens, entropy, refKl, margin] = [0, 0, 0, Math.min(parts.margin, fit.margin)];
  known.actionMask.forEach((row, b) =>
    row.forEach((is, t) => {
      if (is === 0) return;
      const [logprob, refLogprob] = [said.logprobs, known.refLogprobs].map((m) => (m[b] as number[])[t] as number) as [
        number,
        number,
      ];
      tokens++;
      entropy += (said.entropy[b] as number[])[t] as number;
      if (options.estimator === null) return;
      refKl += referenceKl(logprob, refLogprob, options.estimator);
      if (options.estimator === 'abs') margin = Math.min(margin, Math.abs(refLogprob - logprob));
    }),
  );
  entropy /= tokens;
  refKl /= tokens;
  const { vfCoef, entCoef, klCoef } = options;
  return {
    total: parts.loss + vfCoef * fit.loss - entCoef * entropy + klCoef * refKl,
    ...{ policy: parts.loss, value: fit.loss, entropy, refKl, margin },
    approxKl: referenceApproxKl(said.logprobs, known.oldLogprobs, known.actionMask),
    ...{ clipFraction: parts.clipFraction, dualClipFraction: parts.dualClipFraction },
  };
}
