// Determines whether agents that learned together use a language that other agents (strangers) do not understand. The
// verdict takes the following into account:
// - If the agents of a run collapsed, they have no language that could be private, so the run is left out.
// - Different abilities of speakers and listeners must not explain the result. Let s be the quality of a speaker and l
//   the quality of a listener. No matter whether accuracy depends on s + l or on s·l, the mean accuracy of the two
//   teams of strangers is not below the accuracy of the weaker of the two teams that learned together
//   ((s₁l₂ + s₂l₁)/2 ≥ √(s₁l₁ · s₂l₂) ≥ min). A language is therefore called private only if strangers are worse than
//   the weaker of these teams.
// - A language is called shared only if the teams that learned together are right more often than is possible without
//   messages.
import { bitsOf } from '../../../../base/bits.ts';
import { tInterval, type Estimate } from '../../../../base/intervals.ts';
import { mean } from '../../../../base/stats.ts';
import type { CrossCell } from '../records.ts';

export interface CrossContrast {
  /** The mean accuracy of agents that learned together, and of agents that did not (strangers). */
  together: number;
  strangers: number;
  /**
   * The mean difference on which the verdict is based, computed problem by problem. By default it is the accuracy of
   * the weaker of two teams that learned together, minus the mean accuracy of the two teams of strangers that consist
   * of their agents. For `shared` and `silent`, it is the mean accuracy of both teams that learned together, minus the
   * mean accuracy of the strangers.
   */
  difference: Estimate;
  /**
   * `private`: strangers are clearly worse than even the weaker of the teams that learned together. `shared`: strangers
   * are as good as teams that learned together, and these teams need their messages. `silent`: strangers are as good,
   * but there is no evidence that messages are needed. `open`: in all other cases.
   */
  kind: 'private' | 'shared' | 'silent' | 'open';
}

export interface CrossReading {
  /** The indices of the checkpoints in which the agents of the same run collapsed, in order. */
  leftOut: readonly number[];
  /** The comparison of teams; null if fewer than two checkpoints remain. */
  contrast: CrossContrast | null;
}

/** The minimum difference in accuracy for which a language is called private. */
const small = 0.05;

/**
 * The mean difference with its 95 % interval. If the difference is the same for every problem, the t-interval has no
 * width. However, n equal differences only show that other values are rare: they may still occur for up to 3/n of all
 * problems (the rule of three, Hanley and Lippman-Hand 1983). The interval therefore includes the means that would
 * result if all of these rare values were −1, or all were 1.
 */
function estimateOf(differences: readonly number[]): Estimate {
  const estimate = tInterval(differences);
  if (estimate.low < estimate.high) return estimate;
  const unseen = Math.min(1, 3 / differences.length);
  const towards = (end: number) => estimate.mean + unseen * (end - estimate.mean);
  return { ...estimate, low: towards(-1), high: towards(1) };
}

/** Interprets the complete matrix for `count` checkpoints, at least two. Null until all cells are measured. */
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
