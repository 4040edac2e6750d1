// The record of a claim from the literature: what was registered before its seeds were drawn, and what the benchmarks
// found since. The records ship with the page. docs/claims.md describes how claims are judged.
import * as v from 'valibot';
import { tInterval, type Estimate } from '../../base/intervals.ts';
import { meanTests, type MeanTests } from '../../base/studentT.ts';
import { whole } from '../problem.ts';
import { measureNames } from './measures.ts';

const number = v.number();
const estimate = v.object({ mean: number, low: number, high: number });

export const verdicts = ['open', 'shown', 'reversed', 'smaller'] as const;
export type ClaimVerdict = (typeof verdicts)[number];
const verdict = v.picklist(verdicts);

/** All seeds that were run for one registered form of a claim, or before claims were registered. */
const confirmationSchema = v.object({
  /** The round in which this form was registered; 0 for what was run before there were rounds. */
  round: whole,
  regime: v.string(),
  /** The name of the measure. */
  measuredBy: v.string(),
  seeds: v.array(whole),
  difference: v.nullable(estimate),
  /** In round 0 a word of the older rules. */
  verdict: v.string(),
});
export type Confirmation = v.InferOutput<typeof confirmationSchema>;

export const claimSchema = v.object({
  id: v.string(),
  /** The claim in words: how the first arm compares with the second. */
  statement: v.string(),
  source: v.string(),
  /** Whether, according to the claim, the measure is lower or higher for the first arm than for the second. */
  direction: v.picklist(['lower', 'higher']),
  /** The measure in words. */
  measure: v.string(),
  measuredBy: v.picklist(measureNames),
  /** The smallest difference that matters. */
  least: number,
  /** The regime in which the claim is judged. */
  regime: v.string(),
  /** The number of tokens that are sampled in the run of each arm. */
  tokens: whole,
  /** SHA-256 of the registered form, the round in which it was registered, and the commit that registered it. */
  record: v.object({ hash: v.string(), round: whole, commit: v.string() }),
  arms: v.tuple([armSchema(), armSchema()]),
  seeds: v.array(whole),
  differences: v.array(number),
  /** The mean difference with its 95 % t-interval; null if there are fewer than two seeds. */
  difference: v.nullable(estimate),
  /**
   * p of the hypothesis that the arms do not differ, and of the hypothesis that they differ by at least `least`. Both
   * are corrected for the two looks at the seeds; those ending in `Holm` also for the number of claims.
   */
  p: number,
  pHolm: number,
  pSmaller: number,
  pSmallerHolm: number,
  verdict,
  /** A third arm that shows what the second arm is worth; null if the claim has none. */
  control: v.nullable(v.object({ label: v.string(), values: v.array(number), mean: v.nullable(estimate) })),
  /** The other claims of the table that have an arm in common with this one: their tests are not independent. */
  sharesArmsWith: v.array(v.string()),
  /** Every confirmation that was ever run for this claim, also those that showed nothing. */
  confirmations: v.array(confirmationSchema),
  /** All regimes that were explored with one seed, before the claim was registered. */
  tried: v.array(v.object({ regime: v.string(), seed: whole, values: v.tuple([number, number]), difference: number })),
});
export type ClaimRecord = v.InferOutput<typeof claimSchema>;

/** The file with all claims, which ships with the page. */
export const claimsSchema = v.object({ machine: v.string(), backend: v.string(), rows: v.array(claimSchema) });

function armSchema() {
  return v.object({
    label: v.string(),
    /**
     * The run file with which the page runs this arm; null if the page does not allow the settings of the benchmark.
     */
    run: v.nullable(v.string()),
    /** The measured values, in the order of the seeds. */
    values: v.array(number),
  });
}

/** The number of seeds that are needed for a verdict; with fewer seeds, the verdict is `open`. */
export const decidingSeeds = 5;

/** The probability with which a hypothesis that is true may be rejected. */
const level = 0.05;

type Wanted = Pick<ClaimRecord, 'direction' | 'least'>;

/**
 * The two-sided verdict on a mean difference. `shown`: it differs from 0, is at least `least`, and has the sign of the
 * claim. `reversed`: the same with the opposite sign. `smaller`: it is certainly smaller than `least` in both
 * directions. Otherwise, the claim is `open`.
 */
export function verdictOf(size: number, { p, pSmaller }: MeanTests, { direction, least }: Wanted): ClaimVerdict {
  if (p < level && Math.abs(size) >= least) return size < 0 === (direction === 'lower') ? 'shown' : 'reversed';
  return pSmaller < level ? 'smaller' : 'open';
}

/**
 * The interval of the mean difference, and the verdict on this claim alone, without a correction for other claims.
 * `differences` contains the difference between the arms for each seed.
 */
export function judged(
  differences: readonly number[],
  wanted: Wanted,
): { difference: Estimate | null; verdict: ClaimVerdict } {
  const difference = differences.length < 2 ? null : tInterval(differences);
  if (difference === null || differences.length < decidingSeeds) return { difference, verdict: 'open' };
  return { difference, verdict: verdictOf(difference.mean, meanTests(differences, wanted.least), wanted) };
}
