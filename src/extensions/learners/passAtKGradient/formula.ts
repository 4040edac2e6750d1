// The formula card of the learner for pass@k.
import { std } from '../../../base/stats.ts';
import { parts } from '../../../records/formula.ts';
import { comparisonFormula } from '../../../training/learners/comparisonFormula.ts';
import { bestOfGroupAdvantage, bestOfOthers } from '../../../training/maths/advantage.ts';

export const formula = /* @__PURE__ */ comparisonFormula({
  unitTerms: { own: 'reward', middle: 'othersBest', spread: 'groupSpread', result: 'outcomeAdvantage' },
  formula: ({ learning }, { own, middle, spread }) =>
    learning.groupStd ? parts`max(0, ${own} − ${middle}) / (${spread} + 10⁻⁶)` : parts`max(0, ${own} − ${middle})`,
  termsOf: ({ reward, group }, { learning }, { own, middle, spread }) => ({
    [own]: reward,
    [middle]: group.length > 1 ? bestOfOthers(group, reward) : Number.NaN,
    ...(learning.groupStd && { [spread]: group.length > 1 ? std(group) : Number.NaN }),
  }),
  advantages: ({ rewards, keys }, { learning }) =>
    bestOfGroupAdvantage(rewards, keys, { std: learning.groupStd, lone: 'zero' }),
});
