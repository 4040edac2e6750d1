// The claims, each with its source, and the regimes in which it is explored.
import type { Claim } from './claim.ts';
import { ofLessons } from './ofLessons.ts';
import {
  usual,
  fast,
  epochs,
  fastEpochs,
  small,
  fastSmall,
  story,
  algebra,
  separate,
  parts,
  accumulated,
  byTurn,
  asWritten,
  pair,
  fasterPair,
  exchanged,
  alone,
  aloneStory,
  zeroSum,
  cooperative,
  notes,
  tools,
  planTools,
  verified,
  tenEpochs,
  levelTwo,
  longer,
  afterReply,
  shortcut,
  fastShortcut,
  ownShortcut,
  longShortcut,
  smallShortcut,
  learnedShortcut,
  deepShortcut,
  bothSee,
  bothSeeFaster,
  smallPair,
  longPair,
  unlikeSums,
  unlikeStories,
  hurriedVerifier,
  manyTries,
  oneNetworkZeroSum,
  longZeroSum,
  fastZeroSum,
  smallZeroSum,
  spammed,
  unheardControl,
} from './regimes.ts';

const judges: Claim['arms'] = [
  { label: 'the judge counts words', settings: { world: { level: 4 }, warmStart: { source: 'train' } } },
  { label: 'the judge follows the evidence', settings: { world: { level: 1 } } },
];

const planned: readonly Claim[] = [
  {
    id: 'turn-ratio',
    statement: 'With ratio and loss by token, the team learns less than with both by turn.',
    source: 'ReMA 2503.09501',
    arms: [
      { label: 'ratio by token', settings: { learning: { ratioLevel: 'token', aggregation: 'token' } } },
      { label: 'ratio by turn', settings: { learning: { ratioLevel: 'turn', aggregation: 'turn' } } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [
      usual,
      fast,
      epochs,
      fastEpochs,
      small,
      story,
      algebra,
      tools,
      tenEpochs,
      separate,
      levelTwo,
      longer,
      afterReply,
    ],
  },
  {
    id: 'lazy-by-length',
    statement: 'If all dialogues count the same, dialogues get shorter than if all turns count the same.',
    source: 'Dr. MAMR 2511.02303',
    arms: [
      {
        label: 'every dialogue weighs the same',
        settings: { learning: { aggregation: 'trajectory' } },
      },
      { label: 'every turn weighs the same', settings: { learning: { aggregation: 'turn' } } },
    ],
    measure: 'turns',
    direction: 'lower',
    regimes: [
      shortcut,
      fastShortcut,
      ownShortcut,
      tools,
      planTools,
      { words: 'grid planning', settings: { world: { name: 'grid' } } },
      longShortcut,
      smallShortcut,
      learnedShortcut,
      deepShortcut,
    ],
  },
  {
    id: 'lazy-agent',
    statement: 'If short turns are paid, an agent is silent more often.',
    source: 'this project, after Dr. MAMR 2511.02303',
    arms: [
      { label: 'short turns paid 1', settings: { reward: { length: 1 } } },
      { label: 'the right answer alone paid', settings: { reward: { length: 0 } } },
    ],
    measure: 'silence',
    direction: 'higher',
    regimes: [usual, separate, story, cooperative, notes],
  },
  {
    id: 'collapse',
    statement: 'If the learning rate is too high, the team gains less accuracy, or even loses some.',
    source: 'prototype of Cothink',
    arms: [
      { label: 'learning rate 1e-2', settings: { optimiser: { learningRate: 1e-2 } } },
      { label: 'learning rate 3e-4', settings: {} },
    ],
    measure: 'gain',
    direction: 'lower',
    regimes: [{ ...usual, tokens: 60_000 }],
  },
  {
    id: 'too-fast',
    statement: 'At a learning rate of 1e-3 the team learns less than at 3e-4.',
    source: 'prototype of Cothink',
    arms: [
      { label: 'learning rate 1e-3', settings: { optimiser: { learningRate: 1e-3 } } },
      { label: 'learning rate 3e-4', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [usual],
  },
  {
    id: 'mixed-prompts',
    statement: 'A team learns less from groups that mix prompts than from clean ones.',
    source: 'AT-GRPO 2510.11062',
    arms: [
      { label: 'groups of different problems', settings: {}, groups: 'ofDifferentProblems' },
      { label: 'groups of one problem', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [
      usual,
      small,
      { words: 'four rollouts a problem', settings: { learning: { groupSize: 4 } } },
      {
        words: 'half of the problems of another world',
        settings: {
          world: { name: 'wordProblems', also: [{ name: 'wordProblems', level: 3, weight: 1 }] },
        },
      },
      algebra,
      tools,
      fast,
      fastSmall,
      levelTwo,
    ],
  },
  {
    id: 'mixed-turns',
    statement: 'A team learns less from groups that mix turns and roles than from clean ones.',
    source: 'AT-GRPO 2510.11062',
    arms: [
      {
        label: 'groups of all turns of both agents',
        settings: { ...accumulated, learning: byTurn },
        groups: 'ofDifferentTurns',
      },
      { label: 'groups of one turn of one agent', settings: { ...accumulated, learning: byTurn } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [usual, fast, small, separate],
  },
  {
    id: 'too-much-step-reward',
    statement: 'Paying steps too much compared with the result is worse than not paying them.',
    source: 'ReMemR1 2509.23040',
    arms: [
      { label: 'plans and rewrites paid up to 1.5 in all', settings: parts },
      { label: 'the right answer alone paid', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [
      {
        words: 'PPO by turn',
        settings: { reward: { over: 'dense' }, learning: { learner: 'ppo', gaeLevel: 'turn' } },
      },
    ],
  },
  {
    id: 'no-role-exchange',
    statement: 'The two agents of CORY learn less without the exchange of roles.',
    source: 'CORY 2410.06101',
    arms: [
      { label: 'roles kept', settings: { agents: { swapEvery: 0 }, learning: { learner: 'cory' } } },
      {
        label: 'roles exchanged every 5 iterations',
        settings: { agents: { swapEvery: 5 }, learning: { learner: 'cory' } },
      },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [pair, fasterPair, bothSee, bothSeeFaster, smallPair, longPair],
  },
  {
    id: 'no-shared-reward',
    statement:
      'The two agents of CORY learn less if each is paid for its own answer and compared with its own role only.',
    source: 'CORY 2410.06101',
    arms: [
      {
        label: 'each paid for its own answer',
        settings: { reward: { across: 'own' }, learning: { learner: 'grpo', groupKey: 'problem+agent' } },
      },
      { label: 'both paid for both', settings: { learning: { learner: 'cory' } } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [pair, fasterPair, bothSee, bothSeeFaster, smallPair, longPair].map(exchanged),
  },
  {
    id: 'verifier-of-difficulty',
    statement:
      'A verifier that is not balanced for each question is worse at telling right from wrong answers to one question.',
    source: 'MAPoRL 2502.18439',
    arms: [
      { label: 'learns from all answers as they come', settings: verified(false) },
      { label: 'learns from as many right as wrong answers to each question', settings: verified(true) },
    ],
    measure: 'withinQuestion',
    direction: 'lower',
    regimes: [alone, aloneStory, unlikeSums, unlikeStories, hurriedVerifier, manyTries],
  },
  {
    id: 'gamed-verifier',
    statement: 'If the verifier alone pays, the agent gains less accuracy, or even loses some.',
    source: 'MAPoRL 2502.18439; this project',
    arms: [
      {
        label: 'the verifier alone pays',
        settings: { verifier: { isTrained: true, reward: 1 }, reward: { rightAnswer: 0 } },
      },
      { label: 'the world pays', settings: { verifier: { isTrained: true } } },
    ],
    measure: 'gain',
    direction: 'lower',
    regimes: [alone, aloneStory],
  },
  {
    id: 'paid-for-length',
    statement:
      'If the judge counts words, training lets the truth win less often than if the judge follows the evidence.',
    source: 'this project, after debate as oversight 1805.00899',
    arms: judges,
    measure: 'gain',
    direction: 'lower',
    regimes: [zeroSum, cooperative, oneNetworkZeroSum, longZeroSum, fastZeroSum, smallZeroSum],
  },
  {
    // This is a separate claim, because agents that start with a judge who counts words are seldom right, even before
    // any learning.
    id: 'talk-for-the-judge',
    statement: 'If the judge counts words, sides that are paid for their victory learn to talk more.',
    source: 'this project, after debate as oversight 1805.00899',
    arms: judges,
    measure: 'lengthGained',
    direction: 'higher',
    regimes: [zeroSum, oneNetworkZeroSum, longZeroSum, fastZeroSum, smallZeroSum],
  },
  {
    id: 'paid-for-calls',
    statement: 'If well-formed calls are paid, the agent gives fewer right answers.',
    source: 'this project, after tool use in Search-R1 2503.09516',
    arms: [
      {
        label: 'well-formed calls paid 1',
        settings: { reward: { over: 'sparse' }, tools: { wellFormedCall: 1, waste: 0 } },
      },
      {
        label: 'the answer alone paid',
        settings: { reward: { over: 'sparse' }, tools: { wellFormedCall: 0, waste: 0 } },
      },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [tools, spammed],
  },
  ...ofLessons,
  ...(['vdn', 'qmix'] as const).map((learner): Claim => ({
    id: `${learner}-values-alone`,
    statement: `If a message is paid only what ${learner.toUpperCase()} says it is worth, the team gains less accuracy, or even loses some.`,
    source: 'this project',
    arms: [
      { label: 'its own value alone', settings: { learning: { learner, ...asWritten } } },
      {
        label: 'and what the critic missed',
        settings: { learning: { learner, targetRate: asWritten.targetRate } },
      },
    ],
    measure: 'gain',
    direction: 'lower',
    regimes: [usual],
  })),
];

/** Claims about two who talk. Their control shows how much of the accuracy of the second arm needs the talking. */
const controlled = new Set([
  ...['turn-ratio', 'too-fast', 'mixed-prompts', 'mixed-turns', 'too-much-step-reward', 'no-clip', 'network-each'],
  ...['credit-by-message', 'shuffled', 'vote', 'vote-later'],
]);

export const claims: readonly Claim[] = planned.map((claim) =>
  controlled.has(claim.id) ? { ...claim, control: unheardControl(claim.arms[1]) } : claim,
);
