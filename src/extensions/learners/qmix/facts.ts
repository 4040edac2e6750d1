// Facts about QMIX for the settings, the files and the page.
import { divided, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...divided,
  name: 'qmix',
  order: 120,
  label: 'QMIX',
  paper: 'QMIX 1803.11485',
  meaning:
    'A learner whose critic mixes the values of the messages of a round into one value, with weights that are never negative and depend on what was said, so that a better message never lowers the value of the round; the agents learn from these values by policy gradient.',
  hasMixer: true,
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    qmix: typeof facts;
  }
}
