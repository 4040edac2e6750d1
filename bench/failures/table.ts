// A failure as rows of a table: each measure in the arm that should fail and in the one beside it, over the same seeds,
// and whether the difference shows it.
import { mean, type Interval } from '../../src/base/stats.ts';
import { tInterval } from '../shared/interval.ts';
import { spread, table, type Column } from '../shared/table.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';
import { arms, type Failure } from './plan.ts';

interface Kept {
  seed: number;
  commit: string;
  result: BudgetRun;
}

export type FailureRow = ReturnType<typeof failureRow>[number];

const columns: Column<FailureRow>[] = [
  ['Failure', ({ name }) => name],
  ['Provoked by', ({ provokedBy }) => provokedBy],
  ['Beside', ({ beside }) => beside],
  ['Measure', ({ measure }) => measure],
  ['Provoked', ({ provoked }) => provoked.mean.toFixed(3)],
  ['Beside it', ({ sound }) => sound.mean.toFixed(3)],
  ['Difference', ({ difference }) => spread(difference)],
  ['Happened', ({ happened }) => happened],
];

/** What was claimed, then every measure. */
export function failuresTable({ rows }: { rows: readonly FailureRow[] }): string {
  if (rows.length === 0) return '';
  const claims = new Map(rows.map(({ name, claim, source }) => [name, `- _${name}_: ${claim} (${source})`]));
  return [[...claims.values()].join('\n'), table(columns, rows)].join('\n\n');
}

/** One row for each measure, from the seeds that both arms have; none where fewer than two are there. */
export function failureRow(failure: Failure, provoked: readonly (Kept | null)[], sound: readonly (Kept | null)[]) {
  const pairs = provoked.flatMap((kept, i) => {
    const other = sound[i];
    return kept && other ? [{ kept, other }] : [];
  });
  if (pairs.length < 2) return [];
  return failure.measures.map(({ words, of, failing, least }) => {
    const [ours, theirs] = [pairs.map(({ kept }) => of(kept.result)), pairs.map(({ other }) => of(other.result))];
    const differences = ours.map((value, i) => value - (theirs[i] as number));
    const difference = { mean: mean(differences), ...tInterval(differences) };
    return {
      name: failure.name,
      claim: failure.claim,
      source: failure.source,
      measure: words,
      provokedBy: arms[failure.arm].words,
      beside: arms[failure.beside].words,
      provoked: { mean: mean(ours), perSeed: ours },
      sound: { mean: mean(theirs), perSeed: theirs },
      /** Provoked less sound, seed by seed, with its 95 % t-interval. */
      difference,
      happened: verdict(difference, { failing, least }),
      commits: [...new Set(pairs.flatMap(({ kept, other }) => [kept.commit, other.commit]))],
    };
  });
}

/**
 * Yes: the interval lies on the side of the failure, and its mean is no smaller than the least that counts. The other way:
 * so on the other side. Not shown: it holds 0, or the difference is too small to matter.
 */
export function verdict(
  { mean: size, low, high }: { mean: number } & Interval,
  { failing, least }: Pick<Failure['measures'][0], 'failing' | 'least'>,
): 'yes' | 'not shown' | 'the other way' {
  const [isBelow, isAbove] = [high < 0 && size <= -least, low > 0 && size >= least];
  if (failing === 'lower' ? isBelow : isAbove) return 'yes';
  return (failing === 'lower' ? isAbove : isBelow) ? 'the other way' : 'not shown';
}
