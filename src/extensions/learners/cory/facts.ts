// Facts about CORY for the settings, the files and the page.
import { byToken, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'cory',
  order: 80,
  label: 'CORY',
  paper: 'CORY 2410.06101',
  meaning:
    'A learner for two agents: a pioneer answers, and an observer reads this answer and then answers too; each agent earns the sum of both rewards, and the two agents exchange roles from time to time.',
  groups: 'units',
  hasSpread: true,
  hasOneStart: true,
  exercise: 'groupMean',
  published: {
    ...byToken,
    'agents.parameters': 'separate',
    'agents.count': 2,
    'agents.swapEvery': 5,
    'learning.switchEvery': 0,
    'reward.across': 'sum',
    'learning.groupKey': 'problem+agent',
    'learning.entCoef': 0,
    'kl.place': 'reward',
  },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    cory: typeof facts;
  }
}
