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
    'learning.preferenceBeta': 0.1,
    'learning.preferenceSmoothing': 0,
    'learning.preferenceReference': true,
  },
  forms: [
    {
      label: 'IPO',
      paper: 'IPO 2310.12036',
      published: {
        ...{ 'learning.preferenceKind': 'ipo', 'learning.preferenceBeta': 0.1 },
        ...{ 'learning.preferenceSmoothing': 0, 'learning.preferenceReference': true },
      },
    },
    {
      label: 'SimPO',
      paper: 'SimPO 2405.14734',
      published: {
        ...{ 'learning.preferenceKind': 'simpo', 'learning.preferenceSmoothing': 0 },
        ...{ 'learning.preferenceBeta': 2, 'learning.preferenceMargin': 1 },
      },
    },
  ],
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    dpo: typeof facts;
  }
}
