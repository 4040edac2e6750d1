// Published failures and how each is provoked here: an arm that should fail beside one that should not, as many sampled
// tokens and the same seeds for both, and the measures in which the failure would show.
import { mean } from '../../src/base/stats.ts';
import type { ConfigInput } from '../../src/config/schema.ts';
import type { BudgetRun } from '../shared/trainUntil.ts';
import type { WrongGroups } from './wrongGroups.ts';

export interface Arm {
  words: string;
  /** Or the row of learners/plan.ts that is this arm, which is read from there. */
  settings: ConfigInput | { row: string };
  /** Where it takes more than the learners' bench has. */
  tokens?: number;
  /** The bench puts this wrong learner in GRPO's place. */
  groups?: WrongGroups;
  /** Starts from the warm start that knows dialogues of three turns as well. */
  hasShortcuts?: boolean;
}

interface Measure {
  words: string;
  of: (run: BudgetRun) => number;
  /** What the failure does to it. */
  failing: 'lower' | 'higher';
  /** Less than this is no failure, however sure it is. */
  least: number;
}

export interface Failure {
  name: string;
  /** What was published. */
  claim: string;
  source: string;
  arm: ArmName;
  beside: ArmName;
  measures: readonly Measure[];
}

const newest = (curve: readonly number[]) => mean(curve.slice(-5));
const accuracy: Measure = { words: 'accuracy', of: ({ after }) => after.accuracy, failing: 'lower', least: 0.02 };
const turns: Measure = { words: 'turns of a dialogue', of: (run) => newest(run.turns), failing: 'lower', least: 0.05 };
const tokens: Measure = {
  words: 'tokens of a turn',
  of: (run) => newest(run.tokensPerTurn),
  failing: 'lower',
  least: 0.05,
};
const influence: Measure = {
  words: 'accuracy lost when the message is masked',
  of: ({ after, maskedAfter }) => after.accuracy - (maskedAfter ?? Number.NaN),
  failing: 'lower',
  least: 0.02,
};
const causalInfluence: Measure = {
  words: 'causal influence of a message, nats',
  of: ({ latest }) => latest['charts/causal_influence'] ?? Number.NaN,
  failing: 'lower',
  least: 0.05,
};
/** A team that gains less has not collapsed: it must fall below its start. */
const loss: Measure = {
  words: 'accuracy below the warm start',
  of: ({ before, after }) => Math.max(0, before.accuracy - after.accuracy),
  failing: 'higher',
  least: 0.02,
};

const withinQuestion: Measure = {
  words: 'AUC of the verifier within a question',
  of: ({ latest }) => latest['charts/verifier_auc_within'] ?? Number.NaN,
  failing: 'lower',
  least: 0.02,
};
/** What it knows of questions alone. */
const ofDifficulty: Measure = {
  words: 'AUC over all questions less AUC within a question',
  of: ({ latest }) =>
    (latest['charts/verifier_auc'] ?? Number.NaN) - (latest['charts/verifier_auc_within'] ?? Number.NaN),
  failing: 'higher',
  least: 0.02,
};

/** CORY's two answer at length: fewer iterations for as many tokens, and a smaller step, since each learns two roles. */
const pair = { protocol: 'pioneerObserver', parameters: 'separate' } as const;
const held = { kl: { place: 'reward' }, optimiser: { learningRate: 1e-4 } } as const;
const pairTokens = 300_000;
/** The default preset samples about 3,800 tokens an iteration. */
const fortyIterations = 160_000;
const byTurnCritic = { learner: 'ppo', gaeLevel: 'turn' } as const;
const accumulated = { reward: { over: 'accumulated' }, houseRule: { legalOperation: 0.25, rewrite: 0.5 } } as const;
/** Without the two deviations that the learners' bench needs (docs/log.md). */
const asWritten = { mixingResidual: 0, targetRate: 0.005 } as const;
const byTurn = { learner: 'grpo', groupKey: 'problem+agent+turn' } as const;

export const arms = {
  sound: { words: 'default preset', settings: { row: 'grpo' } },
  soundForLonger: { words: 'default preset, beyond iteration 40', settings: {}, tokens: fortyIterations },
  tooFast: { words: 'learning rate 1e-3', settings: { optimiser: { learningRate: 1e-3 } }, tokens: fortyIterations },
  perTurn: { words: 'every turn weighs the same', settings: {}, hasShortcuts: true },
  perTrajectory: {
    words: 'every dialogue weighs the same: a turn weighs 1/T',
    settings: { learning: { aggregation: 'trajectory' } },
    hasShortcuts: true,
  },
  mixedPrompts: { words: 'groups of different problems', settings: {}, groups: 'ofDifferentProblems' },
  byTurn: {
    words: 'groups of one turn of one agent',
    settings: { row: 'accumulatedReward' },
  },
  mixedTurns: {
    words: 'groups of all turns of both agents',
    settings: { ...accumulated, learning: byTurn },
    groups: 'ofDifferentTurns',
  },
  cory: {
    words: 'roles exchanged every 5 iterations, both paid for both',
    settings: { agents: { ...pair, swapEvery: 5 }, learning: { learner: 'cory' }, ...held },
    tokens: pairTokens,
  },
  noExchange: {
    words: 'roles kept',
    settings: { agents: pair, learning: { learner: 'cory' }, ...held },
    tokens: pairTokens,
  },
  ownReward: {
    words: 'each paid for its own answer',
    settings: {
      agents: { ...pair, swapEvery: 5 },
      reward: { across: 'own' },
      learning: { learner: 'grpo', groupKey: 'problem+agent' },
      ...held,
    },
    tokens: pairTokens,
  },
  stepReward: {
    words: 'PPO by turn, plans and rewrites paid up to 1.5 in all',
    settings: {
      reward: { over: 'dense' },
      houseRule: { legalOperation: 0.25, rewrite: 0.5 },
      learning: byTurnCritic,
    },
  },
  noStepReward: {
    words: 'PPO by turn, the right answer alone paid',
    settings: { reward: { over: 'dense' }, learning: byTurnCritic },
  },
  balancedVerifier: {
    words: 'as many right as wrong answers to each question',
    settings: { agents: { protocol: 'single' }, verifier: { isTrained: true, isBalanced: true } },
  },
  unbalancedVerifier: {
    words: 'a verifier that learns from all answers as they come',
    settings: { agents: { protocol: 'single' }, verifier: { isTrained: true, isBalanced: false } },
  },
  vdn: { words: 'VDN, paid for what the critic missed too', settings: { row: 'vdn' } },
  vdnAsWritten: { words: 'VDN, a message worth Q_i alone', settings: { learning: { learner: 'vdn', ...asWritten } } },
  qmix: { words: 'QMIX, paid for what the critic missed too', settings: { row: 'qmix' } },
  qmixAsWritten: {
    words: 'QMIX, a message worth Q_i alone',
    settings: { learning: { learner: 'qmix', ...asWritten } },
  },
} as const satisfies Record<string, Arm>;
export type ArmName = keyof typeof arms;

export const failures: readonly Failure[] = [
  {
    name: 'lazy agents',
    claim: 'Averaging over the turns of each dialogue first favours short ones: turns get fewer and say less.',
    source: 'Dr. MAMR 2511.02303',
    arm: 'perTrajectory',
    beside: 'perTurn',
    measures: [turns, tokens, causalInfluence, influence, accuracy],
  },
  {
    name: 'collapse',
    claim: 'At a learning rate of 1e-3 the team collapses before iteration 40.',
    source: 'prototype of Cothink',
    arm: 'tooFast',
    beside: 'soundForLonger',
    measures: [loss],
  },
  {
    name: 'too high a rate',
    claim: 'At a learning rate of 1e-3 the team learns less than at 3e-4.',
    source: 'prototype of Cothink',
    arm: 'tooFast',
    beside: 'soundForLonger',
    measures: [accuracy],
  },
  {
    name: 'mixed prompts',
    claim: 'Groups that mix prompts learn less than clean ones.',
    source: 'AT-GRPO 2510.11062',
    arm: 'mixedPrompts',
    beside: 'sound',
    measures: [accuracy],
  },
  {
    name: 'mixed turns and roles',
    claim: 'Groups that mix turns and roles learn less than clean ones.',
    source: 'AT-GRPO 2510.11062',
    arm: 'mixedTurns',
    beside: 'byTurn',
    measures: [accuracy],
  },
  {
    name: 'too much step reward',
    claim: 'Paying steps too much next to the result is worse than not paying them.',
    source: 'ReMemR1 2509.23040',
    arm: 'stepReward',
    beside: 'noStepReward',
    measures: [accuracy],
  },
  {
    name: 'no role exchange',
    claim: 'Without the exchange of roles the two of CORY learn less.',
    source: 'CORY 2410.06101',
    arm: 'noExchange',
    beside: 'cory',
    measures: [accuracy],
  },
  {
    name: 'no shared reward',
    claim: 'Without a shared reward the two of CORY learn less.',
    source: 'CORY 2410.06101',
    arm: 'ownReward',
    beside: 'cory',
    measures: [accuracy],
  },
  {
    name: 'verifier of difficulty',
    claim:
      'A verifier that is not balanced for each question learns which questions are easy, and little of the answers.',
    source: 'MAPoRL 2502.18439',
    arm: 'unbalancedVerifier',
    beside: 'balancedVerifier',
    measures: [withinQuestion, ofDifficulty],
  },
  {
    name: 'mixed values alone',
    claim:
      'A message that is paid what VDN or QMIX says it is worth, and nothing else, is paid for the critic’s errors.',
    source: 'this project',
    arm: 'vdnAsWritten',
    beside: 'vdn',
    measures: [accuracy, loss],
  },
  {
    name: 'mixed values alone, QMIX',
    claim: 'The same of QMIX.',
    source: 'this project',
    arm: 'qmixAsWritten',
    beside: 'qmix',
    measures: [accuracy, loss],
  },
];
