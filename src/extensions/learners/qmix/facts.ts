// QMIX: its facts, for settings, files and the page.
import { divided, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...divided,
  name: 'qmix',
  order: 120,
  label: 'QMIX',
  paper: 'QMIX 1803.11485',
  hasMixer: true,
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    qmix: typeof facts;
  }
}
