// The formula card of RLOO.
import { parts } from '../../../records/formula.ts';
import { comparisonFormula } from '../../../training/learners/comparisonFormula.ts';
import { looAdvantage } from '../../../training/maths/advantage.ts';

export const formula = /* @__PURE__ */ comparisonFormula({
  unitTerms: { own: 'reward', middle: 'othersMean', spread: 'groupSpread', result: 'outcomeAdvantage' },
  formula: (_, { own, middle }) => parts`${own} − ${middle}`,
  termsOf: ({ reward, group }, _, { own, middle }) => ({
    [own]: reward,
    [middle]: (group.reduce((sum, other) => sum + other, 0) - reward) / (group.length - 1),
  }),
  advantages: ({ rewards, keys }) => looAdvantage(rewards, keys, { lone: 'zero' }),
});
