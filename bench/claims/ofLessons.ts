// Claims of the lessons and of the papers, each in the regimes in which it was tested.
import type { Claim, Regime } from './claim.ts';
import { usual, fast, epochs, fastEpochs, story, algebra, unheardArm } from './regimes.ts';

/** The iterations of both arms sample the same number of tokens, as in lesson 8. */
const asManyTokens: Regime = {
  words: 'one pass over single dialogues, as many tokens an iteration',
  settings: { optimiser: { warmupUpdates: 0 } },
  tokens: 80_000,
};
const single = { learner: 'reinforcePlusPlus', groupSize: 1, normAdv: true, updateEpochs: 1 } as const;
const recall: Regime = {
  words: 'two facts, the first long gone',
  settings: {
    world: { name: 'memory', level: 3 },
    agents: { protocol: 'memoryAlone' },
    learning: { problemsPerIteration: 16, outcomeShare: 0.8, groupStd: false },
  },
};
const tokenRatio = { ratioLevel: 'token', aggregation: 'token' } as const;
/** Ratios between 0 and 2, and no bound on the loss of a bad token. The settings allow no weaker clipping. */
const hardlyClipped = { clipLow: 1, clipHigh: 1, dualClip: 0, logratioClamp: 20 } as const;
const votersLearn = { ...single, problemsPerIteration: 88, numMinibatches: 4 } as const;
const talkersLearn = { ...single, problemsPerIteration: 256, numMinibatches: 8 } as const;

export const ofLessons: readonly Claim[] = [
  {
    id: 'unheard',
    statement: 'The two learn less if the reasoner never hears the planner.',
    source: 'this project',
    arms: [unheardArm, { label: 'messages that are heard', settings: {} }],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [usual],
  },
  {
    id: 'shuffled',
    statement:
      'The two give fewer right answers if messages come from other dialogues: the content counts, not that something is said.',
    source: 'this project',
    arms: [
      { label: 'messages of other dialogues', settings: { agents: { shuffled: 'all' } } },
      { label: 'messages of one dialogue', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [usual],
  },
  {
    id: 'no-clip',
    statement: 'The team learns less if ratios are hardly clipped.',
    source: 'PPO 1707.06347',
    arms: [
      { label: 'ratios clipped below 0 and above 2', settings: { learning: { ...tokenRatio, ...hardlyClipped } } },
      { label: 'ratios clipped below 0.8 and above 1.2', settings: { learning: tokenRatio } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [
      { ...epochs, words: 'six epochs, ratios by token' },
      { ...fastEpochs, words: 'six epochs, ratios by token, at a learning rate of 1e-3' },
      {
        words: 'ten epochs, ratios by token',
        settings: { learning: { updateEpochs: 10 } },
      },
    ],
  },
  {
    id: 'network-each',
    statement: 'The agents learn more with a network each, so twice the parameters, than with one for both.',
    source: 'AT-GRPO 2510.11062',
    arms: [
      { label: 'a network each', settings: { agents: { parameters: 'separate' } } },
      { label: 'one network for both', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'higher',
    regimes: [usual, fast, story, algebra],
  },
  {
    id: 'credit-by-message',
    statement:
      'The team learns more with the credit of VDN, by message, than with GRPO, which pays all messages of a dialogue alike.',
    source: 'VDN 1706.05296',
    arms: [
      { label: 'each message by its value (VDN)', settings: { learning: { learner: 'vdn' } } },
      { label: 'all messages of a dialogue alike (GRPO)', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'higher',
    regimes: [usual, fast, story, algebra],
  },
  {
    id: 'vote',
    statement: 'With the same number of tokens, three agents who vote give fewer right answers than two who talk.',
    source: 'this project',
    arms: [
      {
        label: 'three who vote',
        settings: {
          agents: { protocol: 'vote' },
          reward: { across: 'mean' },
          learning: votersLearn,
        },
      },
      { label: 'two who talk', settings: { learning: talkersLearn } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [asManyTokens],
  },
  {
    id: 'vote-later',
    statement: 'Given many tokens, three agents who vote give more right answers than two who talk.',
    source: 'this project',
    arms: [
      { label: 'three who vote', settings: { agents: { protocol: 'vote' }, reward: { across: 'own' } } },
      { label: 'two who talk', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'higher',
    regimes: [
      {
        words: 'GRPO, compared agent by agent, five times as many tokens',
        settings: { learning: { groupKey: 'problem+agent' } },
        tokens: 400_000,
      },
    ],
  },
  {
    id: 'no-recall',
    statement: 'A reader that cannot call back old notes gives fewer right answers.',
    source: 'ReMemR1 2509.23040',
    arms: [
      { label: 'no recall', settings: { memory: { kept: 2, calledBack: 1, recall: false } } },
      { label: 'recall', settings: { memory: { kept: 2, calledBack: 1 } } },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [recall],
  },
  {
    id: 'no-demonstrations',
    statement: 'From random weights, the team learns less than from a warm start.',
    source: 'this project',
    arms: [
      { label: 'random weights', settings: { warmStart: { source: 'none' } } },
      { label: 'a warm start', settings: {} },
    ],
    measure: 'accuracy',
    direction: 'lower',
    regimes: [usual],
  },
];
