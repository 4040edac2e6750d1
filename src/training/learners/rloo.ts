// RLOO (2402.14740): a unit's reward against the mean of the others of its group.
import { looAdvantage } from '../maths/advantage.ts';
import type { Learner } from './learner.ts';
import { groupUnits, spread } from './units.ts';

export const rloo: Learner = {
  critic: 'none',
  hasGroups: true,
  advantages: (collected) => {
    const units = groupUnits(collected);
    const lone = collected.config.learning.groupKey === 'problem+agent+turn' ? 'zero' : 'reward';
    return spread(units, looAdvantage(units.rewards, units.keys, { lone }));
  },
};
