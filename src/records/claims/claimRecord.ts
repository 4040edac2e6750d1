// The record of a claim from the literature. The record contains the results of our benchmarks, which ship with the
// page.
import * as v from 'valibot';
import { tInterval, type Estimate } from '../../base/intervals.ts';
import { whole } from '../problem.ts';
import { measureNames } from './measures.ts';

const number = v.number();
/** One number for the first arm, and one number for the second arm. */
const pair = v.tuple([number, number]);
const estimate = v.object({ mean: number, low: number, high: number });

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
  /**
   * The regime in which the claim was measured with new seeds; null if the first seed showed no sign of the effect in
   * any regime, so that no further seeds were run.
   */
  regime: v.nullable(v.string()),
  /**
   * The regime in which the page measures the claim: `regime` or, if `regime` is null, the first regime that was tried.
   */
  runIn: v.string(),
  /** The number of tokens that are sampled in the run of each arm. */
  tokens: whole,
  arms: v.tuple([armSchema(), armSchema()]),
  seeds: v.array(whole),
  differences: v.array(number),
  /** The mean difference with its 95 % t-interval; null if there are fewer than two seeds. */
  difference: v.nullable(estimate),
  verdict: v.picklist(['open', 'shown', 'not shown', 'the other way']),
  /** All regimes that were tried, each with one seed. */
  tried: v.array(v.object({ regime: v.string(), seed: whole, values: pair, difference: number })),
  /** A text that states which parts of the record were measured when some settings still had another meaning. */
  older: v.exactOptional(v.string()),
});
export type ClaimRecord = v.InferOutput<typeof claimSchema>;
export type ClaimVerdict = ClaimRecord['verdict'];

/** The file with all claims, which ships with the page. */
export const claimsSchema = v.object({ machine: v.string(), backend: v.string(), rows: v.array(claimSchema) });

function armSchema() {
  return v.object({
    label: v.string(),
    /**
     * The link with which the page opens a run of this arm; null if the page does not allow the settings of the
     * benchmark.
     */
    run: v.nullable(v.string()),
    /** The measured values, in the order of the seeds. */
    values: v.array(number),
  });
}

/** The number of seeds that are needed for a verdict; with fewer seeds, the verdict is `open`. */
export const decidingSeeds = 5;

type Wanted = Pick<ClaimRecord, 'direction' | 'least'>;

/**
 * The verdict `shown` means that the interval does not contain 0, and that the mean difference has the predicted sign
 * and is at least `least`. `the other way` means the same for the opposite sign.
 */
export function verdictOf(
  { mean: size, low, high }: Estimate,
  { direction, least }: Wanted,
): Exclude<ClaimVerdict, 'open'> {
  const [isBelow, isAbove] = [high < 0 && size <= -least, low > 0 && size >= least];
  if (direction === 'lower' ? isBelow : isAbove) return 'shown';
  return (direction === 'lower' ? isAbove : isBelow) ? 'the other way' : 'not shown';
}

/** The verdict on a claim. `differences` contains the difference between the arms for each seed. */
export function judged(differences: readonly number[], wanted: Wanted): Pick<ClaimRecord, 'difference' | 'verdict'> {
  const difference = differences.length < 2 ? null : tInterval(differences);
  const isOpen = difference === null || differences.length < decidingSeeds;
  return { difference, verdict: isOpen ? 'open' : verdictOf(difference, wanted) };
}
