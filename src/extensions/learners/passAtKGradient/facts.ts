// Facts about the learner for pass@k for the settings, the files and the page.
import { byToken, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'passAtKGradient',
  order: 27,
  label: 'Pass@k gradient',
  paper: 'Pass@k gradient 2503.19595',
  meaning:
    'A learner for the best of several attempts: only the best dialogue of a group learns, and its advantage is its lead over the second best.',
  groups: 'units',
  hasSpread: true,
  // Each dialogue is used for one step, so the policy that learns is the policy that spoke.
  published: {
    ...byToken,
    ...{ 'learning.updateEpochs': 1, 'learning.numMinibatches': 1 },
    'learning.groupStd': false,
    'learning.entCoef': 0,
  },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    passAtKGradient: typeof facts;
  }
}
