// Facts about DPO for the settings, the files and the page.
import { usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'dpo',
  order: 90,
  label: 'DPO',
  paper: 'DPO 2305.18290',
  meaning:
    'A learner that makes the better of two dialogues on one problem more probable than the worse, relative to the warm start; it needs no critic and no ratio.',
  loss: 'preference',
  groups: 'dialogues',
  needsReference: true,
  published: {
    'learning.preferenceKind': 'sigmoid',
    'learning.preferenceSmoothing': 0,
    'learning.preferenceReference': true,
  },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    dpo: typeof facts;
  }
}
