// RLOO (2402.14740): the reward of a unit (learning.groupKey) relative to the mean reward of the other units of its
// group.
import { looAdvantage } from '../../../training/maths/advantage.ts';
import type { Learner } from '../../../training/learners/learner.ts';
import { comparedUnits } from '../../../training/learners/units.ts';
import { facts } from './facts.ts';

export const learner: Learner = {
  ...facts,
  equation: 'Â = R − mean of the others of the group',
  baseline: 'the mean reward of the others of the group',
  deviations: [
    '1. With groups of several, a member that is alone in its group gets 0 under every key, as in AT-GRPO (2510.11062); verl and ReMA give it its reward.',
    '2. Its ratio is that of a token; the paper is on policy and has none, and TRL takes the product over the whole answer.',
  ],
  advantages: (collected) => comparedUnits(collected, (rewards, keys, lone) => looAdvantage(rewards, keys, { lone })),
};
