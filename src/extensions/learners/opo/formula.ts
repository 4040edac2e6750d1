// The formula card of OPO.
import { parts } from '../../../records/formula.ts';
import { comparisonFormula } from '../../../training/learners/comparisonFormula.ts';
import { lengthWeightedAdvantage, lengthWeightedMean } from '../../../training/maths/advantage.ts';

export const formula = /* @__PURE__ */ comparisonFormula({
  unitTerms: { own: 'reward', middle: 'lengthMean', spread: 'groupSpread', result: 'outcomeAdvantage' },
  formula: (_, { own, middle }) => parts`${own} − ${middle}`,
  termsOf: ({ reward, group, lengths }, _, { own, middle }) => ({
    [own]: reward,
    [middle]: group.length > 1 ? lengthWeightedMean(group, lengths) : Number.NaN,
  }),
  advantages: ({ rewards, keys, lengths }) => lengthWeightedAdvantage(rewards, keys, { lengths, lone: 'zero' }),
});
