// The regimes in which claims are looked for, and the settings that arms of several claims share.
import type { ConfigInput } from '../../src/config/schema.ts';
import type { Regime } from './claim.ts';

export const usual: Regime = { words: 'house rule, level 1' };
export const fast: Regime = { words: 'learning rate 1e-3', settings: { optimiser: { learningRate: 1e-3 } } };
export const epochs: Regime = { words: 'six epochs', settings: { learning: { updateEpochs: 6 } } };
export const fastEpochs: Regime = {
  words: 'six epochs at a learning rate of 1e-3',
  settings: { learning: { updateEpochs: 6 }, optimiser: { learningRate: 1e-3 } },
};
export const small: Regime = {
  words: 'eight problems an iteration, in four minibatches',
  settings: { learning: { problemsPerIteration: 8, numMinibatches: 4 } },
};
export const story: Regime = { words: 'word problems', settings: { world: { name: 'wordProblems' } } };
export const algebra: Regime = { words: 'algebra', settings: { world: { name: 'algebra' } } };
export const separate: Regime = { words: 'a network each', settings: { agents: { parameters: 'separate' } } };

export const parts = { houseRule: { legalOperation: 0.25, rewrite: 0.5 } } as const;
export const accumulated = { reward: { over: 'accumulated' }, ...parts } as const;
export const byTurn = { learner: 'grpo', groupKey: 'problem+agent+turn' } as const;
/** VDN and QMIX without the two deviations that the learners' bench needs (docs/log.md). */
export const asWritten = { mixingResidual: 0, targetRate: 0.005 } as const;
/** CORY's two answer at length: fewer iterations for as many tokens, and a smaller step, since each learns two roles. */
export const pair: Regime = {
  words: 'pioneer and observer, each with a network',
  settings: {
    agents: { protocol: 'pioneerObserver', parameters: 'separate' },
    warmStart: { source: 'train' },
    kl: { place: 'reward' },
    optimiser: { learningRate: 1e-4 },
  },
  tokens: 300_000,
};
export const fasterPair: Regime = {
  ...pair,
  words: 'the same at a learning rate of 3e-4',
  settings: { ...pair.settings, optimiser: { learningRate: 3e-4 } },
};
export const exchanged = ({ words, settings, ...rest }: Regime): Regime => ({
  ...rest,
  words: `${words}, roles exchanged every 5 iterations`,
  settings: { ...settings, agents: { ...settings?.agents, swapEvery: 5 } },
});
export const alone: Regime = { words: 'one agent', settings: { agents: { protocol: 'single' } } };
export const aloneStory: Regime = {
  words: 'one agent, word problems',
  settings: { agents: { protocol: 'single' }, world: { name: 'wordProblems' } },
};
const court = { world: { name: 'debate' }, agents: { protocol: 'inTurn' } } as const;
export const zeroSum: Regime = {
  words: 'two debaters with a network each, paid for their victory',
  settings: {
    world: court.world,
    agents: { ...court.agents, parameters: 'separate' },
    reward: { rightAnswer: 0, across: 'own' },
    debate: { victory: 1 },
    learning: { learner: 'grpo', groupKey: 'problem+agent' },
  },
};
export const cooperative: Regime = {
  words: 'two debaters paid for the truth',
  settings: { ...court, reward: { across: 'mean' } },
};
export const notes: Regime = {
  words: 'a note to oneself',
  settings: {
    world: { name: 'memory' },
    agents: { protocol: 'memoryLoop' },
    learning: { problemsPerIteration: 16 },
  },
};
export const tools: Regime = {
  words: 'alone with tools',
  settings: { world: { name: 'tools' }, agents: { protocol: 'toolLoop' } },
};
export const planTools: Regime = { words: 'planner and executor with tools', settings: { world: { name: 'tools' } } };

export const verified = (isBalanced: boolean): ConfigInput => ({ verifier: { isTrained: true, isBalanced } });
