// GRPO (2402.03300): the advantage of a unit (learning.groupKey) is its reward minus the mean reward of its group,
// divided by the group's standard deviation.
import { groupMeanAdvantages } from '../../../training/learners/groupMean.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Â = (R − mean of the group) / (spread of the group + 10⁻⁶)',
  baseline: 'the mean reward of the group',
  deviations: [
    '1. If learning.groupSize is above 1, a member that is alone in its group has an advantage of 0 with every group key, as in AT-GRPO (2510.11062); in verl and ReMA the advantage of such a member is its reward.',
    '2. Without learning.groupStd, advantages are not divided by the standard deviation, as in Dr. GRPO (2503.20783).',
    '3. With every aggregation, the KL in the loss is a mean over the tokens of a minibatch, and so is the entropy bonus. In the paper, the KL is one of the terms that are averaged over each answer.',
    '4. 10⁻⁶ is added to the standard deviation, as in verl. TRL adds 10⁻⁴, and OpenRLHF adds 10⁻⁹.',
  ],
  advantages: groupMeanAdvantages,
};
