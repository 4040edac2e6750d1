// Requirements of rewards: credit between agents, reward shaping by progress, and rewards by a verifier's score.
import type { Settings } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { compared, mixed } from '../conditions.ts';
import { defaultLearner, factsOf, learnersWhere } from '../learners/registry.ts';
import { teamAcross } from '../names.ts';
import {
  hasMessages,
  hasSecondAnswers,
  isCounted,
  isHeardByAll,
  mostRounds,
  mostSets,
  protocolsWhere,
  protocolWhere,
  chosenProtocol,
} from '../protocols/registry.ts';
import type { Config } from '../schema.ts';
import type { WorldForm } from '../worlds/form.ts';
import { formOf, partSettings, partWeights } from '../worlds/registry.ts';
import { firstOf, wish, type Row, type When } from './rule.ts';

/** Learners that compare the rewards of units in a group. */
export const comparers = learnersWhere(({ groups }) => groups === 'units');

/** Learners that use only the reward of the team. */
const sharers = learnersWhere(({ pay }) => pay === 'team');

/** The ways to share rewards within a team. The first one, `sum`, is offered first. */
export const notOwn = teamAcross.filter((across) => across !== 'own');

const usualLearner = { 'learning.learner': defaultLearner };
const noShaping = { 'reward.shaping': 0 };
const debating = protocolWhere(({ isDebate }) => isDebate);
const debate = { 'agents.protocol': debating };
const debated = { 'agents.protocol': protocolsWhere(({ isDebate }) => isDebate) };
const own = { 'reward.across': 'own' };
const dense = { 'reward.over': 'dense' };
const twoRounds = { path: 'agents.roundLimit', give: { 'agents.roundLimit': 2 } } as const;

/** Settings that switch on a world's own reward parts, with their suggested weights. */
const partPay = (form: WorldForm): Settings =>
  partSettings(form, Object.fromEntries(form.parts.map(({ name, suggested, max }) => [name, suggested ?? max / 4])));

/**
 * Settings that reward single steps: weights for the world's own reward parts, or for the correct format if the world
 * has no such parts.
 */
export function stepPay({ world }: Config): Settings {
  const form = formOf(world.name);
  return form.parts.length > 0 ? partPay(form) : { 'reward.format': 0.25 };
}

/**
 * Settings for individual rewards. These settings switch on rewards for parts if some agent would otherwise earn
 * nothing. For example, if only the last turn can be right, as with a planner and a reasoner, an agent that never
 * speaks last is rewarded for parts of its turns.
 */
export function ownPay(config: Config): Settings {
  const form = formOf(config.world.name);
  const weights = partWeights(config, form);
  const isPaidInParts = form.parts.some(({ name }) => (weights[name] ?? 0) > 0);
  const parts = { 'reward.over': 'dense', ...partPay(form) };
  return { 'reward.across': 'own', ...(chosenProtocol(config.agents).hasSteps && !isPaidInParts && parts) };
}

const influenceParts = ['influenceAlpha0', 'influenceAlpha1', 'influenceBeta0', 'influenceBeta1'] as const;
const noParts = Object.fromEntries(influenceParts.map((name) => [`reward.${name}`, 0]));
const influenceOff = { 'reward.influence': 'off', ...noParts };

const ownOnly: Row = {
  without: { 'learning.learner': { not: sharers } },
  says: '{learning.learner} learns from the reward of the team, but here each agent gets its own reward',
};

const influence = [
  ...wish(
    { 'reward.influence': 'off' },
    { 'reward.influence': 'discounted' },
    Object.keys(noParts).map((path) => ({
      needs: { [path]: 0 },
      says: 'this setting is part of the influence-aware reward, which is off',
    })),
  ),
  ...wish({ 'reward.influence': { not: ['off'] } }, influenceOff, [
    { ...ownOnly, remedies: [influenceOff, usualLearner] },
    {
      without: { 'agents.protocol': protocolsWhere(isCounted) },
      says: 'this reward scores the answers of several agents round by round, but the protocol {agents.protocol} has no such answers',
    },
    {
      needs: own,
      says: 'the influence-aware reward is already shared among the agents, so reward.across = {reward.across} would share it a second time',
    },
    {
      needs: dense,
      says: 'the influence-aware reward of an answer already includes later answers, so {reward.over} rewards would count them twice or not at all',
    },
    {
      needs: noShaping,
      says: 'the influence-aware reward already scores every answer, so shaping cannot be added to it',
    },
  ]),
];

const confidenceOff = { 'reward.umadConfidence': 0 };
const bonusOff = { 'reward.umadInfluence': 0 };

const umad = [
  ...wish({ 'reward.umadConfidence': { above: 0 } }, confidenceOff, [
    {
      without: { 'learning.learner': comparers },
      says: '{learning.learner} has no groups whose advantages could be weighted',
    },
    {
      needs: { 'learning.groupSize': { above: 1 } },
      says: 'in a group of one there is no other rollout whose confidence could be compared',
    },
  ]),
  ...wish({ 'reward.umadInfluence': { above: 0 } }, bonusOff, [
    { ...ownOnly, remedies: [bonusOff, usualLearner] },
    {
      needs: noShaping,
      says: 'progress shaping is given to the team, but this bonus is given to each agent separately',
    },
    {
      without: { 'agents.protocol': protocolsWhere(hasSecondAnswers) },
      says: 'in the protocol {agents.protocol}, nobody answers again after hearing the others',
    },
    {
      ...twoRounds,
      without: ({ agents }) => mostRounds(agents) > 1,
      says: 'with only one round, nobody answers again after hearing the others',
    },
    {
      needs: own,
      says: 'only the agent that gives an answer gets the bonus, but with reward.across = {reward.across} the bonus would be shared',
    },
    {
      needs: dense,
      says: 'the bonus is given for each answer separately, but {reward.over} rewards are not',
    },
  ]),
];

const causal = wish({ 'reward.causal': { above: 0 } }, { 'reward.causal': 0 }, [
  {
    without: { 'agents.protocol': protocolsWhere(hasMessages) },
    says: 'in the protocol {agents.protocol}, no agent hears the others',
    give: debate,
  },
  {
    ...twoRounds,
    without: ({ agents }) => mostSets(agents) > 1,
    says: 'with only one round of debate, nobody speaks after hearing the others',
  },
  {
    needs: dense,
    says: 'the reward for influence is given for each turn separately, but {reward.over} rewards are not',
  },
]);

export const creditRules = [...influence, ...umad, ...causal];

const isByToken = (config: Config) => factsOf(config).hasTokenReturns === true;
const isJoint = (config: Config) => factsOf(config).critic === 'joint';
const isByOwnTurn = (config: Config) => factsOf(config).critic === 'own' && config.learning.gaeLevel === 'turn';

/**
 * Potential-based shaping leaves the optimal policy unchanged only if single turns are rewarded, the team shares the
 * reward, and returns use the same discount as the shaping.
 */
export const shapingRules = wish({ 'reward.shaping': { above: 0 } }, noShaping, [
  {
    without: ({ agents }) => mostSets(agents) > 1,
    says: '{agents.protocol} has only one step, so there is no progress that shaping could reward',
    remedies: [noShaping],
  },
  {
    // This row applies only without candidates of turns; with them, the rules about trees refuse shaping.
    when: { 'agents.candidates': 1, ...compared, 'reward.over': 'dense' },
    needs: { 'learning.groupKey': { not: ['problem+agent+turn'] } },
    says: 'with dense rewards, a turn is not rewarded for later turns, so the team would learn from shaping alone',
    remedies: [{ 'learning.groupKey': 'problem+agent' }, { 'reward.over': 'accumulated' }, noShaping],
  },
  {
    when: (config) => isByToken(config) || (config.reward.over !== 'accumulated' && !isJoint(config)),
    needs: { 'reward.gammaTurn': 1 },
    says: (config) =>
      spoken`{learning.learner} adds up rewards ${isByToken(config) ? spoken`along an agent’s own tokens` : spoken`over turns without discounting them`}, so shaping discounted by {reward.gammaTurn} would not cancel out`,
  },
  {
    when: mixed,
    needs: { 'learning.mixingGamma': 1 },
    says: 'shaping is given turn by turn, but {learning.learner} discounts by rounds, so with learning.mixingGamma = {learning.mixingGamma} the terms of the shaping would not cancel out',
  },
  {
    when: (config) => isByToken(config) && !isByOwnTurn(config),
    needs: { 'learning.gamma': 1 },
    says: 'shaping is not discounted token by token, so with learning.gamma = {learning.gamma} the terms of the shaping would not cancel out',
  },
]);

/**
 * Requirements of the settings that use a verifier. With candidates of turns, no verifier can be used, so in that case
 * the first remedy is to take back the requested setting.
 */
const wordOf = (wanted: When, giveUp: Settings, needs: readonly (readonly [demands: When, says: string])[]) =>
  wish(
    wanted,
    giveUp,
    needs.map(([demands, says]) => ({
      without: demands,
      says,
      remedies: ({ agents }) => {
        const ways = [firstOf(demands), giveUp];
        return agents.candidates > 1 ? ways.reverse() : ways;
      },
    })),
  );

const trained = { 'verifier.isTrained': true };
/** Protocols in which every agent hears all answers, beginning with the debate protocol. */
const heardAnswers = protocolsWhere(isHeardByAll).toSorted((a, b) => Number(b === debating) - Number(a === debating));

export const verifierRules = [
  ...wordOf({ 'verifier.reward': { above: 0 } }, { 'verifier.reward': 0 }, [
    [trained, 'there is no verifier that could score answers'],
  ]),
  ...wordOf({ 'verifier.feedback': 'verifier' }, { 'verifier.feedback': 'world' }, [
    [trained, 'there is no verifier that could give feedback'],
    [{ 'agents.feedback': true, ...debated }, 'the dialogue has no feedback in words'],
  ]),
  ...wordOf({ 'verifier.consensus': { above: 0 } }, { 'verifier.consensus': 0 }, [
    [trained, 'there is no verifier that could score the agreed answer'],
    [{ 'agents.consensus': { above: 0 }, ...debated }, 'the dialogue does not stop on agreement'],
  ]),
  ...wordOf({ 'verifier.decides': true }, { 'verifier.decides': false }, [
    [trained, 'there is no verifier that could choose the answer'],
    [
      { 'agents.protocol': heardAnswers },
      'no answer is heard by all agents, so the verifier has no answers to choose from',
    ],
  ]),
];
