// Pass@k (2503.19595): the advantage of the best unit of a group (learning.groupKey) is its lead over the second best, and
// all other units have an advantage of 0.
import { bestOfGroupAdvantage } from '../../../training/maths/advantage.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { comparedUnits } from '../../../training/learners/units.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Â = max(0, R − best reward of the others of the group)',
  baseline: 'the best reward of the others of the group',
  deviations: [
    '1. If learning.groupSize is above 1, a member that is alone in its group has an advantage of 0 with every group key, as in AT-GRPO (2510.11062); verl refuses such a group.',
    '2. With learning.groupStd, the advantage is divided by the standard deviation of the group, as verl does unless it is told otherwise.',
    '3. The number of attempts k is the size of the group. The ratio and its clip are settings that all learners share. In the published form every dialogue is used once, so the ratio is 1.',
  ],
  advantages: (collected) => {
    const { groupStd } = collected.config.learning;
    return comparedUnits(collected, (rewards, keys, { lone }) =>
      bestOfGroupAdvantage(rewards, keys, { std: groupStd, lone }),
    );
  },
};
