// What an update cannot do: ratios, groups, hints and KL terms that are fine alone and impossible together.
import type { Settings } from '../../base/errors.ts';
import type { Config } from '../schema.ts';
import { comparers } from './credit.ts';
import type { Rule } from './rule.ts';

/** The candidates of a turn are a group, also of a single dialogue. */
const isAlone = ({ learning, agents }: Config) => learning.groupSize === 1 && agents.candidates === 1;
const hasGroups = ({ learning }: Config) => comparers.includes(learning.learner);
const isByTurn = ({ learning }: Config) => learning.groupKey === 'problem+agent+turn';
const isPaidApart = ({ reward }: Config) => reward.across === 'own' || reward.across === 'dictator';

const twoOfEach = { 'learning.groupSize': 2 };
const critic = { 'learning.learner': 'ppo' };
const keepGroups = { 'learning.filterGroups': false };
const accumulated = { 'reward.over': 'accumulated' };

/** Groups that can be drawn again when all in them earn the same are of whole dialogues on one problem. */
function ofWholeDialogues(config: Config): Settings[] {
  const isOneKeyOff = hasGroups(config) && config.agents.candidates === 1 && !isPaidApart(config);
  return [...(isOneKeyOff ? [{ 'learning.groupKey': 'problem' }] : []), keepGroups];
}

export const updateRules: readonly Rule[] = [
  {
    when: ({ learning }) => learning.ratioLevel === 'turn' && ['token', 'constant'].includes(learning.aggregation),
    path: 'learning.aggregation',
    says: ({ learning }) => `${learning.aggregation} does not go with a turn ratio`,
    remedies: [{ 'learning.aggregation': 'turn' }, { 'learning.ratioLevel': 'token' }],
  },
  {
    when: ({ learning }) => learning.ratioLevel === 'trajectory' && learning.aggregation !== 'trajectory',
    path: 'learning.aggregation',
    says: ({ learning }) => `${learning.aggregation} does not go with a trajectory ratio`,
    remedies: ({ learning }): Settings[] => [
      { 'learning.aggregation': 'trajectory' },
      { 'learning.ratioLevel': learning.aggregation === 'turn' ? 'turn' : 'token' },
    ],
  },
  {
    when: (config) => ['grpo', 'cory'].includes(config.learning.learner) && isAlone(config) && config.learning.groupStd,
    path: 'learning.groupSize',
    says: 'a group of one has no spread to divide by',
    remedies: [twoOfEach, { 'learning.groupStd': false }, critic],
  },
  {
    when: (config) => config.learning.learner === 'rloo' && isAlone(config),
    path: 'learning.groupSize',
    says: 'rloo compares with the others of a group',
    remedies: [twoOfEach, critic],
  },
  {
    when: ({ learning }) => learning.dualClip > 0 && learning.dualClip <= 1,
    path: 'learning.dualClip',
    says: ({ learning }) =>
      `a bound of ${learning.dualClip} times the advantage would act on every sample, and 0 is off`,
    remedies: [{ 'learning.dualClip': 0 }, { 'learning.dualClip': 3 }],
  },
  {
    when: (config) => isAlone(config) && hasGroups(config) && isByTurn(config),
    path: 'learning.groupSize',
    says: 'one dialogue has each turn once, with nothing beside it',
    remedies: [twoOfEach, critic],
  },
  {
    when: (config) => config.learning.filterGroups && !(hasGroups(config) && config.learning.groupKey === 'problem'),
    path: 'learning.filterGroups',
    says: (config) =>
      `only groups of rollouts of one problem can be drawn again, and ${hasGroups(config) ? 'these differ by agent or turn' : `${config.learning.learner} has no groups`}`,
    remedies: ofWholeDialogues,
  },
  {
    when: (config) => hasGroups(config) && config.learning.groupKey === 'problem' && isPaidApart(config),
    path: 'reward.across',
    says: ({ reward }) => `${reward.across} pays agents differently, and the group key problem compares whole teams`,
    remedies: [{ 'learning.groupKey': 'problem+agent' }, { 'reward.across': 'sum' }],
  },
  {
    when: (config) => hasGroups(config) && isByTurn(config) && config.reward.over === 'sparse',
    path: 'reward.over',
    says: 'sparse pays the last turn only, so turns have nothing to compare',
    remedies: [accumulated, { 'learning.groupKey': 'problem' }],
  },
  {
    when: ({ reward }) => reward.shaping > 0 && reward.over === 'sparse',
    path: 'reward.shaping',
    says: 'hints along the way need turns that are paid',
    remedies: [accumulated, { 'reward.shaping': 0 }],
  },
  {
    when: ({ reward }) => reward.shaping > 0 && !['sum', 'mean'].includes(reward.across),
    path: 'reward.shaping',
    says: 'hints along the way need a team that shares them',
    remedies: [{ 'reward.across': 'sum' }, { 'reward.shaping': 0 }],
  },
  {
    when: ({ learning, agents }) =>
      learning.switchEvery > 0 && agents.parameters === 'shared' && agents.protocol !== 'single',
    path: 'learning.switchEvery',
    says: 'shared parameters cannot learn for one agent alone',
    remedies: [{ 'agents.parameters': 'separate' }, { 'learning.switchEvery': 0 }],
  },
  {
    when: ({ kl }) => kl.place === 'loss' && kl.estimator === 'k1',
    path: 'kl.estimator',
    says: 'the expected gradient of k1 in the loss is zero',
    remedies: [{ 'kl.estimator': 'k3' }, { 'kl.place': 'reward' }],
  },
  {
    when: ({ kl }) => kl.isAdaptive && kl.place !== 'reward',
    path: 'kl.isAdaptive',
    says: 'the weight adapts only in the reward',
    remedies: ({ learning }): Settings[] => [
      { 'kl.isAdaptive': false },
      ...(['dpo', 'sft'].includes(learning.learner) ? [] : [{ 'kl.place': 'reward' }]),
    ],
  },
  {
    when: ({ learning }) => learning.problemsPerIteration * learning.groupSize < learning.numMinibatches,
    path: 'learning.numMinibatches',
    says: 'more minibatches than trajectories',
    remedies: ({ learning }): Settings[] => [
      { 'learning.numMinibatches': 1 },
      { 'learning.problemsPerIteration': Math.ceil(learning.numMinibatches / learning.groupSize) },
    ],
  },
];
