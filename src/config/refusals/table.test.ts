// Tests that every row of the table is needed: for each row there is a case that this row refuses before any other. The
// test therefore detects a row that is missing, or that has no effect because of an earlier row. combinations.test.ts
// checks that the remedies work.
import { expect, it } from 'vitest';
import type { Settings } from '../../base/errors.ts';
import { refusalOf } from './table.ts';
import { protocolNames } from '../protocols/registry.ts';
import { plannedPair } from '../ownProtocol.ts';
import { withSettings } from '../parse.ts';
import { presetConfig } from '../presets.ts';
import { formulaOf } from '../testing/ownFormulas.ts';
import { startRules } from '../warmStarts.ts';
import type { WorldForm } from '../worlds/form.ts';
import { introduce, ownNameOf } from '../worlds/own.ts';
import { otherVocabularies, shippedForms } from '../worlds/registry.ts';
import { protocolsFor } from '../worlds/rules.ts';

const dense = { 'reward.over': 'dense' } as const;
const own = { ...dense, 'reward.across': 'own' } as const;
const byTurn = { 'learning.groupKey': 'problem+agent+turn' } as const;
const tree = { ...own, ...byTurn, 'agents.candidates': 2 } as const;

// Registers one visitor's world. A second world of a visitor stays unregistered.
const ownName = ownNameOf({ kind: 'module', source: '' });
introduce({
  ...{ name: ownName, label: 'Own', sentence: '' },
  levels: [{ level: 1, label: 'one' }],
  hidden: [],
  parts: [],
  vocabularies: { words: 'words' },
});
const inOwn = { 'world.name': ownName, 'houseRule.legalOperation': 0, 'houseRule.rewrite': 0 } as const;
const unknown = ownNameOf({ kind: 'module', source: 'another' });

const cases: readonly [path: string, settings: Settings][] = [
  ['world.name', { ...inOwn, 'world.name': unknown }],
  ['world.level', { ...inOwn, 'world.level': 2 }],
  ['agents.protocol', { ...inOwn, 'agents.protocol': 'memoryLoop' }],
  ['agents.otherVocabulary', { ...inOwn, 'agents.otherVocabulary': 'joined' }],
  ['agents.own', { 'agents.protocol': 'own', 'agents.own': { ...plannedPair, answer: 7 } }],
  ['agents.swapEvery', { 'agents.swapEvery': 3 }],
  ['agents.count', { 'agents.count': 1, 'agents.protocol': 'debate' }],
  ['agents.count', { 'agents.count': 1, 'agents.protocol': 'summary' }],
  ['agents.consensus', { 'agents.consensus': 0.5, 'agents.protocol': 'debate' }],
  ['reward.across', { 'learning.learner': 'mappo', 'reward.across': 'own' }],
  ['agents.parameters', { 'learning.learner': 'happo' }],
  ['agents.protocol', { 'agents.protocol': 'single', 'learning.learner': 'cory' }],
  ['agents.count', { 'agents.protocol': 'vote', 'agents.count': 1, 'learning.learner': 'cory' }],
  ['learning.pairsFrom', { 'learning.pairsFrom': 'verifier' }],
  ['learning.pairsFrom', { 'learning.pairsFrom': 'verifier', 'learning.learner': 'dpo' }],
  ['kl.place', { 'learning.learner': 'sft', 'kl.place': 'reward' }],
  ['learning.normAdv', { 'learning.normAdv': true, 'learning.learner': 'dpo' }],
  ['learning.groupSize', { 'learning.groupSize': 1, 'learning.learner': 'dpo' }],
  [
    'learning.preferenceSmoothing',
    {
      'learning.learner': 'dpo',
      'learning.preferenceKind': 'ipo',
      'learning.preferenceSmoothing': 0.1,
      'kl.place': 'off',
    },
  ],
  ['reward.influenceAlpha0', { 'reward.influenceAlpha0': 1 }],
  ['reward.influenceAlpha1', { 'reward.influenceAlpha1': 2 }],
  ['reward.influenceBeta0', { 'reward.influenceBeta0': 2 }],
  ['reward.influenceBeta1', { 'reward.influenceBeta1': 1 }],
  ['reward.influence', { 'learning.learner': 'mappo', 'reward.influence': 'last' }],
  ['reward.influence', { 'reward.influence': 'discounted' }],
  ['reward.across', { 'reward.influence': 'current', 'agents.protocol': 'summary' }],
  ['reward.over', { 'reward.influence': 'last', 'agents.protocol': 'debate', 'reward.across': 'own' }],
  ['reward.shaping', { ...own, 'agents.protocol': 'debate', 'reward.influence': 'last', 'reward.shaping': 0.5 }],
  ['reward.umadConfidence', { 'reward.umadConfidence': 2, 'learning.learner': 'dpo' }],
  ['learning.groupSize', { 'learning.groupSize': 1, 'reward.umadConfidence': 0.5 }],
  ['reward.umadInfluence', { 'reward.umadInfluence': 2, 'learning.learner': 'mappo' }],
  ['reward.shaping', { 'reward.shaping': 2, 'reward.umadInfluence': 2 }],
  ['reward.umadInfluence', { 'reward.umadInfluence': 0.5 }],
  ['agents.roundLimit', { 'agents.protocol': 'summary', 'reward.umadInfluence': 1 }],
  ['reward.across', { 'reward.umadInfluence': 2, 'agents.protocol': 'debate' }],
  ['reward.over', { 'agents.protocol': 'debate', 'reward.across': 'own', 'reward.umadInfluence': 0.5 }],
  ['reward.causal', { 'agents.protocol': 'vote', 'reward.causal': 2 }],
  ['agents.roundLimit', { 'agents.protocol': 'debate', 'agents.roundLimit': 1, 'reward.causal': 0.5 }],
  ['reward.over', { 'reward.causal': 1 }],
  ['reward.shaping', { ...own, 'learning.learner': 'ippo', 'agents.parameters': 'separate', 'reward.shaping': 0.5 }],
  ['reward.shaping', { 'agents.protocol': 'single', 'reward.shaping': 2 }],
  ['learning.groupKey', { ...dense, 'learning.groupKey': 'problem+agent+turn', 'reward.shaping': 0.5 }],
  ['reward.gammaTurn', { 'reward.shaping': 2, 'reward.gammaTurn': 0 }],
  ['reward.gammaTurn', { 'learning.learner': 'ppo', 'reward.over': 'accumulated', 'reward.gammaTurn': 0.5 }],
  ['learning.mixingGamma', { 'learning.learner': 'vdn', 'reward.shaping': 2 }],
  ['learning.gamma', { ...dense, 'learning.learner': 'ppo', 'learning.gamma': 0.9, 'reward.shaping': 0.5 }],
  ['agents.loraRank', { 'agents.loraRank': 64, 'agents.parameters': 'lora' }],
  [
    'agents.adapterPer',
    {
      'agents.parameters': 'lora',
      'agents.adapterPer': 'turn',
      'agents.size': 'medium',
      'agents.protocol': 'debate',
      'agents.count': 8,
      'agents.roundLimit': 4,
    },
  ],
  ['agents.roundLimit', { 'agents.parameters': 'lora', 'agents.adapterPer': 'turn', 'world.raiseAt': 0.9 }],
  ['verifier.reward', { 'verifier.reward': 1 }],
  ['verifier.feedback', { 'verifier.feedback': 'verifier' }],
  ['verifier.feedback', { 'verifier.feedback': 'verifier', 'agents.protocol': 'summary', 'verifier.isTrained': true }],
  ['verifier.consensus', { 'verifier.consensus': 1 }],
  ['verifier.consensus', { 'verifier.isTrained': true, 'verifier.consensus': 1, 'agents.protocol': 'vote' }],
  ['verifier.decides', { 'verifier.decides': true }],
  ['verifier.decides', { 'verifier.isTrained': true, 'verifier.decides': true, 'agents.protocol': 'vote' }],
  ['learning.frozen', { 'learning.frozen': [5] }],
  ['learning.frozen', { 'learning.frozen': [0, 1] }],
  ['learning.frozen', { 'learning.frozen': [1] }],
  ['learning.frozen', { 'agents.swapEvery': 100, 'learning.frozen': [1], 'agents.parameters': 'lora' }],
  ['agents.parameters', { 'agents.parameters': 'heterogeneous', 'agents.protocol': 'single' }],
  ['agents.otherSize', { 'agents.protocol': 'single', 'agents.otherSize': 'small' }],
  ['agents.otherVocabulary', { 'agents.otherVocabulary': 'joined' }],
  [
    'agents.otherSize',
    { 'agents.parameters': 'heterogeneous', 'agents.otherSize': 'micro', 'learning.learner': 'cory' },
  ],
  [
    'agents.swapEvery',
    { 'agents.parameters': 'heterogeneous', 'agents.otherVocabulary': 'joined', 'agents.swapEvery': 100 },
  ],
  [
    'agents.otherVocabulary',
    {
      'agents.parameters': 'heterogeneous',
      'agents.otherVocabulary': 'joined',
      'learning.learner': 'dpo',
      'learning.pairsFrom': 'imported',
    },
  ],
  ['learning.learner', { 'learning.learner': 'qmix', 'agents.candidates': 3 }],
  ['learning.groupKey', { 'agents.candidates': 3 }],
  ['reward.over', { 'agents.candidates': 2, 'learning.groupKey': 'problem+agent+turn' }],
  ['reward.across', { ...byTurn, ...dense, 'agents.candidates': 2 }],
  ['learning.aggregation', { ...tree, 'learning.aggregation': 'trajectory' }],
  ['verifier.isTrained', { ...tree, 'agents.protocol': 'debate', 'verifier.isTrained': true }],
  ['reward.influence', { ...tree, 'agents.protocol': 'debate', 'reward.influence': 'last' }],
  ['reward.shaping', { ...tree, 'reward.shaping': 0.5 }],
  ['reward.umadConfidence', { ...tree, 'reward.umadConfidence': 0.5 }],
  ['reward.umadInfluence', { ...tree, 'agents.protocol': 'debate', 'reward.umadInfluence': 0.5 }],
  ['reward.causal', { ...tree, 'reward.causal': 0.5 }],
  ['agents.protocol', { 'learning.learner': 'vdn', 'agents.protocol': 'single' }],
  ['agents.count', { 'learning.learner': 'vdn', 'agents.protocol': 'vote', 'agents.count': 1 }],
  ['reward.across', { 'learning.learner': 'vdn', 'reward.across': 'own' }],
  ['learning.groupSize', { 'learning.learner': 'vdn', 'learning.groupSize': 1 }],
  ['learning.aggregation', { 'learning.aggregation': 'token' }],
  ['learning.aggregation', { 'learning.ratioLevel': 'trajectory' }],
  ['learning.aggregation', { 'learning.ratioLevel': 'dialogue', 'learning.aggregation': 'trajectory' }],
  ['learning.aggregation', { ...tree, 'learning.aggregation': 'dialogue' }],
  ['learning.groupSize', { 'learning.groupSize': 1 }],
  ['learning.groupSize', { 'learning.groupSize': 1, 'learning.learner': 'rloo' }],
  ['learning.dualClip', { 'learning.dualClip': 1 }],
  ['learning.groupSize', { ...byTurn, ...dense, 'learning.groupSize': 1, 'learning.groupStd': false }],
  ['learning.filterGroups', { 'learning.groupKey': 'problem+agent', 'learning.filterGroups': true }],
  ['reward.across', { 'reward.across': 'dictator' }],
  ['reward.over', { 'learning.groupKey': 'problem+agent+turn' }],
  ['reward.shaping', { 'reward.shaping': 2 }],
  ['reward.shaping', { ...dense, 'reward.across': 'max', 'reward.shaping': 0.5 }],
  ['learning.outcomeShare', { 'learning.outcomeShare': 0.8, 'learning.learner': 'ppo' }],
  ['learning.groupKey', { ...byTurn, ...dense, 'learning.outcomeShare': 0.8 }],
  ['learning.groupSize', { 'learning.outcomeShare': 0.5, 'learning.groupSize': 1, 'learning.groupStd': false }],
  ['reward.umadConfidence', { 'learning.outcomeShare': 0.2, 'reward.umadConfidence': 0.5 }],
  ['learning.outcomeShare', { 'learning.outcomeShare': 0 }],
  ['learning.learner', { 'learning.learner': 'ppo', 'learning.ownFormula': formulaOf('groupMean', '0') }],
  ['learning.learner', { 'learning.learner': 'ppo', 'learning.ownFormula': formulaOf('leaveOneOut', '0') }],
  ['learning.learner', { 'learning.ownFormula': formulaOf('gae', '0') }],
  ['learning.switchEvery', { 'learning.switchEvery': 1 }],
  ['kl.estimator', { 'kl.estimator': 'k1', 'kl.place': 'loss' }],
  ['kl.isAdaptive', { 'kl.isAdaptive': true }],
  ['reward.own', { 'reward.own': { hint: 1 } }],
  ['learning.numMinibatches', { 'learning.numMinibatches': 32, 'learning.problemsPerIteration': 1 }],
  ['optimiser.beta2', { 'optimiser.beta2': 0, 'optimiser.learningRate': 1e-2 }],
  ['warmStart.source', { 'agents.finishEnds': 'afterReply' }],
  ['world.also', { 'world.also': [{ name: 'algebra', level: 1, weight: 1 }] }],
];

// The properties that one world lacks and another has, and the reward parts of one world in another world.
const forms: readonly WorldForm[] = shippedForms;
const mostLevels = Math.max(...forms.map(({ levels }) => levels.length));
const worldCases = forms.flatMap((form): [string, Settings][] => {
  const { name, levels, vocabularies, parts } = form;
  const foreign = Object.keys(otherVocabularies).filter((vocabulary) => !(vocabulary in vocabularies));
  const other = forms.find((one) => one.name !== name)?.name ?? name;
  return [
    ...(levels.length < mostLevels
      ? [['world.level', { 'world.name': name, 'world.level': mostLevels }] as [string, Settings]]
      : []),
    ...foreign.map((vocabulary): [string, Settings] => [
      'agents.otherVocabulary',
      { 'world.name': name, 'agents.otherVocabulary': vocabulary },
    ]),
    ...protocolNames
      .filter((protocol) => !protocolsFor(form).includes(protocol))
      .map((protocol): [string, Settings] => ['agents.protocol', { 'world.name': name, 'agents.protocol': protocol }]),
    ...parts.map((part): [string, Settings] => [
      `${name}.${part.name}`,
      { 'world.name': other, [`${name}.${part.name}`]: part.max },
    ]),
  ];
});

const configOf = (settings: Settings) => withSettings(presetConfig('default'), settings);

it.each([...cases, ...worldCases])('%s is refused for %o', (path, settings) => {
  expect(refusalOf(configOf(settings), startRules)?.path).toBe(path);
});

it('every row has a case', () => {
  const used = new Set(
    [...cases, ...worldCases].map(([, settings]) => startRules.findIndex(({ when }) => when(configOf(settings)))),
  );
  expect(startRules.flatMap(({ refusal }, i) => (used.has(i) ? [] : [`${i}: ${refusal(configOf({})).says}`]))).toEqual(
    [],
  );
});

const possible: readonly [what: string, settings: Settings][] = [
  [
    'hints between planner and reasoner, discounted',
    { 'reward.shaping': 0.5, 'reward.over': 'accumulated', 'reward.gammaTurn': 0.9 },
  ],
  [
    'hints in a debate',
    { 'agents.protocol': 'debate', 'reward.shaping': 0.5, 'reward.over': 'accumulated', 'warmStart.source': 'train' },
  ],
  ['one dialogue with several candidates a turn', { ...tree, 'learning.groupSize': 1 }],
  ['the same for RLOO', { ...tree, 'learning.groupSize': 1, 'learning.learner': 'rloo' }],
  [
    'an opening with team rewards for a whole run',
    { 'learning.learner': 'vdn', 'learning.teamRewardIterations': 5, 'run.iterations': 5 },
  ],
  ['a rank over the width where there are no adapters', { 'agents.loraRank': 64 }],
  ['unequal agents that are equal after all', { 'agents.parameters': 'heterogeneous' }],
  ['steps of the sign alone, which are as large as the learning rate', { 'optimiser.beta1': 0, 'optimiser.beta2': 0 }],
  ['outcomes and steps where steps are paid', { 'learning.outcomeShare': 0.8, 'reward.format': 0.1 }],
  ['voters who start as one agent does', { 'agents.protocol': 'vote' }],
];

it.each(possible)('%s is possible', (_, settings) => {
  expect(refusalOf(configOf(settings), startRules)).toBeNull();
});
