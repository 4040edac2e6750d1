// Determines whether agents that learned together share a language that strangers do not know. A verdict is given only
// if it passes a check:
// - A pair that collapsed has no language that could be private, so it is left out.
// - The result must not be explained by unequal speakers and listeners. Let s be the quality of a speaker and l that of
//   a listener. Whether they add up or multiply, the mean of both pairs of strangers is never below the weaker of the
//   two own pairs ((s₁l₂ + s₂l₁)/2 ≥ √(s₁l₁ · s₂l₂) ≥ min). So for a private language, strangers are compared with the
//   weaker own pair.
// - A shared language must be a language: own pairs are right more often than any agent that hears nothing.
import { bitsOf } from '../../../../base/bits.ts';
import { tInterval, type Estimate } from '../../../../base/intervals.ts';
import { mean } from '../../../../base/stats.ts';
import type { CrossCell } from '../records.ts';

export interface CrossContrast {
  /** Accuracy of pairs that learned together, and of pairs of strangers. */
  together: number;
  strangers: number;
  /**
   * The mean difference behind the verdict, computed problem by problem. By default it is the weaker of two own pairs
   * minus the mean of the two pairs of strangers that mix them. For `shared` and `silent` it is the mean of both own
   * pairs minus that of the strangers.
   */
  difference: Estimate;
  /**
   * `private` means that strangers do clearly worse than even the weaker own pair. `shared` means that strangers do as
   * well as own pairs, and own pairs need their messages. `silent` means that strangers do as well, but nothing shows
   * that messages are needed. In all other cases the verdict is `open`.
   */
  kind: 'private' | 'shared' | 'silent' | 'open';
}

export interface CrossReading {
  /** Indices of the checkpoints whose own pair collapsed, in order. */
  leftOut: readonly number[];
  /** The contrast; null if fewer than two checkpoints remain. */
  contrast: CrossContrast | null;
}

/** A language is called private only if the difference exceeds this value. */
const small = 0.05;

/**
 * The mean difference with its 95 % interval. If every problem differs by the same amount, the t-interval has no width.
 * But n equal differences only show that other values are rare: at most 3/n of all problems (the rule of three, Hanley
 * and Lippman-Hand 1983). The interval extends as far as such rare values could move the mean, if all of them were −1
 * or all of them were 1.
 */
function estimateOf(differences: readonly number[]): Estimate {
  const estimate = tInterval(differences);
  if (estimate.low < estimate.high) return estimate;
  const unseen = Math.min(1, 3 / differences.length);
  const towards = (end: number) => estimate.mean + unseen * (end - estimate.mean);
  return { ...estimate, low: towards(-1), high: towards(1) };
}

/** Reads the full matrix of at least two checkpoints (`count`); null until all cells are measured. */
export function readCrossPlay(cells: readonly CrossCell[], count: number): CrossReading | null {
  if (count < 2 || cells.length < count * count) return null;
  const evaluationOf = (sender: number, receiver: number) =>
    cells.find((cell) => cell.sender === sender && cell.receiver === receiver)?.evaluation;
  const own = Array.from({ length: count }, (_, i) => evaluationOf(i, i));
  const best = Math.max(...own.map((evaluation) => evaluation?.accuracy ?? 0));
  const hasCollapsed = (i: number) => (own[i]?.high ?? 0) < best / 2 || best === 0;
  const numbers = Array.from({ length: count }, (_, i) => i);
  const leftOut = numbers.filter(hasCollapsed);
  const kept = numbers.filter((i) => !hasCollapsed(i));

  const sharesOf = (sender: number, receiver: number) => {
    const { right = '', problems = 0 } = evaluationOf(sender, receiver) ?? {};
    return (bitsOf(right, problems) ?? []).map(Number);
  };
  const pairs = kept.flatMap((i) => kept.filter((j) => j > i).map((j) => [i, j] as const));
  const each = pairs.map(([i, j]) => {
    const owns = [sharesOf(i, i), sharesOf(j, j)];
    const weaker = mean(owns[0] ?? []) <= mean(owns[1] ?? []) ? owns[0] : owns[1];
    return { weaker: weaker ?? [], together: meanOf(owns), strangers: meanOf([sharesOf(i, j), sharesOf(j, i)]) };
  });
  if (each.length === 0) return { leftOut, contrast: null };
  const [weaker, together, strangers] = [
    meanOf(each.map((pair) => pair.weaker)),
    meanOf(each.map((pair) => pair.together)),
    meanOf(each.map((pair) => pair.strangers)),
  ];
  const less = (shares: readonly number[]) => estimateOf(shares.map((share, at) => share - (strangers[at] ?? 0)));
  const [toWeaker, toBoth] = [less(weaker), less(together)];
  const isNeeded = kept.every((i) => (own[i]?.low ?? 0) > (own[i]?.ceiling ?? 1));
  const equal = isNeeded ? 'shared' : 'silent';
  const kind = toWeaker.low > small ? 'private' : toBoth.high < small ? equal : 'open';
  return {
    leftOut,
    contrast: {
      ...{ together: mean(together), strangers: mean(strangers), kind },
      difference: kind === 'shared' || kind === 'silent' ? toBoth : toWeaker,
    },
  };
}

/** The elementwise mean of several lists. */
const meanOf = (all: readonly (readonly number[])[]): number[] =>
  (all[0] ?? []).map((_, at) => mean(all.map((shares) => shares[at] ?? 0)));
