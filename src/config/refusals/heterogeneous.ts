// What agents of differing sizes or vocabularies cannot do: change places, and read as one network what others wrote.
import { agentCount } from '../agentCount.ts';
import type { Config } from '../schema.ts';
import { where, type Rule } from './rule.ts';

/** Whether some agent differs from the first. */
export const areUnequal = ({ otherSize, otherVocabulary }: Config['agents']) =>
  otherSize !== 'same' || otherVocabulary !== 'same';

/** The setting by which they differ. */
const differing = ({ agents }: Config) => (agents.otherSize === 'same' ? 'agents.otherVocabulary' : 'agents.otherSize');

const equal = { 'agents.otherSize': 'same', 'agents.otherVocabulary': 'same' };

export const heterogeneousRules: readonly Rule[] = [
  {
    when: ({ agents }) => agents.parameters === 'heterogeneous' && agentCount(agents) === 1,
    path: 'agents.parameters',
    says: 'one agent alone is no unequal team',
    remedies: [{ 'agents.parameters': 'separate' }],
  },
  ...where(
    ({ agents }) => areUnequal(agents),
    [
      {
        when: ({ agents }) => agentCount(agents) === 1,
        path: differing,
        says: 'there is no other agent',
        remedies: [equal],
      },
      {
        when: ({ agents }) => agents.parameters !== 'heterogeneous',
        path: differing,
        says: 'only unequal agents differ',
        remedies: [{ 'agents.parameters': 'heterogeneous' }, equal],
      },
      {
        when: ({ learning }) => learning.learner === 'cory',
        path: differing,
        says: 'the two of cory start as copies of one network',
        remedies: [equal, { 'learning.learner': 'grpo' }],
      },
      {
        when: ({ agents }) => agents.swapEvery > 0,
        path: 'agents.swapEvery',
        says: 'unequal agents cannot exchange roles',
        remedies: [{ 'agents.swapEvery': 0 }, equal],
      },
      {
        when: ({ agents, learning }) => agents.otherVocabulary !== 'same' && learning.pairsFrom === 'imported',
        path: 'agents.otherVocabulary',
        says: 'imported pairs are read in one vocabulary',
        remedies: [{ 'agents.otherVocabulary': 'same' }, { 'learning.pairsFrom': 'rollouts' }],
      },
    ],
  ),
];
