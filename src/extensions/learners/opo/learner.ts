// OPO (2505.23585): the advantage of a unit (learning.groupKey) is its reward minus the mean reward of its group, in which
// each unit counts by its number of tokens.
import { lengthWeightedAdvantage } from '../../../training/maths/advantage.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { comparedUnits } from '../../../training/learners/units.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Â = R − Σ ℓ·R / Σ ℓ over the group, ℓ = number of tokens',
  baseline: 'the mean reward of the group, weighted by the numbers of tokens',
  deviations: [
    '1. If learning.groupSize is above 1, a member that is alone in its group has an advantage of 0 with every group key, as in AT-GRPO (2510.11062); in verl the advantage of such a member is its reward.',
    '2. The tokens of a dialogue are those of all agents that learn, so a long plan counts as much as a long answer.',
    '3. The ratio and its clip are settings that all learners share. In the published form every dialogue is used once, so the ratio is 1.',
  ],
  advantages: (collected) =>
    comparedUnits(collected, (rewards, keys, { lone, lengths }) =>
      lengthWeightedAdvantage(rewards, keys, { lone, lengths }),
    ),
};
