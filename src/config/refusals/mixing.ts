// What VDN and QMIX ask for: a team whose rounds are paid together, and groups to compare messages in.
import { agentCount } from '../agentCount.ts';
import type { Config } from '../schema.ts';
import { where, type Rule } from './rule.ts';

/** Share of a run that the plain team reward may take. */
const mostTeamReward = 0.2;

const mostIterations = ({ run }: Config) => Math.floor(mostTeamReward * run.iterations);

const other = { 'learning.learner': 'grpo' };

export const mixingRules: readonly Rule[] = where(
  ({ learning }) => ['vdn', 'qmix'].includes(learning.learner),
  [
    {
      when: ({ agents }) => agents.protocol === 'single',
      path: 'agents.protocol',
      says: ({ learning }) => `${learning.learner} divides a value among agents, and there is one`,
      remedies: [{ 'agents.protocol': 'reMA' }, other],
    },
    {
      when: ({ agents }) => agentCount(agents) < 2,
      path: 'agents.count',
      says: ({ learning }) => `${learning.learner} divides a value among agents, and there is one`,
      remedies: [{ 'agents.count': 2 }, other],
    },
    {
      when: ({ reward }) => reward.over === 'accumulated',
      path: 'reward.over',
      says: ({ learning }) => `${learning.learner} adds up what follows by itself`,
      remedies: [{ 'reward.over': 'dense' }, { 'reward.over': 'sparse' }, other],
    },
    {
      when: ({ reward }) => reward.across === 'own',
      path: 'reward.across',
      says: ({ learning }) => `with ${learning.learner} the team earns together what is then divided`,
      remedies: [{ 'reward.across': 'sum' }, other],
    },
    {
      when: ({ learning }) => learning.groupSize === 1,
      path: 'learning.groupSize',
      says: ({ learning }) => `${learning.learner} compares messages on one problem`,
      remedies: [{ 'learning.groupSize': 2 }, { 'learning.learner': 'ppo' }],
    },
    {
      when: (config) => config.learning.teamRewardIterations > mostIterations(config),
      path: 'learning.teamRewardIterations',
      says: ({ learning, run }) =>
        `${learning.teamRewardIterations} of ${run.iterations} iterations are more than a fifth`,
      remedies: (config) => [{ 'learning.teamRewardIterations': mostIterations(config) }],
    },
  ],
);
