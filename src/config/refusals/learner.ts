// Requirements that several learners share. They concern teams and rewards, sources of pairs and of dialogues to
// imitate, critics that divide the value of a round, and updates. A requirement of only one learner is in the folder of
// that learner.
import type { Settings } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { compared, joint, mixed, ownSight } from '../conditions.ts';
import { defaultLearner, factsOf, learnersWhere, learnerWhere } from '../learners/registry.ts';
import { agentCount, isTeam, protocolsWhere } from '../protocols/registry.ts';
import type { Config } from '../schema.ts';
import { formulaNameIn, ownFormulas } from '../sections/ownFormula.ts';
import { stepParts } from '../worlds/form.ts';
import { formOf, partWeights } from '../worlds/registry.ts';
import { comparers, notOwn, stepPay } from './reward.ts';
import { firstOf, rules, wish } from './rule.ts';
import { apart } from './team.ts';

const usual = { 'learning.learner': defaultLearner };
const critic = { 'learning.learner': learnerWhere((facts) => facts.critic === 'own') };
const everyAgentLearns = { 'learning.switchEvery': 0 };
const twoOfEach = { 'learning.groupSize': 2 };
const twoAgents = { 'agents.count': 2 };
const byTurn = { 'learning.groupKey': 'problem+agent+turn' };
/**
 * Protocols with several agents. The first one, with a planner and a reasoner, is offered if the chosen protocol has
 * only one agent.
 */
const teams = protocolsWhere(isTeam);
const oneAgent = '{learning.learner} divides the value of a round among agents, but there is only one agent';

/** A learner with a critic for each agent, in which each agent is rewarded individually. */
const paidApart = learnerWhere(({ critic, published }) => critic === 'own' && published['reward.across'] === 'own');

const teamLearners = [
  ...wish(joint, { 'learning.learner': paidApart }, [
    {
      needs: { 'reward.across': notOwn },
      says: 'the critic of {learning.learner} predicts a single return for the whole team',
    },
  ]),
];

const preferrers = learnersWhere(({ loss }) => loss === 'preference');

const imitators = [
  ...wish({ 'learning.learner': { not: preferrers } }, firstOf({ 'learning.learner': preferrers }), [
    { needs: { 'learning.pairsFrom': 'rollouts' }, says: '{learning.learner} does not learn from pairs' },
  ]),
  ...wish({ 'learning.pairsFrom': 'verifier' }, { 'learning.pairsFrom': 'rollouts' }, [
    { without: { 'verifier.isTrained': true }, says: 'there is no verifier that could compare answers' },
  ]),
  ...wish({ 'learning.learner': learnersWhere(({ loss }) => loss !== 'policy') }, usual, [
    { needs: { 'kl.place': 'off' }, says: 'the loss of {learning.learner} cannot contain a KL term' },
    {
      needs: { 'learning.normAdv': false },
      says: '{learning.learner} computes no advantages, so there is nothing to whiten',
    },
  ]),
];

const formulas = Object.entries(ownFormulas).flatMap(([name, { learners, over }]) =>
  wish(({ learning }) => formulaNameIn(learning.ownFormula) === name, { 'learning.ownFormula': '' }, [
    {
      needs: { 'learning.learner': learners },
      says:
        over === 'group'
          ? 'your own formula over a group cannot be used with {learning.learner}'
          : 'your own formula over a critic’s values cannot be used with {learning.learner}',
    },
  ]),
);

/** The rules for learners that use rewards, for learners that imitate, and for formulas that visitors have written. */
export const learnerRules = [...teamLearners, ...imitators, ...formulas];

/**
 * A learner that divides a value among messages needs a team that receives one common reward for each round. It also
 * needs groups in which messages are compared.
 */
export const mixingRules = wish(mixed, usual, [
  { needs: { 'agents.protocol': teams }, says: oneAgent },
  { path: 'agents.count', without: ({ agents }) => agentCount(agents) > 1, says: oneAgent, give: twoAgents },
  {
    needs: { 'reward.across': notOwn },
    says: '{learning.learner} divides the reward of the whole team among the agents, but here each agent gets its own reward',
  },
  {
    needs: { 'learning.groupSize': { above: 1 } },
    says: '{learning.learner} compares messages from several rollouts of one problem, but each problem has only one rollout',
    remedies: [twoOfEach, critic],
  },
]);

const hasGroups = (config: Config) => factsOf(config).groups === 'units';
const isPaidApart = ({ reward }: Config) => reward.across === 'own' || reward.across === 'dictator';

/**
 * Remedies if groups in which all rewards are equal cannot be sampled again, because this requires that a group
 * consists of whole dialogues about one problem.
 */
function ofWholeDialogues(config: Config): Settings[] {
  const isOneKeyOff = hasGroups(config) && config.agents.candidates === 1 && !isPaidApart(config);
  return [...(isOneKeyOff ? [{ 'learning.groupKey': 'problem' }] : []), { 'learning.filterGroups': false }];
}

const paysSteps = (config: Config) => {
  const form = formOf(config.world.name);
  return Object.values(partWeights(config, form, stepParts(form))).some((weight) => weight > 0);
};

const accumulated = { 'reward.over': 'accumulated' };
const byTurns = { 'learning.gaeLevel': 'turn' };

/**
 * The unit of `aggregation` must be at least as large as that of `ratioLevel`. The remedies are a larger unit of
 * `aggregation`, or the largest unit of `ratioLevel` that fits the current `aggregation`.
 */
const longer = ({ learning: { ratioLevel, aggregation } }: Config): Settings[] => [
  { 'learning.aggregation': ratioLevel },
  { 'learning.ratioLevel': aggregation === 'constant' ? 'token' : aggregation },
];

export const updateRules = [
  ...rules([
    {
      path: 'reward.gammaTurn',
      when: {
        ...ownSight,
        'learning.gaeLevel': 'token',
        'reward.over': 'accumulated',
      },
      needs: { 'reward.gammaTurn': 1 },
      says: '{learning.learner} discounts later rewards per token, with learning.gamma, so a discount per turn would have no effect',
      remedies: [byTurns, { 'reward.gammaTurn': 1 }],
    },
  ]),
  ...wish({ 'learning.ratioLevel': 'turn' }, { 'learning.ratioLevel': 'token' }, [
    {
      needs: { 'learning.aggregation': ['turn', 'trajectory', 'dialogue'] },
      says: '{learning.aggregation} aggregation cannot be used with a turn ratio',
    },
  ]),
  ...rules([
    {
      when: { 'learning.ratioLevel': 'trajectory' },
      needs: { 'learning.aggregation': ['trajectory', 'dialogue'] },
      says: '{learning.aggregation} aggregation cannot be used with a trajectory ratio',
      remedies: longer,
    },
    {
      when: { 'learning.ratioLevel': 'dialogue' },
      needs: { 'learning.aggregation': 'dialogue' },
      says: '{learning.aggregation} aggregation cannot be used with a dialogue ratio',
      remedies: longer,
    },
  ]),
  ...wish({ 'learning.groupSize': 1, 'agents.candidates': 1 }, critic, [
    {
      when: {
        'learning.learner': learnersWhere(({ groups, hasSpread }) => groups === 'units' && hasSpread),
        'learning.groupStd': true,
      },
      says: 'a group of one has no standard deviation to divide by',
      remedies: [twoOfEach, { 'learning.groupStd': false }, critic],
    },
    {
      when: { 'learning.learner': learnersWhere(({ groups, hasSpread }) => groups === 'units' && !hasSpread) },
      says: '{learning.learner} compares a rollout with others of its group, but each group has only one rollout',
      give: twoOfEach,
    },
  ]),
  ...rules([
    {
      path: 'learning.dualClip',
      when: ({ learning }) => learning.dualClip > 0 && learning.dualClip <= 1,
      says: 'a bound of {learning.dualClip} times the advantage would apply to every sample; 0 switches the bound off',
      remedies: [{ 'learning.dualClip': 0 }, { 'learning.dualClip': 3 }],
    },
    {
      when: { 'learning.groupSize': 1, 'agents.candidates': 1, ...compared, ...byTurn },
      says: 'with a single dialogue there is no other turn to compare with',
      remedies: [twoOfEach, critic],
    },
    {
      when: { 'learning.filterGroups': true },
      without: { 'learning.learner': comparers, 'learning.groupKey': 'problem' },
      says: (config) =>
        spoken`only groups that consist of the rollouts of one problem can be sampled again, but ${hasGroups(config) ? spoken`the groups of this run are formed by agent or turn` : spoken`{learning.learner} has no groups`}`,
      remedies: ofWholeDialogues,
    },
    {
      when: { 'reward.across': ['own', 'dictator'], ...compared, 'learning.groupKey': 'problem' },
      says: 'with reward.across = {reward.across}, the agents of a team earn different rewards, but grouping by problem compares whole teams',
      remedies: [{ 'learning.groupKey': 'problem+agent' }, { 'reward.across': 'sum' }],
    },
    {
      when: { 'reward.over': 'sparse', ...compared, ...byTurn },
      says: 'with sparse rewards, only the last turn is rewarded, so other turns have no rewards to compare',
      remedies: [accumulated, { 'learning.groupKey': 'problem' }],
    },
  ]),
  ...wish(({ learning }) => learning.outcomeShare < 1, { 'learning.outcomeShare': 1 }, [
    {
      path: 'learning.outcomeShare',
      without: { 'learning.learner': comparers },
      says: '{learning.learner} has no groups in which outcomes and turns could be compared',
    },
    {
      needs: { 'learning.groupKey': ['problem', 'problem+agent'] },
      says: 'the members of these groups are single turns, so outcomes of dialogues cannot be compared',
    },
    {
      needs: { 'learning.groupSize': { above: 1 } },
      says: 'in a group of one there is no other rollout to compare with',
    },
    {
      needs: { 'reward.umadConfidence': 0 },
      says: 'the gain of confidence can be applied to only one advantage per token, but here each token has two advantages',
    },
    {
      path: 'learning.outcomeShare',
      without: paysSteps,
      says: 'no part of the reward is given turn by turn',
      give: stepPay,
    },
  ]),
  ...wish({ 'reward.shaping': { above: 0 } }, { 'reward.shaping': 0 }, [
    { without: { 'reward.over': ['accumulated', 'dense'] }, says: 'progress shaping needs a reward for each turn' },
    { without: { 'reward.across': ['sum', 'mean'] }, says: 'progress shaping needs a reward that the team shares' },
  ]),
  ...wish({ 'learning.switchEvery': { above: 0 } }, everyAgentLearns, [
    {
      when: { 'agents.protocol': teams },
      ...apart,
      says: 'parameters that all agents share cannot be trained for one agent alone',
    },
  ]),
  ...wish({ 'kl.place': 'loss' }, { 'kl.place': 'reward' }, [
    { needs: { 'kl.estimator': ['k3', 'abs', 'mse'] }, says: 'in expectation, the gradient of k1 in the loss is zero' },
  ]),
  ...rules([
    {
      when: { 'kl.isAdaptive': true },
      without: { 'kl.place': 'reward' },
      says: 'the KL weight can adapt only if the KL is part of the reward',
      remedies: (config): Settings[] => [
        { 'kl.isAdaptive': false },
        ...(factsOf(config).loss === 'policy' ? [{ 'kl.place': 'reward' }] : []),
      ],
    },
    {
      path: 'learning.numMinibatches',
      when: ({ learning }) => learning.problemsPerIteration * learning.groupSize < learning.numMinibatches,
      says: 'there are more minibatches than trajectories',
      remedies: ({ learning }): Settings[] => [
        { 'learning.numMinibatches': 1 },
        { 'learning.problemsPerIteration': Math.ceil(learning.numMinibatches / learning.groupSize) },
      ],
    },
    {
      // Even without a gradient, a weight keeps moving by its momentum, which is divided by the norm of past gradients.
      // This norm must therefore not decay faster than the momentum.
      path: 'optimiser.beta2',
      when: ({ optimiser: { beta1, beta2 } }) => beta1 > 0 && beta1 ** 2 >= beta2,
      says: 'the step size has no bound unless β₂ is greater than the square of β₁; β₁ is {optimiser.beta1}',
      remedies: ({ optimiser }): Settings[] => [
        { 'optimiser.beta2': optimiser.beta1 <= 0.97 ? 0.95 : 0.999 },
        { 'optimiser.beta1': 0 },
      ],
    },
  ]),
];
