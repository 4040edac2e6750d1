// Facts about REINFORCE++ for the settings, the files and the page.
import { byToken, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'reinforcePlusPlus',
  order: 30,
  label: 'REINFORCE++',
  paper: 'REINFORCE++ 2501.03262',
  meaning:
    'A learner without groups or critic: the advantage of each token is its discounted return, normalised over the whole batch.',
  hasTokenReturns: true,
  published: { ...byToken, 'learning.groupSize': 1, 'learning.entCoef': 0, 'kl.place': 'reward' },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    reinforcePlusPlus: typeof facts;
  }
}
