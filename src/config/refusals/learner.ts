// What only some learners ask for.
import type { Config } from '../schema.ts';
import { ownPay } from './ownPay.ts';
import { where, type Rule } from './rule.ts';

const learns =
  (...names: Config['learning']['learner'][]) =>
  ({ learning }: Config) =>
    names.includes(learning.learner);

const grpo = { 'learning.learner': 'grpo' };
const mappo = { 'learning.learner': 'mappo' };
const separate = { 'agents.parameters': 'separate' };

function isPair({ protocol, count }: Config['agents']): boolean {
  return protocol === 'reMA' || protocol === 'pioneerObserver' || (protocol !== 'single' && count === 2);
}

const learnerRules: Rule[] = [
  ...where(learns('ippo'), [
    {
      when: ({ agents }) => agents.parameters === 'shared',
      path: 'agents.parameters',
      says: 'with ippo every agent learns on its own',
      remedies: [separate, mappo],
    },
    {
      when: ({ reward }) => reward.across !== 'own',
      path: 'reward.across',
      says: ({ reward }) => `${reward.across} shares rewards, and with ippo every agent has its own`,
      remedies: (config) => [ownPay(config), mappo],
    },
  ]),
  {
    when: (config) => learns('mappo', 'happo')(config) && config.reward.across === 'own',
    path: 'reward.across',
    says: ({ learning }) => `with ${learning.learner} one critic foretells one return of the whole team`,
    remedies: [{ 'reward.across': 'sum' }, { 'learning.learner': 'ippo' }],
  },
  ...where(learns('happo'), [
    {
      when: ({ agents }) => agents.parameters === 'shared',
      path: 'agents.parameters',
      says: 'happo updates one agent after another',
      remedies: [separate, mappo],
    },
    {
      when: ({ learning }) => learning.switchEvery > 0,
      path: 'learning.switchEvery',
      says: 'with happo every agent learns in every iteration',
      remedies: [{ 'learning.switchEvery': 0 }, mappo],
    },
  ]),
  ...where(learns('cory'), [
    {
      when: ({ agents }) => agents.protocol === 'single',
      path: 'agents.protocol',
      says: 'cory needs two agents',
      remedies: [{ 'agents.protocol': 'pioneerObserver' }, grpo],
    },
    {
      when: ({ agents }) => !isPair(agents),
      path: 'agents.count',
      says: ({ agents }) => `cory needs two agents, not ${agents.count}`,
      remedies: [{ 'agents.count': 2 }, grpo],
    },
    {
      when: ({ agents }) => agents.parameters === 'shared',
      path: 'agents.parameters',
      says: 'the two of cory each have a network',
      remedies: [separate, grpo],
    },
    {
      when: ({ reward }) => reward.across !== 'sum',
      path: 'reward.across',
      says: ({ reward }) => `cory pays both agents for both, not ${reward.across}`,
      remedies: [{ 'reward.across': 'sum' }, grpo],
    },
    {
      when: ({ learning }) => learning.switchEvery > 0,
      path: 'learning.switchEvery',
      says: 'the two of cory learn together and exchange roles',
      remedies: [{ 'learning.switchEvery': 0 }, grpo],
    },
  ]),
];

/** Whether the loss of a learner stands alone, without a place for a KL term. */
const hasNoKl = learns('dpo', 'sft');

const imitationRules: Rule[] = [
  {
    when: ({ learning }) => learning.pairsFrom !== 'rollouts' && learning.learner !== 'dpo',
    path: 'learning.pairsFrom',
    says: ({ learning }) => `${learning.learner} learns from no pairs`,
    remedies: [{ 'learning.pairsFrom': 'rollouts' }, { 'learning.learner': 'dpo' }],
  },
  {
    when: ({ learning, verifier }) => learning.pairsFrom === 'verifier' && !verifier.isTrained,
    path: 'learning.pairsFrom',
    says: 'there is no verifier to compare answers',
    remedies: [{ 'verifier.isTrained': true }, { 'learning.pairsFrom': 'rollouts' }],
  },
  ...where(hasNoKl, [
    {
      when: ({ kl }) => kl.place !== 'off',
      path: 'kl.place',
      says: ({ learning }) => `the loss of ${learning.learner} has no place for a KL term`,
      remedies: [{ 'kl.place': 'off' }, grpo],
    },
    {
      when: ({ learning }) => learning.normAdv,
      path: 'learning.normAdv',
      says: ({ learning }) => `${learning.learner} has no advantages to whiten`,
      remedies: [{ 'learning.normAdv': false }, grpo],
    },
  ]),
  ...where(learns('dpo'), [
    {
      when: ({ learning }) => learning.groupSize === 1 && learning.pairsFrom !== 'imported',
      path: 'learning.groupSize',
      says: 'dpo finds its pairs among rollouts of one problem',
      remedies: [{ 'learning.groupSize': 2 }, { 'learning.pairsFrom': 'imported' }],
    },
    {
      when: ({ learning }) => learning.preferenceSmoothing > 0 && learning.preferenceKind !== 'sigmoid',
      path: 'learning.preferenceSmoothing',
      says: ({ learning }) => `${learning.preferenceKind} has no use for it`,
      remedies: [{ 'learning.preferenceSmoothing': 0 }, { 'learning.preferenceKind': 'sigmoid' }],
    },
  ]),
];

/** Of learners that follow rewards, and of those that imitate. */
export const rulesOfLearners: readonly Rule[] = [...learnerRules, ...imitationRules];
