// Facts about RLOO for the settings, the files and the page.
import { byToken, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'rloo',
  order: 20,
  label: 'RLOO',
  paper: 'RLOO 2402.14740',
  meaning: 'A learner whose advantage is the reward minus the mean reward of the other dialogues of the group.',
  groups: 'units',
  exercise: 'leaveOneOut',
  published: {
    ...byToken,
    'learning.groupSize': 4,
    'learning.entCoef': 0,
    'kl.place': 'reward',
  },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    rloo: typeof facts;
  }
}
