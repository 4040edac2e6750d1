// A claim with all its measurements: those of the benchmarks, those made on this page, and those of other people. Each
// seed counts only once. With more seeds, the confidence interval becomes narrower.
import { tInterval, type Estimate } from '../../base/intervals.ts';
import { writeResultCode } from '../../formats/resultCode.ts';
import { judged, type ClaimRecord, type ClaimVerdict } from '../../records/claims/claimRecord.ts';
import type { ClaimResult } from '../../records/claims/result.ts';

/** The results of both arms with one seed. */
export interface SeedPair {
  seed: number;
  values: readonly [number, number];
  difference: number;
  /**
   * Whether the result was measured in this browser or read from a result file. Otherwise, it is a result of the
   * benchmarks.
   */
  isAdded: boolean;
}

/** A claim, and the digest by which its results are recognised. */
export interface KnownClaim {
  record: ClaimRecord;
  /** The digest that results of this claim contain; null if the page cannot run the claim. */
  digest: string | null;
}

export interface ClaimCard extends KnownClaim {
  /** The results of the benchmarks, followed by all other results in the order of their seeds. */
  pairs: readonly SeedPair[];
  /** The mean difference; null if there are fewer than two seeds. */
  difference: Estimate | null;
  verdict: ClaimVerdict;
}

/**
 * Combines a claim with its measurements. `results` may contain the results of all claims. A seed that is already in
 * the benchmarks is not counted again.
 */
export function claimCard({ record, digest }: KnownClaim, results: readonly ClaimResult[]): ClaimCard {
  const [first, second] = record.arms;
  const shipped = record.seeds.map((seed, i) => pairOf(seed, [first.values[i] ?? 0, second.values[i] ?? 0], false));
  const known = new Set(record.seeds);
  const added = results.filter((result) => result.digest === digest && !known.has(result.seed));
  const pairs = [
    ...shipped,
    ...added.toSorted((a, b) => a.seed - b.seed).map(({ seed, values }) => pairOf(seed, values, true)),
  ];
  const found = judged(
    pairs.map(({ difference }) => difference),
    record,
  );
  // The verdict of the benchmarks is shown as long as there are no other results. It is corrected for all claims, so it
  // cannot be computed from the results of one claim.
  const verdict = added.length === 0 ? record.verdict : found.verdict;
  return { record, digest, pairs, difference: found.difference, verdict };
}

const pairOf = (seed: number, values: readonly [number, number], isAdded: boolean): SeedPair => ({
  ...{ seed, values, isAdded },
  difference: values[0] - values[1],
});

/** The mean differences and intervals for the first two seeds, for the first three seeds, and so on. */
export function narrowing({ pairs }: Pick<ClaimCard, 'pairs'>): { count: number; estimate: Estimate }[] {
  const differences = pairs.map(({ difference }) => difference);
  return differences.slice(1).map((_, i) => ({ count: i + 2, estimate: tInterval(differences.slice(0, i + 2)) }));
}

/** The code of an added result; null for other results, and if its numbers are too large for a code. */
export const codeOf = ({ record, digest }: KnownClaim, { seed, values, isAdded }: SeedPair): string | null =>
  isAdded && digest !== null ? writeResultCode({ digest, seed, values: [...values] }, record.measuredBy) : null;

/**
 * A seed for which there is no measurement of this claim. The seeds of the benchmarks are large random numbers, and a
 * visitor's seeds stay small, so that they fit into a code.
 */
export const freshSeed = ({ pairs }: Pick<ClaimCard, 'pairs'>): number =>
  Math.max(100, ...pairs.flatMap(({ seed, isAdded }) => (isAdded ? seed : []))) + 1;

/**
 * The same claim with only the results of a class, and without the results of the benchmarks. Each seed counts once.
 */
export const ofClass = ({ record, digest }: ClaimCard, results: readonly ClaimResult[]): ClaimCard =>
  claimCard({ record: { ...record, seeds: [], verdict: 'open' }, digest }, results);

/**
 * The claim that is displayed before the visitor chooses one. It is the claim with the most results among the
 * claims that the page can run. If the page cannot run any, it is the first claim.
 */
export function mostMeasured(cards: readonly ClaimCard[], results: readonly ClaimResult[]): ClaimCard | undefined {
  const count = ({ digest }: ClaimCard) => results.filter((result) => result.digest === digest).length;
  const runnable = cards.filter(({ digest }) => digest !== null);
  return runnable.toSorted((a, b) => count(b) - count(a))[0];
}
