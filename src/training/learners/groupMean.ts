// The advantage of GRPO (2402.03300): the reward of a unit (learning.groupKey) minus the group's mean, divided by the
// group's standard deviation. Learners that differ from GRPO only in how they compute the reward of a unit use the same
// formula.
import { mean, std } from '../../base/stats.ts';
import { groupAdvantage } from '../maths/advantage.ts';
import { parts } from '../../records/formula.ts';
import { comparisonFormula } from './comparisonFormula.ts';
import type { Advantages, Collected } from './learner.ts';
import { comparedUnits } from './units.ts';

export function groupMeanAdvantages(collected: Collected): Advantages {
  const { groupStd } = collected.config.learning;
  return comparedUnits(collected, (rewards, keys, { lone }) => groupAdvantage(rewards, keys, { std: groupStd, lone }));
}

export const groupMeanFormula = /* @__PURE__ */ comparisonFormula({
  unitTerms: { own: 'reward', middle: 'groupMean', spread: 'groupSpread', result: 'outcomeAdvantage' },
  formula: ({ learning }, { own, middle, spread }) =>
    learning.groupStd ? parts`(${own} − ${middle}) / (${spread} + 10⁻⁶)` : parts`${own} − ${middle}`,
  termsOf: ({ reward, group }, { learning }, { own, middle, spread }) => ({
    [own]: reward,
    [middle]: group.length > 1 ? mean(group) : Number.NaN,
    ...(learning.groupStd && { [spread]: group.length > 1 ? std(group) : Number.NaN }),
  }),
  advantages: ({ rewards, keys }, { learning }) =>
    groupAdvantage(rewards, keys, { std: learning.groupStd, lone: 'zero' }),
});
