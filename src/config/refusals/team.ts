// Requirements of teams, adapters, frozen agents, agents that differ from each other, and trees of dialogues.
import type { Settings } from '../../base/errors.ts';
import { inTongue, spoken } from '../../base/spoken.ts';
import { comparesCandidates, learnersWhere } from '../learners/registry.ts';
import type { Config } from '../schema.ts';
import { parameterCount, sizes } from '../sizes.ts';
import {
  agentCount,
  hasTurnAdapters,
  isOneForAll,
  mostRounds,
  mostTurnAdapters,
  soloProtocol,
  chosenProtocol,
} from '../protocols/registry.ts';
import { ownPay } from './reward.ts';
import { rules, wish } from './rule.ts';

/** The requirement that the agents do not share all weights, and the closest settings that meet it. */
export const apart = {
  without: ({ agents }: Config): boolean => !isOneForAll(agents),
  give: ({ agents }: Config): Settings =>
    agents.parameters === 'lora' ? { 'agents.adapterPer': 'role' } : { 'agents.parameters': 'separate' },
};

const noExchange = { 'agents.swapEvery': 0 };

export const teamRules = [
  ...wish({ 'agents.swapEvery': { above: 0 } }, noExchange, [
    { ...apart, says: 'one shared network already plays all roles, so an exchange of roles would have no effect' },
  ]),
  ...wish({ 'agents.count': 1 }, { 'agents.protocol': soloProtocol }, [
    {
      when: ({ agents }) => chosenProtocol(agents).alone !== undefined,
      says: ({ agents }) => inTongue(chosenProtocol(agents).alone ?? ''),
      give: { 'agents.count': 2 },
    },
  ]),
  ...rules([
    {
      path: 'agents.consensus',
      when: ({ agents }) => chosenProtocol(agents).isDebate === true && agents.consensus > 0 && agents.consensus <= 0.5,
      says: 'an agreement needs more than half of the debaters',
      remedies: [{ 'agents.consensus': 1 }, { 'agents.consensus': 0 }],
    },
  ]),
];

const width = ({ agents }: Config) => sizes[agents.size].hiddenSize;

/**
 * Maximum number of adapters that serve single turns. Each adapter is merged into a network of its own, and these
 * networks together may use half of the memory that is available on the CPU.
 */
const mostAdapters = ({ agents }: Config) =>
  Math.floor(2 ** 29 / (4 * parameterCount({ ...sizes[agents.size], vocabSize: 0, maxPositions: 0 })));

export const adapterRules = wish({ 'agents.parameters': 'lora' }, {}, [
  {
    path: 'agents.loraRank',
    // The width of an external model is known only after the model has been read, so the rank is checked here only for
    // the warm start.
    when: (config) => config.agents.start === 'warmStart' && config.agents.loraRank > width(config),
    says: (config) =>
      spoken`a matrix of a {agents.size} network has ${width(config)} directions, so the rank cannot be {agents.loraRank}`,
    remedies: (config) => [{ 'agents.loraRank': width(config) }],
  },
  {
    path: 'agents.adapterPer',
    when: (config) =>
      config.agents.start === 'warmStart' &&
      hasTurnAdapters(config.agents) &&
      mostTurnAdapters(config.agents) > mostAdapters(config),
    says: (config) =>
      spoken`merging the adapters of ${mostTurnAdapters(config.agents)} turns gives one {agents.size} network for each turn, but at most ${mostAdapters(config)} such networks fit into memory`,
    remedies: (config): Settings[] => {
      const rounds = Math.floor(mostAdapters(config) / agentCount(config.agents));
      return [{ 'agents.adapterPer': 'role' }, ...(rounds > 0 ? [{ 'agents.roundLimit': rounds }] : [])];
    },
  },
]);

/** A dialogue on a higher level may have more turns, but adapters for additional turns cannot be created later. */
export const curriculumRules = wish({ 'world.raiseAt': { above: 0 } }, { 'world.raiseAt': 0 }, [
  {
    path: 'agents.roundLimit',
    when: ({ agents }) =>
      hasTurnAdapters(agents) && agents.roundLimit === 0 && chosenProtocol(agents).isOneRound !== true,
    says: 'each turn has its own adapter, but a higher level may have more turns than there are adapters',
    remedies: ({ agents }): Settings[] => [
      { 'agents.roundLimit': mostRounds(agents) },
      { 'world.raiseAt': 0 },
      { 'agents.adapterPer': 'role' },
    ],
  },
]);

/** The frozen agents in the settings, divided into agents that exist in the team and agents that do not. */
function frozenOf({ agents, learning: { frozen } }: Config) {
  const count = agentCount(agents);
  const there = frozen.filter((agent) => agent < count);
  return { count, there, absent: frozen.filter((agent) => agent >= count) };
}

function strangers(config: Config): string {
  const { count, absent } = frozenOf(config);
  const who =
    absent.length === 1
      ? spoken`there is no agent ${absent[0] ?? ''}`
      : spoken`there are no agents ${absent.join(spoken` and `)}`;
  return count === 1
    ? spoken`${who}, because the team has only agent 0`
    : spoken`${who}, because the ${count} agents of the team are numbered 0 to ${count - 1}`;
}

export const freezingRules = wish(({ learning }) => learning.frozen.length > 0, { 'learning.frozen': [] }, [
  {
    path: 'learning.frozen',
    when: (config) => frozenOf(config).absent.length > 0,
    says: strangers,
    remedies: (config) => {
      const { count, there } = frozenOf(config);
      return [{ 'learning.frozen': there.length < count ? there : [] }];
    },
  },
  {
    path: 'learning.frozen',
    when: ({ agents, learning }) => learning.frozen.length === agentCount(agents),
    says: 'if all agents are frozen, nobody learns',
    remedies: ({ learning }) => [{ 'learning.frozen': learning.frozen.slice(0, -1) }],
  },
  {
    path: 'learning.frozen',
    ...apart,
    says: 'agents that share parameters always learn together',
  },
  {
    path: 'learning.frozen',
    without: noExchange,
    says: 'networks exchange roles, so no agent keeps the same network',
  },
]);

/** The settings with which all agents have equal networks and vocabularies. */
export const equalAgents = { 'agents.otherSize': 'same', 'agents.otherVocabulary': 'same' };

/** The setting in which the agents differ. */
export const otherSetting = ({ agents }: Config) =>
  agents.otherSize === 'same' ? 'agents.otherVocabulary' : 'agents.otherSize';

const isAlone = ({ agents }: Config) => agentCount(agents) === 1;

export const unequalRules = [
  ...wish({ 'agents.parameters': 'heterogeneous' }, { 'agents.parameters': 'separate' }, [
    {
      when: isAlone,
      says: 'a single agent cannot differ from another agent',
      remedies: [{ 'agents.parameters': 'separate' }],
    },
  ]),
  ...wish(({ agents }) => agents.otherSize !== 'same' || agents.otherVocabulary !== 'same', equalAgents, [
    { path: otherSetting, when: isAlone, says: 'there is no other agent', remedies: [equalAgents] },
    {
      path: otherSetting,
      without: { 'agents.parameters': 'heterogeneous' },
      says: 'agents can differ only with agents.parameters = heterogeneous',
    },
    { needs: noExchange, says: 'agents with different sizes or vocabularies cannot exchange roles' },
  ]),
  ...wish({ 'learning.pairsFrom': 'imported' }, { 'learning.pairsFrom': 'rollouts' }, [
    {
      needs: { 'agents.otherVocabulary': 'same' },
      says: 'agents that learn from imported pairs must share one vocabulary',
    },
  ]),
];

export const treeRules = wish({ 'agents.candidates': { above: 1 } }, { 'agents.candidates': 1 }, [
  {
    needs: { 'learning.learner': learnersWhere(comparesCandidates) },
    says: '{learning.learner} does not compare candidates of one turn',
  },
  {
    needs: { 'learning.groupKey': 'problem+agent+turn' },
    says: 'candidates are compared with the other candidates of the same turn, so they cannot be grouped by {learning.groupKey}',
  },
  {
    needs: { 'reward.over': 'dense' },
    says: 'a candidate that is not chosen has no later turns, so this candidate would get no reward if reward.over is {reward.over}',
  },
  {
    needs: { 'reward.across': 'own' },
    says: 'the score of a candidate already includes the team reward, so reward.across = {reward.across} would share it a second time',
    give: ownPay,
  },
  {
    needs: {
      'learning.aggregation': { not: ['trajectory', 'dialogue'] },
      'learning.ratioLevel': { not: ['trajectory', 'dialogue'] },
    },
    says: '{learning.aggregation} aggregation would give one candidate the weight of a whole dialogue',
    give: { 'learning.aggregation': 'turn', 'learning.ratioLevel': 'turn' },
  },
  {
    needs: { 'verifier.isTrained': false },
    says: 'the verifier would have to read the earlier messages again for each candidate',
  },
  { needs: { 'reward.influence': 'off' }, says: 'a candidate that is not chosen cannot influence any other agent' },
  // Other rewards would change the reward of turns, but such rewards are not recorded for candidates that were not
  // chosen.
  ...(['shaping', 'umadConfidence', 'umadInfluence', 'causal'] as const).map((name) => ({
    needs: { [`reward.${name}`]: 0 },
    says: 'the reward of each candidate is only its own score',
  })),
]);
