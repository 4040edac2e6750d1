// Hints along the way (potential-based shaping) leave what is best alone only where turns are paid, the team shares them,
// and returns are taken with their discount.
import type { Config } from '../schema.ts';
import { comparers, stepsOf } from './credit.ts';
import { where, type Rule } from './rule.ts';

const none = { 'reward.shaping': 0 };

const isByToken = ({ learning }: Config) => learning.learner === 'reinforcePlusPlus' || learning.learner === 'ppo';
const isJoint = ({ learning }: Config) => learning.learner === 'mappo' || learning.learner === 'happo';
const isMixing = ({ learning }: Config) => learning.learner === 'vdn' || learning.learner === 'qmix';

/** What would change what is best, although turns are paid and shared. */
export const shapingRules: readonly Rule[] = where(
  ({ reward }) => reward.shaping > 0,
  [
    {
      when: ({ learning }) => learning.learner === 'ippo',
      path: 'reward.shaping',
      says: 'hints are the team’s, and with ippo every agent has a reward of its own',
      remedies: [none, { 'learning.learner': 'mappo' }],
    },
    {
      when: ({ agents }) => stepsOf(agents).steps < 2,
      path: 'reward.shaping',
      says: ({ agents }) => `${agents.protocol} has one step and no way on which to give hints`,
      remedies: [none],
    },
    {
      // Candidates of a turn take no hints at all: trees say so.
      when: ({ agents, learning, reward }) =>
        comparers.includes(learning.learner) &&
        learning.groupKey === 'problem+agent+turn' &&
        agents.candidates === 1 &&
        reward.over === 'dense',
      path: 'learning.groupKey',
      says: 'dense pays a single turn for nothing that follows, so hints would be all it works for',
      remedies: [{ 'learning.groupKey': 'problem+agent' }, { 'reward.over': 'accumulated' }, none],
    },
    {
      when: (config) =>
        config.reward.gammaTurn < 1 && !isJoint(config) && (isByToken(config) || config.reward.over !== 'accumulated'),
      path: 'reward.gammaTurn',
      says: (config) =>
        `${config.learning.learner} adds up ${isByToken(config) ? 'along an agent’s own tokens' : 'turns without a discount'}, so hints discounted by ${config.reward.gammaTurn} would not cancel`,
      remedies: [{ 'reward.gammaTurn': 1 }, none],
    },
    {
      when: (config) => config.learning.mixingGamma < 1 && isMixing(config),
      path: 'learning.mixingGamma',
      says: ({ learning }) =>
        `hints are paid from turn to turn and ${learning.learner} discounts whole rounds, so at ${learning.mixingGamma} they would not cancel`,
      remedies: [{ 'learning.mixingGamma': 1 }, none],
    },
    {
      when: (config) =>
        config.learning.gamma < 1 &&
        isByToken(config) &&
        !(config.learning.learner === 'ppo' && config.learning.gaeLevel === 'turn'),
      path: 'learning.gamma',
      says: ({ learning }) => `hints are not discounted token by token, so at ${learning.gamma} they would not cancel`,
      remedies: [{ 'learning.gamma': 1 }, none],
    },
  ],
);
