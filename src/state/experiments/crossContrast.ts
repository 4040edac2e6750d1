// Whether those who learned together share a language that strangers do not know: right answers of pairs from one checkpoint
// less those of pairs from two. A good speaker or a good listener is in as many of either, so what is left is the language.
import { bitsOf } from '../../base/bits.ts';
import { tInterval, type Estimate } from '../../base/intervals.ts';
import { mean } from '../../base/stats.ts';
import type { CrossCell } from '../../records/besides.ts';

export interface CrossContrast {
  /** Share right of those who learned together, and of strangers. */
  together: number;
  strangers: number;
  /** The first less the second, problem by problem. */
  difference: Estimate;
  /** `private`: together they do clearly better; `shared`: the difference is too small to matter; else it is open. */
  kind: 'private' | 'shared' | 'open';
}

/** A difference below which a language is not called one of their own. */
const small = 0.05;

/**
 * The mean difference with its 95 % interval. Where every problem differs by the same, the t-interval has no width. But n alike
 * only say that others are rare: at most 3/n of all problems (the rule of three, Hanley and Lippman-Hand 1983). The interval
 * reaches as far as these could move the mean, were all of them −1 or all 1.
 */
function estimateOf(differences: readonly number[]): Estimate {
  const estimate = tInterval(differences);
  if (estimate.low < estimate.high) return estimate;
  const unseen = Math.min(1, 3 / differences.length);
  const towards = (end: number) => estimate.mean + unseen * (end - estimate.mean);
  return { ...estimate, low: towards(-1), high: towards(1) };
}

/** Of a full matrix of `count` checkpoints, two at least; null before all is measured. */
export function crossContrast(cells: readonly CrossCell[], count: number): CrossContrast | null {
  if (count < 2 || cells.length < count * count) return null;
  const answers = (isTogether: boolean) =>
    cells
      .filter(({ sender, receiver }) => (sender === receiver) === isTogether)
      .flatMap(({ evaluation: { right = '', problems } }) => {
        const bits = bitsOf(right, problems);
        return bits ? [bits] : [];
      });
  const [own, others] = [answers(true), answers(false)];
  const shareAt = (all: readonly boolean[][], at: number) => mean(all.map((bits) => (bits[at] ? 1 : 0)));
  const problems = own[0]?.length ?? 0;
  const each = Array.from({ length: problems }, (_, at) => [shareAt(own, at), shareAt(others, at)] as const);
  const difference = estimateOf(each.map(([together, strangers]) => together - strangers));
  const kind = difference.low > small ? 'private' : difference.high < small ? 'shared' : 'open';
  return {
    together: mean(each.map(([together]) => together)),
    strangers: mean(each.map(([, strangers]) => strangers)),
    difference,
    kind,
  };
}
