// Facts about OPO for the settings, the files and the page.
import { byToken, usualFacts, type LearnerFacts } from '../../../config/learners/facts.ts';

export const facts = {
  ...usualFacts,
  name: 'opo',
  order: 25,
  label: 'OPO',
  paper: 'OPO 2505.23585',
  meaning:
    'A learner whose advantage is the reward minus the mean reward of the group, in which each dialogue counts by its number of tokens.',
  groups: 'units',
  // Each dialogue is used for one step, so the policy that learns is the policy that spoke.
  published: {
    ...byToken,
    ...{ 'learning.updateEpochs': 1, 'learning.numMinibatches': 1 },
    'learning.entCoef': 0,
    'kl.place': 'off',
  },
} as const satisfies LearnerFacts;

declare module '../../../config/learners/facts.ts' {
  interface LearnerTable {
    opo: typeof facts;
  }
}
