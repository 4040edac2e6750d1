// Facts about VDN for the settings, the files and the page.
import { divided, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...divided,
  name: 'vdn',
  order: 110,
  label: 'VDN',
  paper: 'VDN 1706.05296',
  meaning:
    'A learner whose critic treats the value of a round as the plain sum of the values of its messages; the agents learn from these values by policy gradient.',
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    vdn: typeof facts;
  }
}
