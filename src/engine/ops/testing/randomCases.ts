// The ops of cases.ts at random sizes, for property tests: shapes that no list of cases thinks of.
import type { Draws } from '../../../base/random.ts';
import {
  addNormCase,
  attentionCase,
  embedCase,
  linearCase,
  logprobsCase,
  type OpCase,
  rmsNormCase,
  swiGluCase,
  weightedSumCase,
} from './cases.ts';

/** A case of each op, of a size that is drawn. */
export const randomCases: Record<string, (draws: Draws) => OpCase> = {
  linear: (draws) => linearCase(between(draws, 1, 40), between(draws, 1, 70), between(draws, 1, 50)),
  'linear, of whole vectors': (draws) =>
    linearCase(between(draws, 1, 90), 4 * between(draws, 1, 24), 4 * between(draws, 1, 24)),
  // Two wide or more: a norm over one number hardly depends on it, what is left of its gradient is all rounding.
  rmsNorm: (draws) => rmsNormCase(between(draws, 1, 90), between(draws, 2, 150)),
  addNorm: (draws) => addNormCase(between(draws, 1, 90), between(draws, 2, 150), draws.below(2) === 1),
  swiGlu: (draws) => swiGluCase(between(draws, 1, 60), between(draws, 1, 90)),
  causalAttention: (draws) => {
    const [batch, keyHeads] = [between(draws, 1, 4), between(draws, 1, 3)];
    const [length, heads, size] = [between(draws, 1, 24), keyHeads * between(draws, 1, 4), 2 * between(draws, 1, 20)];
    const options = { isMasked: draws.below(2) === 1, tables: draws.below(2) === 1 ? batch : 1 };
    return attentionCase([batch, length, heads, keyHeads, size], options);
  },
  embed: (draws) => embedCase(between(draws, 1, 90), between(draws, 2, 90), between(draws, 1, 40)),
  tokenLogprobs: (draws) => logprobsCase(between(draws, 1, 80), between(draws, 2, 140), 0.3 + 1.5 * draws.next()),
  weightedSum: (draws) => weightedSumCase(between(draws, 1, 60), between(draws, 1, 60)),
};

function between(draws: Draws, least: number, most: number): number {
  return least + draws.below(most - least + 1);
}
