// Finds the known word that a person probably meant.
import { spoken } from './spoken.ts';

/**
 * The number of letters that must be inserted, deleted, replaced, or swapped with their neighbour to make `b` of `a`
 * (optimal string alignment). Upper and lower case are the same.
 */
export function editDistance(a: string, b: string): number {
  const [from, to] = [[...a.toLowerCase()], [...b.toLowerCase()]];
  // rows[i][j] is the distance between the first i letters of one word and the first j letters of the other.
  const rows = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwap = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(
        Math.min(
          at(i - 1, j) + 1,
          at(i, j - 1) + 1,
          at(i - 1, j - 1) + (isSame ? 0 : 1),
          isSwap ? at(i - 2, j - 2) + 1 : Infinity,
        ),
      );
    }
  }
  return at(from.length, to.length);
}

/**
 * The known word that needs the fewest corrections, at most one for every three letters; undefined if no word is that
 * near.
 */
export function nearestOf(word: string, known: readonly string[]): string | undefined {
  // No word of which much is missing or superfluous is near, so long texts cost nothing.
  const most = Math.max(1, Math.floor(Math.min(word.length, 60) / 3));
  let best: string | undefined;
  let least = most + 1;
  for (const one of known) {
    if (Math.abs(one.length - word.length) >= least) continue;
    const found = editDistance(word, one);
    if (found < least) [best, least] = [one, found];
  }
  return best;
}

/** The question whether the nearest word was meant, after a space; empty if no word is near. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = nearestOf(word, known);
  return meant === undefined ? '' : ` ${spoken`Did you mean ${meant}?`}`;
}
