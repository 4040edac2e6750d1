// Facts about QMIX for the settings, the files and the page.
import { divided, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...divided,
  name: 'qmix',
  order: 120,
  label: 'QMIX',
  paper: 'QMIX 1803.11485',
  meaning:
    'A learner whose mixing critic weights the value of each message by what was said, so that a better message never makes the round worse; the agents learn from these values by policy gradient.',
  hasMixer: true,
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    qmix: typeof facts;
  }
}
