// The claims, each with where it was published, and the regimes in which it was looked for.
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Claim, Regime } from './claim.ts';

const usual: Regime = { words: 'house rule, level 1' };
const fast: Regime = { words: 'learning rate 1e-3', settings: { optimiser: { learningRate: 1e-3 } } };
const epochs: Regime = { words: 'six epochs', settings: { learning: { updateEpochs: 6 } } };
const fastEpochs: Regime = {
  words: 'six epochs at a learning rate of 1e-3',
  settings: { learning: { updateEpochs: 6 }, optimiser: { learningRate: 1e-3 } },
};
const small: Regime = {
  words: 'eight problems an iteration, in four minibatches',
  settings: { learning: { problemsPerIteration: 8, numMinibatches: 4 } },
};
const story: Regime = { words: 'word problems', settings: { world: { name: 'wordProblems' } } };
const algebra: Regime = { words: 'algebra', settings: { world: { name: 'algebra' } } };
const separate: Regime = { words: 'a network each', settings: { agents: { parameters: 'separate' } } };

const parts = { houseRule: { legalOperation: 0.25, rewrite: 0.5 } } as const;
const accumulated = { reward: { over: 'accumulated' }, ...parts } as const;
const byTurn = { learner: 'grpo', groupKey: 'problem+agent+turn' } as const;
/** VDN and QMIX without the two deviations that the learners' bench needs (docs/log.md). */
const asWritten = { mixingResidual: 0, targetRate: 0.005 } as const;
/** CORY's two answer at length: fewer iterations for as many tokens, and a smaller step, since each learns two roles. */
const pair: Regime = {
  words: 'pioneer and observer, each with a network',
  settings: {
    agents: { protocol: 'pioneerObserver', parameters: 'separate' },
    warmStart: { source: 'train' },
    kl: { place: 'reward' },
    optimiser: { learningRate: 1e-4 },
  },
  tokens: 300_000,
};
const fasterPair: Regime = {
  ...pair,
  words: 'the same at a learning rate of 3e-4',
  settings: { ...pair.settings, optimiser: { learningRate: 3e-4 } },
};
const exchanged = ({ words, settings, ...rest }: Regime): Regime => ({
  ...rest,
  words: `${words}, roles exchanged every 5 iterations`,
  settings: { ...settings, agents: { ...settings?.agents, swapEvery: 5 } },
});
const alone: Regime = { words: 'one agent', settings: { agents: { protocol: 'single' } } };
const aloneStory: Regime = {
  words: 'one agent, word problems',
  settings: { agents: { protocol: 'single' }, world: { name: 'wordProblems' } },
};
const court = { world: { name: 'debate' }, agents: { protocol: 'inTurn' } } as const;
const zeroSum: Regime = {
  words: 'two debaters with a network each, paid for their victory',
  settings: {
    world: court.world,
    agents: { ...court.agents, parameters: 'separate' },
    reward: { rightAnswer: 0, across: 'own' },
    debate: { victory: 1 },
    learning: { learner: 'grpo', groupKey: 'problem+agent' },
  },
};
const cooperative: Regime = {
  words: 'two debaters paid for the truth',
  settings: { ...court, reward: { across: 'mean' } },
};
const notes: Regime = {
  words: 'a note to oneself',
  settings: {
    world: { name: 'memory' },
    agents: { protocol: 'memoryLoop' },
    learning: { problemsPerIteration: 16 },
  },
};
const tools: Regime = {
  words: 'alone with tools',
  settings: { world: { name: 'tools' }, agents: { protocol: 'toolLoop' } },
};
const planTools: Regime = { words: 'planner and executor with tools', settings: { world: { name: 'tools' } } };

const verified = (isBalanced: boolean): ConfigInput => ({ verifier: { isTrained: true, isBalanced } });

export const claims: readonly Claim[] = [
  {
    id: 'turn-ratio',
    statement: 'With a ratio for each token the team learns less than with one for each turn.',
    source: 'ReMA 2503.09501',
    arms: [
      { label: 'ratio by token', settings: { learning: { ratioLevel: 'token', aggregation: 'token' } } },
      { label: 'ratio by turn', settings: { learning: { ratioLevel: 'turn', aggregation: 'turn' } } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [usual, fast, epochs, fastEpochs, small, story, algebra, tools],
    confirmed: epochs.words,
  },
  {
    id: 'lazy-by-length',
    statement: 'Where every dialogue weighs the same, a turn weighs 1/T, and turns get fewer.',
    source: 'Dr. MAMR 2511.02303',
    arms: [
      { label: 'every dialogue weighs the same', settings: { learning: { aggregation: 'trajectory' } } },
      { label: 'every turn weighs the same', settings: { learning: { aggregation: 'turn' } } },
    ],
    measure: 'turns',
    direction: 'lower',
    regimes: [
      { words: 'a warm start that knows a shortcut', hasShortcuts: true },
      { ...fast, words: 'the same at a learning rate of 1e-3', hasShortcuts: true },
      { ...separate, words: 'the same with a network each', hasShortcuts: true },
      tools,
      planTools,
      { words: 'grid planning', settings: { world: { name: 'grid' } } },
    ],
  },
  {
    id: 'lazy-agent',
    statement: 'Where short turns are paid, the agents fall silent: the message is worth less to the team.',
    source: 'this project, after Dr. MAMR 2511.02303',
    arms: [
      { label: 'short turns paid 1', settings: { reward: { length: 1 } } },
      { label: 'the right answer alone paid', settings: { reward: { length: 0 } } },
    ],
    measure: 'influence',
    direction: 'lower',
    regimes: [usual, separate, story, cooperative, notes],
    confirmed: story.words,
  },
  {
    id: 'collapse',
    statement: 'At too high a learning rate the team falls below its warm start.',
    source: 'prototype of Cothink',
    arms: [
      { label: 'learning rate 1e-2', settings: { optimiser: { learningRate: 1e-2 } } },
      { label: 'learning rate 3e-4', settings: {} },
    ],
    measure: 'loss',
    direction: 'higher',
    regimes: [{ ...usual, tokens: 60_000 }],
    confirmed: usual.words,
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
    confirmed: usual.words,
  },
  {
    id: 'mixed-prompts',
    statement: 'Groups that mix prompts learn less than clean ones.',
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
    ],
    confirmed: small.words,
  },
  {
    id: 'mixed-turns',
    statement: 'Groups that mix turns and roles learn less than clean ones.',
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
    confirmed: small.words,
  },
  {
    id: 'too-much-step-reward',
    statement: 'Paying steps too much next to the result is worse than not paying them.',
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
    confirmed: 'PPO by turn',
  },
  {
    id: 'no-role-exchange',
    statement: 'Without the exchange of roles the two of CORY learn less.',
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
    regimes: [pair, fasterPair],
  },
  {
    id: 'no-shared-reward',
    statement: 'Without a shared reward the two of CORY learn less.',
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
    regimes: [exchanged(pair), exchanged(fasterPair)],
  },
  {
    id: 'verifier-of-difficulty',
    statement: 'A verifier that is not balanced for each question learns little of the answers.',
    source: 'MAPoRL 2502.18439',
    arms: [
      { label: 'learns from all answers as they come', settings: verified(false) },
      { label: 'learns from as many right as wrong answers to each question', settings: verified(true) },
    ],
    measure: 'withinQuestion',
    direction: 'lower',
    regimes: [alone, aloneStory],
    confirmed: alone.words,
  },
  {
    id: 'gamed-verifier',
    statement: 'Where the verifier alone pays, the agent learns what it mistakes for right.',
    source: 'MAPoRL 2502.18439; this project',
    arms: [
      {
        label: 'the verifier alone pays',
        settings: { verifier: { isTrained: true, reward: 1 }, reward: { rightAnswer: 0 } },
      },
      { label: 'the world pays', settings: { verifier: { isTrained: true } } },
    ],
    measure: 'loss',
    direction: 'higher',
    regimes: [alone, aloneStory],
    confirmed: alone.words,
  },
  {
    id: 'paid-for-length',
    statement: 'Before a judge who counts words the sides learn to talk, and the truth loses.',
    source: 'this project, after debate as oversight 1805.00899',
    arms: [
      { label: 'the judge counts words', settings: { world: { level: 4 }, warmStart: { source: 'train' } } },
      { label: 'the judge follows the evidence', settings: { world: { level: 1 } } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [zeroSum, cooperative],
    confirmed: cooperative.words,
  },
  {
    id: 'paid-for-calls',
    statement: 'Where well-formed calls are paid, the agent calls on and on, and answers less.',
    source: 'this project, after tool use in Search-R1 2503.09516',
    arms: [
      {
        label: 'well-formed calls paid 1',
        settings: { reward: { over: 'sparse' }, tools: { wellFormedCall: 1, waste: 0 } },
      },
      { label: 'the answer paid, less what was wasted', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [tools],
  },
  ...(['vdn', 'qmix'] as const).map((learner): Claim => ({
    id: `${learner}-values-alone`,
    statement: `A message that is paid what ${learner.toUpperCase()} says it is worth, and nothing else, is paid for the errors of the critic.`,
    source: 'this project',
    arms: [
      { label: 'its own value alone', settings: { learning: { learner, ...asWritten } } },
      { label: 'and what the critic missed', settings: { learning: { learner } } },
    ],
    measure: 'loss',
    direction: 'higher',
    regimes: [usual],
    confirmed: usual.words,
  })),
];
