// Computes accuracy with several answers to one problem. pass@k is the probability that at least one of k answers is
// right (the unbiased estimator of Chen et al. 2107.03374). majority@k is the probability that the most frequent of k
// answers is right (after Wang et al. 2203.11171). Both are expectations over all subsets of k of the n answers. The
// expectations are computed exactly, without drawing subsets. Deviations: (1) if t answers are the most frequent, each
// of them counts 1/t; (2) missing answers are not counted, and the majority is wrong if all answers are missing.
import { ShapeError } from '../../base/errors.ts';

/** The counts of the different answers to one problem. */
export interface Votes {
  right: number;
  /** The number of times that each wrong answer was given. */
  wrong: readonly number[];
  /** The number of missing answers. */
  silent: number;
}

/** The number of answers, including missing ones. */
const total = ({ right, wrong, silent }: Votes) => wrong.reduce((sum, count) => sum + count, right + silent);

/** C(n, k), 0 for k > n. */
export function choose(n: number, k: number): number {
  let ways = k > n ? 0 : 1;
  for (let i = 1; i <= Math.min(k, n - k); i++) ways = (ways * (n - i + 1)) / i;
  return ways;
}

/**
 * The probability in [0, 1] that at least one of k of the n answers is right: 1 − C(n − c, k) / C(n, k). Throws
 * ShapeError for k outside 1 to n.
 */
export function passAtK(votes: Votes, k: number): number {
  const n = expectK('passAtK', votes, k);
  return 1 - choose(n - votes.right, k) / choose(n, k);
}

/**
 * The probability in [0, 1] that the right answer is the most frequent among k of the n answers. If the right answer is
 * one of t equally frequent answers, it counts 1/t. Throws the same errors as `passAtK`.
 */
export function majorityAtK(votes: Votes, k: number): number {
  const n = expectK('majorityAtK', votes, k);
  let won = 0;
  for (let top = 1; top <= Math.min(votes.right, k); top++) {
    // Here, the right answer is drawn `top` times, and each wrong answer at most `top` times. A wrong answer that is
    // drawn exactly `top` times is as frequent as the right answer.
    const byTies = waysOfOthers(votes, top, k - top);
    const shared = byTies.reduce((sum, ways, ties) => sum + ways / (ties + 1), 0);
    won += choose(votes.right, top) * shared;
  }
  return won / choose(n, k);
}

/**
 * [ties] the number of ways to draw `rest` answers that are not right, in such a way that no wrong answer occurs more
 * than `top` times, and that exactly `ties` wrong answers occur `top` times.
 */
function waysOfOthers({ wrong, silent }: Votes, top: number, rest: number): number[] {
  // [ties][drawn] the number of ways to draw `drawn` answers if only the wrong answers processed so far can be drawn
  let ways: number[][] = [Array.from({ length: rest + 1 }, (_, drawn) => choose(silent, drawn))];
  for (const count of wrong) {
    const next = Array.from({ length: ways.length + 1 }, () => new Array<number>(rest + 1).fill(0));
    for (const [ties, ofDrawn] of ways.entries()) {
      for (const [drawn, before] of ofDrawn.entries()) {
        for (let more = 0; before > 0 && more <= Math.min(count, top, rest - drawn); more++) {
          const row = next[more === top ? ties + 1 : ties] as number[];
          row[drawn + more] = (row[drawn + more] as number) + before * choose(count, more);
        }
      }
    }
    ways = next;
  }
  return ways.map((ofDrawn) => ofDrawn[rest] as number);
}

function expectK(name: string, votes: Votes, k: number): number {
  const n = total(votes);
  if (Number.isInteger(k) && k >= 1 && k <= n) return n;
  throw new ShapeError(`${name}: k must be a whole number from 1 to ${n}, the number of answers, got ${k}.`);
}
