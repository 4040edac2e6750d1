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
  forms: [
    {
      label: 'Dr. GRPO',
      paper: 'Dr. GRPO 2503.20783',
      published: { ...byToken, 'learning.aggregation': 'constant', 'learning.groupStd': false, 'learning.entCoef': 0 },
    },
    {
      label: 'DAPO',
      paper: 'DAPO 2503.14476',
      // The soft punishment of long turns (reward.overlong) is left out: the windows of the worlds are as long as their
      // longest message, so the punishment would also meet answers that must be long.
      published: { ...byToken, 'learning.clipHigh': 0.28, 'learning.filterGroups': true, 'learning.entCoef': 0 },
    },
    {
      label: 'GSPO',
      paper: 'GSPO 2507.18071',
      published: {
        ...{ 'learning.ratioLevel': 'trajectory', 'learning.aggregation': 'trajectory', 'learning.dualClip': 0 },
        ...{ 'learning.clipLow': 0.0003, 'learning.clipHigh': 0.0004, 'learning.entCoef': 0 },
      },
    },
    {
      label: 'GMPO',
      paper: 'GMPO 2507.20673',
      published: {
        'learning.surrogate': 'gmpo',
        ...{ 'learning.ratioLevel': 'trajectory', 'learning.aggregation': 'trajectory' },
        ...{ 'learning.clipLow': 0.4, 'learning.clipHigh': 0.4, 'learning.entCoef': 0 },
      },
    },
    {
      label: 'CISPO',
      paper: 'CISPO 2506.13585',
      // The paper has no lower bound of the weight and does not state the upper one.
      published: { 'learning.surrogate': 'cispo', ...byToken, 'learning.clipLow': 1, 'learning.entCoef': 0 },
    },
    {
      label: 'REINFORCE++-baseline',
      paper: 'REINFORCE++-baseline 2501.03262',
      published: {
        ...byToken,
        ...{ 'learning.groupStd': false, 'learning.normAdv': true, 'learning.entCoef': 0 },
        ...{ 'kl.place': 'loss', 'kl.estimator': 'mse' },
      },
    },
    {
      label: 'SAPO',
      paper: 'SAPO 2511.20347',
      published: {
        'learning.surrogate': 'sapo',
        ...byToken,
        ...{ 'learning.aggregation': 'trajectory', 'learning.gatePositive': 1, 'learning.gateNegative': 1.05 },
        'learning.entCoef': 0,
      },
    },
  ],
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
