// A claim from the literature, with the results that the benchmarks measured and that ship with the page.
import * as v from 'valibot';
import { tInterval, type Estimate } from '../../base/intervals.ts';
import { whole } from '../problem.ts';
import { measureNames } from './measures.ts';

const number = v.number();
/** Two numbers, one for the first arm and one for the second. */
const pair = v.tuple([number, number]);
const estimate = v.object({ mean: number, low: number, high: number });

export const claimSchema = v.object({
  id: v.string(),
  /** How the first arm compares with the second, in words. */
  statement: v.string(),
  source: v.string(),
  /** The effect of the first arm on the measure that the claim predicts. */
  direction: v.picklist(['lower', 'higher']),
  /** In words. */
  measure: v.string(),
  measuredBy: v.picklist(measureNames),
  /** An effect smaller than this is negligible. */
  least: number,
  /**
   * The regime in which fresh seeds were run; null if there were none, because no regime showed a sign of the effect.
   */
  regime: v.nullable(v.string()),
  /** The regime in which the page runs the claim: `regime`, or otherwise the first one that was tried. */
  runIn: v.string(),
  /** Sampled tokens of each arm. */
  tokens: whole,
  arms: v.tuple([armSchema(), armSchema()]),
  seeds: v.array(whole),
  differences: v.array(number),
  /** 95 % t-interval of the mean difference; null for fewer than two seeds. */
  difference: v.nullable(estimate),
  verdict: v.picklist(['open', 'shown', 'not shown', 'the other way']),
  /** All regimes that were tried, with one seed each. */
  tried: v.array(v.object({ regime: v.string(), seed: whole, values: pair, difference: number })),
  /** Parts of the record that were measured when settings had another meaning, in words. */
  older: v.exactOptional(v.string()),
});
export type ClaimRecord = v.InferOutput<typeof claimSchema>;
export type ClaimVerdict = ClaimRecord['verdict'];

/** The file that the page ships. */
export const claimsSchema = v.object({ machine: v.string(), backend: v.string(), rows: v.array(claimSchema) });

function armSchema() {
  return v.object({
    label: v.string(),
    /** The settings with which the page opens a run; null if the page refuses the settings of the benchmark. */
    run: v.nullable(v.string()),
    /** The measured values, one for each seed in the same order. */
    values: v.array(number),
  });
}

/** The number of seeds that are needed for a verdict; with fewer, the claim is open. */
export const decidingSeeds = 5;

type Wanted = Pick<ClaimRecord, 'direction' | 'least'>;

/**
 * `shown`: the interval is on the claim's side of 0, and its mean is large enough to matter. `the other way`: the same
 * is true for the other side of 0.
 */
export function verdictOf(
  { mean: size, low, high }: Estimate,
  { direction, least }: Wanted,
): Exclude<ClaimVerdict, 'open'> {
  const [isBelow, isAbove] = [high < 0 && size <= -least, low > 0 && size >= least];
  if (direction === 'lower' ? isBelow : isAbove) return 'shown';
  return (direction === 'lower' ? isAbove : isBelow) ? 'the other way' : 'not shown';
}

/** The verdict on a claim from its differences, one per seed. */
export function judged(differences: readonly number[], wanted: Wanted): Pick<ClaimRecord, 'difference' | 'verdict'> {
  const difference = differences.length < 2 ? null : tInterval(differences);
  const isOpen = difference === null || differences.length < decidingSeeds;
  return { difference, verdict: isOpen ? 'open' : verdictOf(difference, wanted) };
}
