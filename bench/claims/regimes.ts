// The regimes in which claims are tested, and the settings common to the arms of several claims.
import type { ConfigInput } from '../../src/config/schema.ts';
import { together, type Arm, type Regime } from './claim.ts';

/** A regime with more settings, with its own description. */
const further = (regime: Regime, { settings = {}, ...rest }: Regime): Regime => ({
  ...regime,
  ...rest,
  settings: together(regime.settings ?? {}, settings),
});

/** The reasoner hears the planner neither in training nor in a warm start of its own. */
const neverHeard = { agents: { unheard: 'first' }, warmStart: { source: 'train', unheard: true } } as const;
export const unheardArm: Arm = { label: 'a reasoner that never heard the planner', settings: neverHeard };
/** The second arm of a claim, but with a reasoner that never hears the planner. */
export const unheardControl = ({ settings }: Arm): Arm => ({
  label: 'the second arm, with a reasoner that never heard the planner',
  settings: together(settings, neverHeard),
});

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
export const fastSmall = further(small, {
  words: 'eight problems an iteration, in four minibatches, at a learning rate of 1e-3',
  settings: fast.settings ?? {},
});
export const story: Regime = { words: 'word problems', settings: { world: { name: 'wordProblems' } } };
export const algebra: Regime = { words: 'algebra', settings: { world: { name: 'algebra' } } };
export const separate: Regime = { words: 'a network each', settings: { agents: { parameters: 'separate' } } };
export const tenEpochs: Regime = { words: 'ten epochs', settings: { learning: { updateEpochs: 10 } } };
export const levelTwo: Regime = { words: 'house rule, level 2', settings: { world: { level: 2 } } };
export const longer: Regime = { words: 'house rule, level 1, three times as long', tokens: 360_000 };
/** The last plan is answered, so a dialogue has one more turn. */
export const afterReply: Regime = {
  words: 'the last plan is answered',
  settings: { agents: { finishEnds: 'afterReply' }, warmStart: { source: 'train' } },
};

export const shortcut: Regime = { words: 'a warm start that knows a shortcut', hasShortcuts: true };
export const fastShortcut: Regime = {
  ...shortcut,
  ...fast,
  words: 'a warm start that knows a shortcut, at a learning rate of 1e-3',
};
export const ownShortcut: Regime = {
  ...shortcut,
  ...separate,
  words: 'a warm start that knows a shortcut, a network each',
};
export const longShortcut: Regime = {
  ...ownShortcut,
  words: 'a warm start that knows a shortcut, a network each, three times as long',
  tokens: 360_000,
};
export const smallShortcut = further(ownShortcut, {
  words: 'a warm start that knows a shortcut, a network each, eight problems an iteration, in four minibatches',
  settings: small.settings ?? {},
});
/** After this many steps the shortcut is right about as often as the long way, so the team may choose either. */
export const learnedShortcut = further(ownShortcut, {
  words: 'a network each, and a shortcut that was learned four times as long',
  settings: { warmStart: { source: 'train', steps: 6000 } },
});
/** The long way takes seven turns, and the shortcut three. */
export const deepShortcut = further(ownShortcut, {
  words: 'a network each, level 2, and a warm start that knows a shortcut',
  settings: { world: { level: 2 } },
});

export const parts = { houseRule: { legalOperation: 0.25, rewrite: 0.5 } } as const;
export const accumulated = { reward: { over: 'accumulated' }, ...parts } as const;
export const byTurn = { learner: 'grpo', groupKey: 'problem+agent+turn' } as const;
/** VDN and QMIX without the two deviations that the learners' bench requires (docs/log.md). */
export const asWritten = { mixingResidual: 0, targetRate: 0.005 } as const;
/**
 * CORY's two agents give long answers: fewer iterations for the same number of tokens, and a smaller step, since each
 * learns two roles.
 */
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
  words: 'pioneer and observer, each with a network, at a learning rate of 3e-4',
  settings: { ...pair.settings, optimiser: { learningRate: 3e-4 } },
};
/** As in CORY: both read the question, so the roles differ only in which agent hears the other. */
export const bothSee = further(pair, {
  words: 'pioneer and observer who both see the rule',
  settings: { agents: { informed: 'all' } },
});
export const bothSeeFaster = further(bothSee, {
  words: 'pioneer and observer who both see the rule, at a learning rate of 3e-4',
  settings: { optimiser: { learningRate: 3e-4 } },
});
export const smallPair = further(pair, {
  words: 'pioneer and observer, eight problems an iteration, in four minibatches',
  settings: small.settings ?? {},
});
export const longPair: Regime = {
  ...pair,
  words: 'pioneer and observer, three times as long',
  tokens: 900_000,
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
/**
 * Some questions are hardly ever answered correctly, others mostly: a verifier can learn from such differences in
 * difficulty.
 */
export const unlikeSums = further(alone, {
  words: 'one agent, sums of level 1 and of level 3',
  settings: { world: { also: [{ name: 'houseRule', level: 3, weight: 1 }] } },
});
export const unlikeStories = further(aloneStory, {
  words: 'one agent, word problems of level 1 and of level 3',
  settings: { world: { name: 'wordProblems', also: [{ name: 'wordProblems', level: 3, weight: 1 }] } },
});
export const hurriedVerifier = further(alone, {
  words: 'one agent, a verifier of two steps an iteration',
  settings: { verifier: { steps: 2 } },
});
export const manyTries = further(alone, {
  words: 'one agent, thirty-two rollouts of eight problems',
  settings: { learning: { groupSize: 32, problemsPerIteration: 8 } },
});
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
export const oneNetworkZeroSum = further(zeroSum, {
  words: 'two debaters with one network, paid for their victory',
  settings: { agents: { parameters: 'shared' } },
});
export const longZeroSum: Regime = {
  ...zeroSum,
  words: 'two debaters with a network each, paid for their victory, three times as long',
  tokens: 360_000,
};
export const fastZeroSum = further(zeroSum, {
  words: 'two debaters with a network each, paid for their victory, at a learning rate of 1e-3',
  settings: { optimiser: { learningRate: 1e-3 } },
});
export const smallZeroSum = further(zeroSum, {
  words: 'two debaters with a network each, paid for their victory, eight problems an iteration, in four minibatches',
  settings: small.settings ?? {},
});
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

/**
 * A dialogue may continue without an answer: it has room for more calls, it is rewarded without an answer, and an
 * answer is worth only a quarter.
 */
export const spammed = further(tools, {
  words: 'alone with tools, room for six calls, an answer paid 0.25 and not asked for',
  settings: { agents: { roundLimit: 6, maskUnfinished: false }, reward: { rightAnswer: 0.25 } },
});
export const verified = (isBalanced: boolean): ConfigInput => ({ verifier: { isTrained: true, isBalanced } });
