// How the agents learn: the advantage, the ratio, the clip, and the epochs.
import * as v from 'valibot';
import { agentSet, choice, flag, real, type Condition, whole } from '../field.ts';
import {
  defaultLearner,
  learnerFacts,
  learnerIs,
  learnerLabels,
  learnerMeanings,
  learnerNames,
} from '../learners/registry.ts';
import {
  aggregations,
  criticKinds,
  gaeLevels,
  groupKeyNames,
  ratioLevels,
  surrogates,
  sequentialRatios,
  switchedOver,
  turnMeans,
} from '../names.ts';
import { apart, byTurn, clipped, compared, heads, joint, ownCritics, ownSight, sequential } from '../conditions.ts';
import { imitationFields, preferenceFields } from './imitation.ts';
import { criticFields, mixingFields } from './critics.ts';
import { formulaText, ownFormulas } from './ownFormula.ts';

const share = { min: 0, max: 1, step: 0.01, isLive: true } as const;

/** The condition that the critic reads only what one agent reads and that advantages are estimated token by token. */
const byToken: Condition = { ...ownSight, 'learning.gaeLevel': ['token'] };

/**
 * The condition under which the entropy bonus is the only term of the loss that applies to a dialogue without an
 * advantage.
 */
const bonusAlone: Condition = { 'learning.entCoef': { above: 0 }, 'kl.place': { not: ['loss'] } };

const ratio = { group: 'Ratio and clip', matters: [clipped] };
const gate = {
  ...ratio,
  matters: [{ 'learning.surrogate': ['sapo'], ...clipped }],
  ...{ min: 0.1, max: 10, step: 0.05, isLive: true },
} as const;
const advantages = { group: 'Groups and advantages' };
const updates = { group: 'Updates' };
const critic = { group: 'Critic and GAE', matters: [ownSight, joint] };

export const learning = v.object({
  learner: choice(learnerNames, defaultLearner, {
    label: 'Learner',
    help: 'How a reward becomes the advantage of a token.',
    source: Object.values(learnerFacts)
      .map(({ paper }) => paper)
      .join(', '),
    isBasic: true,
    labels: learnerLabels,
    meanings: learnerMeanings,
  }),
  ratioLevel: choice(ratioLevels, 'turn', {
    label: 'Ratio',
    help: 'The span for which the ratio of the new to the old policy is computed and clipped. Trajectory: all messages of one agent in a dialogue, like a sequence in GSPO or a role in ReMA. Dialogue: all messages of the agents that share a network. All tokens of a span share one advantage, the mean over the tokens of the span (unlike GSPO-token, where each token keeps its own advantage).',
    source: 'ReMA 2503.09501, GSPO 2507.18071',
    matters: [clipped],
    isBasic: true,
    labels: { token: 'Token', turn: 'Turn', trajectory: 'Trajectory of an agent', dialogue: 'Dialogue' },
  }),
  turnMean: choice(turnMeans, 'geometric', {
    label: 'Mean of a turn',
    help: "Geometric: exp of the mean log-ratio (ReMA's code). Arithmetic: mean of the ratios (ReMA's paper, eq. 13).",
    source: 'ReMA 2503.09501',
    ...ratio,
    // The ratio of GMPO is a geometric mean by definition.
    matters: [{ 'learning.ratioLevel': ['turn'], 'learning.surrogate': { not: ['gmpo'] }, ...clipped }],
    labels: { geometric: 'geometric', arithmetic: 'arithmetic' },
  }),
  aggregation: choice(aggregations, 'turn', {
    label: 'Aggregation',
    help: 'The unit that has equal weight in the loss. Trajectory: all messages of one agent in a dialogue, as in ReMA; with a turn ratio, this is said to produce lazy agents (Dr. MAMR). Dialogue: all messages of the agents that share a network. Constant: each token; the sum over tokens is divided by the number of trajectories times the maximum number of tokens of a trajectory. The entropy bonus and a KL term in the loss are always means over tokens.',
    source: 'ReMA 2503.09501, DAPO 2503.14476, Dr. GRPO 2503.20783',
    ...ratio,
    labels: {
      token: 'token',
      turn: 'turn',
      trajectory: 'trajectory of an agent',
      dialogue: 'dialogue',
      constant: 'constant',
    },
  }),
  surrogate: choice(surrogates, 'clipped', {
    label: 'Policy loss',
    help: 'How the loss depends on the ratio r and the advantage A. Clipped: −min(r·A, clip(r)·A), as in PPO; outside the band a token does not learn any further. CISPO: −clip(r)·A·log π, where clip(r) is a fixed weight, so that rare tokens with a large ratio still learn. SAPO: −A·4σ(τ(r − 1))/τ, a smooth gate without a band, with its own temperature τ for negative advantages. GMPO: −r·A, where r is the geometric mean of the token ratios of a span and each log-ratio is bounded beforehand, from above by the upper clip if A > 0, and from below by the lower clip otherwise.',
    source: 'PPO 1707.06347, CISPO 2506.13585, SAPO 2511.20347, GMPO 2507.20673',
    ...ratio,
    labels: { clipped: 'clipped', cispo: 'CISPO', sapo: 'SAPO', gmpo: 'GMPO' },
  }),
  gatePositive: real(1, {
    label: 'Gate, positive',
    help: 'The temperature τ of SAPO’s gate for a positive advantage. The larger it is, the sooner a token stops learning when its ratio leaves 1.',
    source: 'SAPO 2511.20347',
    ...gate,
  }),
  gateNegative: real(1.05, {
    label: 'Gate, negative',
    help: 'The temperature τ of SAPO’s gate for all other advantages. The paper uses a slightly larger value here, because pushing a token down raises all other tokens.',
    source: 'SAPO 2511.20347',
    ...gate,
  }),
  clipLow: real(0.2, {
    ...share,
    ...ratio,
    matters: [{ 'learning.surrogate': { not: ['sapo'] }, ...clipped }],
    label: 'Clip below',
    help: 'If the ratio is below 1 − this value, a further decrease does not improve the objective. For GMPO, the log-ratio of a token is bounded by − this value.',
    source: 'PPO',
  }),
  clipHigh: real(0.2, {
    ...share,
    label: 'Clip',
    help: 'If the ratio is above 1 + this value, a further increase does not improve the objective. For GMPO, the log-ratio of a token is bounded by this value.',
    source: 'PPO; DAPO 2503.14476',
    matters: [{ 'learning.surrogate': { not: ['sapo'] }, ...clipped }],
    isBasic: true,
  }),
  dualClip: real(3, {
    label: 'Dual clip',
    help: 'If the advantage is negative, the loss is at most this multiple of the advantage’s absolute value. 0: off.',
    source: 'Ye et al. 1912.09729',
    ...ratio,
    matters: [{ 'learning.surrogate': ['clipped'], ...clipped }],
    min: 0,
    max: 20,
    step: 0.5,
    isLive: true,
  }),
  logratioClamp: real(3, {
    label: 'Log-ratio clamp',
    help: 'Upper bound of the log-ratio before exp() is applied.',
    source: 'ReMA',
    ...ratio,
    min: 0.1,
    max: 20,
    step: 0.1,
  }),
  groupSize: whole(8, {
    label: 'Rollouts of each problem',
    help: 'Number of dialogues sampled for each problem. They form the group whose rewards are compared.',
    source: 'GRPO',
    min: 1,
    max: 64,
    isBasic: true,
  }),
  problemsPerIteration: whole(32, {
    label: 'Problems per iteration',
    help: 'Number of different problems for which dialogues are sampled before an update.',
    source: 'Cothink',
    ...advantages,
    min: 1,
    max: 1024,
    step: 4,
  }),
  groupKey: choice(groupKeyNames, 'problem', {
    label: 'Group key',
    help: 'The properties that the members of a group share. VDN and QMIX do not use this setting; they compare messages of one agent with the same context.',
    source: 'AT-GRPO 2510.11062',
    ...advantages,
    matters: [compared],
    labels: {
      problem: 'problem',
      'problem+agent': 'problem and agent',
      'problem+agent+turn': 'problem, agent and turn',
    },
  }),
  groupStd: flag(true, {
    label: 'Divide by the group’s spread',
    help: 'GRPO divides by the standard deviation; Dr. GRPO does not.',
    source: 'Dr. GRPO 2503.20783',
    ...advantages,
    matters: [{ 'learning.learner': learnerIs(({ hasSpread }) => hasSpread) }],
  }),
  outcomeShare: real(1, {
    label: 'Outcome against steps α',
    help: 'The weight of the outcome advantage, which compares the whole dialogues of a group. The rest, 1 − α, is the weight of the step advantage, which compares each turn’s own reward with the same turn of the other rollouts. ReMemR1 uses 0.8. 1: all reward parts count as the outcome.',
    source: 'ReMemR1 2509.23040',
    ...advantages,
    matters: [compared],
    min: 0,
    max: 1,
    step: 0.1,
  }),
  normAdv: flag(false, {
    label: 'Whiten for each agent',
    help: 'Advantages are scaled to mean 0 and standard deviation 1 over the tokens of an agent in an iteration, for each agent separately. The divisor is √(variance + 10⁻⁸), so nearly equal values stay small.',
    source: 'CleanRL',
    ...advantages,
    matters: [clipped],
  }),
  ownFormula: formulaText({
    label: 'Own formula',
    help: 'A function that you wrote in an exercise replaces the learner’s own computation of the advantages. The function runs in the sandbox, once for each group or for each agent’s part of a dialogue. If the function fails, the run ends and the failed call is shown.',
    source: 'Cothink',
    ...advantages,
    matters: [{ 'learning.learner': [...new Set(Object.values(ownFormulas).flatMap(({ learners }) => learners))] }],
  }),
  filterGroups: flag(false, {
    label: 'Resample dead groups',
    help: 'Draw new problems to replace groups in which all compared rewards are equal. The rewards of the dialogues are compared and, if the steps count in the advantage, also the rewards of the steps.',
    source: 'DAPO 2503.14476',
    ...advantages,
    matters: [compared],
  }),
  maxGenBatches: whole(3, {
    label: 'Max resampling rounds',
    help: 'Maximum number of rounds of sampling in an iteration. If groups are still missing after the last round, dead groups are used too.',
    source: 'DAPO 2503.14476',
    ...advantages,
    matters: [{ 'learning.filterGroups': [true] }],
    min: 1,
    max: 20,
  }),
  updateEpochs: whole(2, {
    label: 'Epochs',
    help: 'Number of passes over the collected dialogues. With one epoch and one minibatch the ratio is always 1, so clipping has no effect.',
    source: 'PPO',
    ...updates,
    min: 1,
    max: 10,
  }),
  numMinibatches: whole(2, {
    label: 'Minibatches',
    help: 'Number of parts into which the collected dialogues are divided; one optimiser step is made with each part.',
    source: 'PPO',
    ...updates,
    min: 1,
    max: 32,
  }),
  entCoef: real(0.01, {
    label: 'Entropy bonus',
    help: 'Weight of the entropy in the loss. A larger weight makes the agents explore more.',
    source: 'PPO',
    ...updates,
    matters: [clipped],
    min: 0,
    max: 0.2,
    step: 0.001,
    isLive: true,
  }),
  livingEntropy: flag(false, {
    label: 'No entropy bonus for dead groups',
    help: 'Dialogues whose advantages are all 0, such as the dialogues of dead groups, get no entropy bonus. Without the bonus, these dialogues have no gradient and are left out of the update, which then takes less time.',
    source: 'Cothink',
    ...updates,
    matters: [
      { 'learning.learner': learnerIs(({ loss, critic }) => loss === 'policy' && critic !== 'own'), ...bonusAlone },
      { ...ownCritics, ...bonusAlone },
    ],
    isLive: true,
  }),
  critic: choice(criticKinds, 'head', {
    label: 'Critic',
    help: 'The network that predicts returns. A separate critic has its own trunk, learning rate, steps and memory, as in MAPPO; a shared critic is one more row of weights on the agent’s network. In PPO’s preset from iteration 20 on, a shared critic has an explained variance of −0.19, which is worse than predicting a constant. A separate critic reaches 0.09, and 0.17 at the planner’s turns (three seeds).',
    source: 'PPO 1707.06347, IPPO 2011.09533',
    ...critic,
    matters: [ownSight],
    labels: { head: 'Shared', network: 'Own' },
  }),
  vfCoef: real(0.5, {
    label: 'Value loss weight',
    help: 'Weight of the critic’s error in the loss.',
    source: 'PPO',
    ...critic,
    min: 0,
    max: 2,
    step: 0.05,
    isLive: true,
  }),
  valueClip: real(0.2, {
    ...share,
    ...critic,
    label: 'Value clip',
    help: 'Bound of a value step.',
    source: 'PPO',
    matters: [heads],
  }),
  gamma: real(1, {
    label: 'Discount of a token',
    help: 'The factor by which a reward is discounted for each later token.',
    source: 'PPO',
    ...critic,
    matters: [
      byToken,
      { 'learning.learner': learnerIs(({ hasTokenReturns, critic }) => hasTokenReturns && critic === 'none') },
    ],
    min: 0,
    max: 1,
    step: 0.005,
  }),
  gaeLevel: choice(gaeLevels, 'token', {
    label: 'GAE over',
    help: 'The time step of GAE. Tokens: the next state is the agent’s next token. Turns: the next state is the agent’s next turn, and the discount per turn is used.',
    source: 'GAE 1506.02438',
    ...critic,
    matters: [ownSight],
    labels: { token: 'tokens', turn: 'turns' },
  }),
  lambdaTurn: real(0.95, {
    label: 'GAE λ of a turn',
    help: 'Controls the trade-off between bias and variance of the advantage when GAE runs over turns, as in MAPPO and HAPPO.',
    source: 'GAE 1506.02438',
    ...critic,
    matters: [byTurn, joint],
    min: 0,
    max: 1,
    step: 0.01,
  }),
  gaeLambda: real(0.95, {
    label: 'GAE λ',
    help: 'Controls the trade-off between bias and variance of the advantage.',
    source: 'GAE 1506.02438',
    ...critic,
    matters: [byToken],
    min: 0,
    max: 1,
    step: 0.01,
  }),
  sequentialRatio: choice(sequentialRatios, 'geometric', {
    label: 'Ratio of earlier updates',
    help: 'The factor by which HAPPO multiplies an advantage to account for the agents that were updated before. Product: the product of the ratios of all tokens of an agent’s turn, as in the paper; the longer the turn, the farther this product is from 1. Geometric mean: the geometric mean of these ratios, which is about as large as the ratio of one token.',
    source: 'HAPPO 2109.11251',
    ...ratio,
    matters: [sequential],
    labels: { geometric: 'geometric mean', product: 'product' },
  }),
  ...criticFields,
  ...preferenceFields,
  ...imitationFields,
  switchEvery: whole(0, {
    label: 'Alternate every',
    help: 'Only one agent learns at a time; after this many iterations, the next agent learns instead. 0: all agents learn in every iteration. This setting needs separate parameters. In the published HAPPO and CORY all agents learn together.',
    source: 'ReMA',
    group: 'Who learns',
    matters: [apart],
    unit: 'iterations',
    min: 0,
    max: 100,
  }),
  switchOver: choice(switchedOver, 'role', {
    label: 'Alternation',
    help: 'Whether learning alternates between agents or between turns. With turns, the adapters of all first turns learn for a while, then the adapters of all second turns, and so on; after the last turn, the first turn follows again. Each turn must have its own adapter for this.',
    source: 'Cothink',
    group: 'Who learns',
    matters: [{ 'learning.switchEvery': { above: 0 }, 'agents.parameters': ['lora'], 'agents.adapterPer': ['turn'] }],
    labels: { role: 'agents', turn: 'turns' },
  }),
  startAgent: whole(0, {
    label: 'Agent that learns first',
    help: 'The number of the agent that learns first if agents alternate. Agents are counted from 0.',
    source: 'ReMA',
    group: 'Who learns',
    matters: [{ 'learning.switchEvery': { above: 0 } }],
    min: 0,
    max: 7,
  }),
  frozen: agentSet([], {
    label: 'Frozen agents',
    help: 'The weights of these agents do not change while the other agents learn. In files and links, agents are counted from 0. This setting requires separate parameters.',
    source: 'Cothink',
    group: 'Who learns',
    matters: [apart],
    isLive: true,
  }),
  ...mixingFields,
});
