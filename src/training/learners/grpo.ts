// GRPO (2402.03300): the reward of a unit (learning.groupKey) against those of its group, in units of the group's spread.
import { groupAdvantage } from '../maths/advantage.ts';
import type { Learner } from './learner.ts';
import { comparedUnits } from './units.ts';

export const grpo: Learner<'grpo'> = {
  equation: 'Â = (R − mean of the group) / (spread of the group + 10⁻⁶)',
  baseline: 'the mean reward of the group',
  groups: 'units',
  critic: 'none',
  loss: 'policy',
  updates: 'each',
  deviations: [
    '1. A lone member of problem+agent+turn gets 0 (AT-GRPO 2510.11062).',
    '2. Without learning.groupStd nothing is divided, as in Dr. GRPO (2503.20783).',
    '3. The KL in the loss is a mean over the tokens of a minibatch, whatever the aggregation; the paper’s is one of the terms it averages over each answer.',
  ],
  advantages: (collected) => {
    const { groupStd: std } = collected.config.learning;
    return comparedUnits(collected, (rewards, keys, lone) => groupAdvantage(rewards, keys, { std, lone }));
  },
};
