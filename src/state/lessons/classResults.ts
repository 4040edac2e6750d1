// The results of a class: what it measured of one claim, apart from what the benches did. Everybody's seed counts once.
import { claimCard, type ClaimCard } from '../experiments/claimCard.ts';
import type { ClaimResult } from '../../records/claims/result.ts';

/** The same claim with the seeds of the class alone. */
export const ofClass = ({ record, digest }: ClaimCard, results: readonly ClaimResult[]): ClaimCard =>
  claimCard({ record: { ...record, seeds: [], verdict: 'open' }, digest }, results);

/** The claim on show where nobody has chosen: the one most results are of, else the first that the page can run. */
export function mostMeasured(cards: readonly ClaimCard[], results: readonly ClaimResult[]): ClaimCard | undefined {
  const count = ({ digest }: ClaimCard) => results.filter((result) => result.digest === digest).length;
  const runnable = cards.filter(({ digest }) => digest !== null);
  return runnable.toSorted((a, b) => count(b) - count(a))[0];
}
