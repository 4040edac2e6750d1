// RLOO (2402.14740): the reward of a unit (learning.groupKey) against the mean of the others of its group.
import { looAdvantage } from '../maths/advantage.ts';
import type { Learner } from './learner.ts';
import { comparedUnits } from './units.ts';

export const rloo: Learner<'rloo'> = {
  equation: 'Â = R − mean of the others of the group',
  baseline: 'the mean reward of the others of the group',
  groups: 'units',
  critic: 'none',
  loss: 'policy',
  updates: 'each',
  deviations: ['1. A lone member of problem+agent+turn gets 0 (AT-GRPO 2510.11062).'],
  advantages: (collected) => comparedUnits(collected, (rewards, keys, lone) => looAdvantage(rewards, keys, { lone })),
};
