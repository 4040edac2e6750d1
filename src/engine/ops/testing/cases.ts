// One small random test case for every differentiable operation, and one with random sizes for property tests. The
// sizes are odd on purpose, so that a kernel that only works for multiples of its tile size fails here.
import { Draws } from '../../../base/random.ts';
import { attentionCase } from '../attention/testing/cases.ts';
import { embedCase } from '../embed/testing/cases.ts';
import { geGluCase } from '../geGlu/testing/cases.ts';
import { linearCase, lowRankCase } from '../linear/testing/cases.ts';
import { weightedSumCase } from '../loss/testing/weightedSumCase.ts';
import { addNormCase, rmsNormCase } from '../norm/testing/cases.ts';
import { swiGluCase } from '../swiGlu/testing/cases.ts';
import { logprobsCase } from '../tokens/testing/cases.ts';
import type { OpCase } from './opCase.ts';

export function opCases(): OpCase[] {
  return [
    linearCase(1, 5, 3),
    linearCase(13, 7, 11),
    linearCase(9, 48, 21),
    ...[1, 2, 3, 4, 5, 6, 7, 8].map((rows) => linearCase(rows, 9, 7)),
    linearCase(33, 16, 32),
    lowRankCase(1, 5, 3, 2),
    lowRankCase(13, 48, 20, 8),
    lowRankCase(9, 16, 32, 1),
    rmsNormCase(7, 13),
    rmsNormCase(3, 48),
    rmsNormCase(5, 3),
    swiGluCase(5, 7),
    swiGluCase(4, 12),
    geGluCase(5, 7),
    geGluCase(4, 12),
    addNormCase(7, 13, false),
    addNormCase(3, 48, false),
    addNormCase(5, 12, true),
    weightedSumCase(4, 7),
    ...[false, true].flatMap((isMasked) => [
      attentionCase([2, 5, 4, 2, 6], { isMasked, tables: 1 }),
      attentionCase([3, 5, 2, 2, 12], { isMasked, tables: 3 }),
      attentionCase([2, 7, 4, 1, 12], { isMasked, tables: 1 }),
      attentionCase([2, 19, 2, 1, 4], { isMasked, tables: 2 }),
      attentionCase([1, 1, 2, 2, 6], { isMasked, tables: 1 }),
      attentionCase([2, 5, 2, 1, 4], { isMasked, tables: 1, window: 1 }),
      attentionCase([1, 19, 2, 1, 4], { isMasked, tables: 1, window: 11 }),
      attentionCase([1, 10, 1, 1, 4], { isMasked, tables: 1, window: 10 }),
    ]),
    embedCase(11, 9, 13),
    embedCase(5, 32, 8),
    logprobsCase(7, 13, 1),
    logprobsCase(6, 32, 0.7),
  ];
}

/** For each operation, a test case with random sizes. */
export const randomCases: Record<string, (draws: Draws) => OpCase> = {
  linear: (draws) => linearCase(between(draws, 1, 40), between(draws, 1, 70), between(draws, 1, 50)),
  'linear, of whole vectors': (draws) =>
    linearCase(between(draws, 1, 90), 4 * between(draws, 1, 24), 4 * between(draws, 1, 24)),
  lowRank: (draws) =>
    lowRankCase(between(draws, 1, 40), between(draws, 1, 70), between(draws, 1, 50), between(draws, 1, 12)),
  // The width is at least two, because normalising a single number gives almost the same result for any number, so the
  // gradient would be mostly rounding error.
  rmsNorm: (draws) => rmsNormCase(between(draws, 1, 90), between(draws, 2, 150)),
  addNorm: (draws) => addNormCase(between(draws, 1, 90), between(draws, 2, 150), draws.below(2) === 1),
  swiGlu: (draws) => swiGluCase(between(draws, 1, 60), between(draws, 1, 90)),
  geGlu: (draws) => geGluCase(between(draws, 1, 60), between(draws, 1, 90)),
  causalAttention: (draws) => {
    const [batch, keyHeads] = [between(draws, 1, 4), between(draws, 1, 3)];
    const [length, heads, size] = [between(draws, 1, 24), keyHeads * between(draws, 1, 4), 2 * between(draws, 1, 20)];
    const options = { isMasked: draws.below(2) === 1, tables: draws.below(2) === 1 ? batch : 1 };
    const near = draws.below(2) === 1 && { window: between(draws, 1, length) };
    return attentionCase([batch, length, heads, keyHeads, size], { ...options, ...near });
  },
  embed: (draws) => embedCase(between(draws, 1, 90), between(draws, 2, 90), between(draws, 1, 40)),
  tokenLogprobs: (draws) => logprobsCase(between(draws, 1, 80), between(draws, 2, 140), 0.3 + 1.5 * draws.next()),
  weightedSum: (draws) => weightedSumCase(between(draws, 1, 60), between(draws, 1, 60)),
};

function between(draws: Draws, least: number, most: number): number {
  return least + draws.below(most - least + 1);
}
