// Facts about GRPO, and about its variant that compares candidates of single turns, for the settings, the files and the
// page.
import { byToken, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'grpo',
  order: 10,
  label: 'GRPO',
  paper: 'GRPO 2402.03300',
  meaning:
    'A learner whose advantage is the reward minus the group’s mean, divided by the group’s standard deviation; it needs no critic.',
  groups: 'units',
  hasSpread: true,
  exercise: 'groupMean',
  published: {
    'learning.ratioLevel': 'token',
    'learning.aggregation': 'trajectory',
    'learning.dualClip': 0,
    'learning.entCoef': 0,
    'kl.place': 'loss',
    'kl.coef': 0.04,
  },
  ofTrees: {
    label: 'AT-GRPO',
    paper: 'AT-GRPO 2510.11062',
    published: {
      ...byToken,
      'learning.groupSize': 1,
      'learning.groupKey': 'problem+agent+turn',
      'learning.entCoef': 0,
      'reward.across': 'own',
      'reward.over': 'dense',
    },
  },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    grpo: typeof facts;
  }
}
