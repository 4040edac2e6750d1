// A claim with all that was measured of it, by the benches, here and by others: seeds count once, and the interval narrows as
// they come.
import { tInterval, type Estimate } from '../../base/intervals.ts';
import { judged, type ClaimRecord, type ClaimVerdict } from '../../records/claims/claimRecord.ts';
import type { ClaimResult } from '../../records/claims/result.ts';

/** Both arms with one seed. */
export interface SeedPair {
  seed: number;
  values: readonly [number, number];
  difference: number;
  /** Whether it was measured here or came in a result file, and not with the page. */
  isAdded: boolean;
}

/** A claim, and what its results are known by. */
export interface KnownClaim {
  record: ClaimRecord;
  /** Null where the page cannot run it. */
  digest: string | null;
}

export interface ClaimCard extends KnownClaim {
  /** Those of the benches first, then the others by seed. */
  pairs: readonly SeedPair[];
  /** Null for fewer than two seeds. */
  difference: Estimate | null;
  verdict: ClaimVerdict;
}

/** `results`: of all claims. One of a seed that the benches have is not counted again. */
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
  // Where no regime promised the effect nothing is open until somebody adds a seed.
  const verdict = added.length === 0 ? record.verdict : found.verdict;
  return { record, digest, pairs, difference: found.difference, verdict };
}

const pairOf = (seed: number, values: readonly [number, number], isAdded: boolean): SeedPair => ({
  ...{ seed, values, isAdded },
  difference: values[0] - values[1],
});

/** The mean difference with its interval after two seeds, three, and so on. */
export function narrowing({ pairs }: Pick<ClaimCard, 'pairs'>): { count: number; estimate: Estimate }[] {
  const differences = pairs.map(({ difference }) => difference);
  return differences.slice(1).map((_, i) => ({ count: i + 2, estimate: tInterval(differences.slice(0, i + 2)) }));
}

/** A seed that nobody has run. */
export const freshSeed = ({ pairs }: Pick<ClaimCard, 'pairs'>): number =>
  Math.max(100, ...pairs.map(({ seed }) => seed)) + 1;

/** The same claim with the seeds of a class alone, apart from those of the benches. Everybody's seed counts once. */
export const ofClass = ({ record, digest }: ClaimCard, results: readonly ClaimResult[]): ClaimCard =>
  claimCard({ record: { ...record, seeds: [], verdict: 'open' }, digest }, results);

/** The claim on show where nobody has chosen: the one most results are of, else the first that the page can run. */
export function mostMeasured(cards: readonly ClaimCard[], results: readonly ClaimResult[]): ClaimCard | undefined {
  const count = ({ digest }: ClaimCard) => results.filter((result) => result.digest === digest).length;
  const runnable = cards.filter(({ digest }) => digest !== null);
  return runnable.toSorted((a, b) => count(b) - count(a))[0];
}
