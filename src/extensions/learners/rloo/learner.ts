// RLOO (2402.14740): the advantage of a unit (learning.groupKey) is its reward minus the mean reward of the other units
// in its group.
import { looAdvantage } from '../../../training/maths/advantage.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { comparedUnits } from '../../../training/learners/units.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Â = R − mean of the others of the group',
  baseline: 'the mean reward of the others of the group',
  deviations: [
    '1. If learning.groupSize is above 1, a member that is alone in its group has an advantage of 0 with every group key, as in AT-GRPO (2510.11062); in verl and ReMA the advantage of such a member is its reward.',
    '2. The ratio is computed for each token. The algorithm of the paper is on-policy and has no ratio, and TRL uses the product of the ratios over the whole answer.',
  ],
  advantages: (collected) =>
    comparedUnits(collected, (rewards, keys, { lone }) => looAdvantage(rewards, keys, { lone })),
};
