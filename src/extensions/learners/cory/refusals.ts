// Requirements of CORY on other settings: there must be two agents that start as copies of one network.
import { defaultLearner } from '../../../config/learners/registry.ts';
import { agentCount, isTeam, protocolsWhere } from '../../../config/protocols/registry.ts';
import type { Row } from '../../../config/refusals/rule.ts';
import { equalAgents, otherSetting } from '../../../config/refusals/team.ts';

const secondReward = '{learning.learner} adds up the rewards of its agents, but there is only one agent';

export const refusals: readonly Row[] = [
  {
    needs: { 'agents.protocol': protocolsWhere(isTeam) },
    says: secondReward,
    give: { 'agents.protocol': 'pioneerObserver' },
  },
  {
    path: 'agents.count',
    without: ({ agents }) => agentCount(agents) > 1,
    says: secondReward,
    give: { 'agents.count': 2 },
  },
  {
    path: otherSetting,
    without: ({ agents }) => agents.otherSize === 'same' && agents.otherVocabulary === 'same',
    says: 'both agents of {learning.learner} start as copies of one network, so this setting must be the same for both agents',
    remedies: [equalAgents, { 'learning.learner': defaultLearner }],
  },
];
