// GRPO (2402.03300): a unit's reward against its group's mean, in units of the group's spread.
// Dr. GRPO (2503.20783) is `groupStd: false`. Deviation: a lone member of `problem+agent+turn`
// gets 0 (AT-GRPO 2510.11062).
import { groupAdvantage } from '../maths/advantage.ts';
import type { Learner } from './learner.ts';
import { groupUnits, spread } from './units.ts';

export const grpo: Learner = {
  critic: 'none',
  hasGroups: true,
  advantages: (collected) => {
    const { groupStd, groupKey } = collected.config.learning;
    const units = groupUnits(collected);
    const lone = groupKey === 'problem+agent+turn' ? 'zero' : 'reward';
    return spread(units, groupAdvantage(units.rewards, units.keys, { std: groupStd, lone }));
  },
};
