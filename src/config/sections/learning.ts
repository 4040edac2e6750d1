// How the agents learn: advantage, ratio, clip, epochs.
import * as v from 'valibot';
import { agentSet, choice, flag, real, type Condition, whole } from '../field.ts';
import { learnerFacts, learnerIs, learnerLabels } from '../learnerFacts.ts';
import {
  adapterOwners,
  aggregations,
  criticKinds,
  gaeLevels,
  groupKeyNames,
  learnerNames,
  ratioLevels,
  sequentialRatios,
  turnMeans,
} from '../names.ts';
import { apart, clipped, compared, heads, joint, ownSight } from './conditions.ts';
import { imitationFields, preferenceFields } from './imitation.ts';
import { criticFields, mixingFields } from './critics.ts';
import { formulaText, ownFormulas } from './ownFormula.ts';

const share = { min: 0, max: 1, step: 0.01, isLive: true } as const;

/** Over what learners estimate advantages whose critic sees what one agent sees. */
const byToken: Condition = { ...ownSight, 'learning.gaeLevel': ['token'] };
const byTurn: Condition = { ...ownSight, 'learning.gaeLevel': ['turn'] };

/** Nothing but the entropy bonus teaches a dialogue without an advantage. */
const bonusAlone: Condition = { 'learning.entCoef': { above: 0 }, 'kl.place': { not: ['loss'] } };

const ratio = { group: 'Ratio and clip', matters: [clipped] };
const advantages = { group: 'Groups and advantages' };
const updates = { group: 'Updates' };
const critic = { group: 'Critic and GAE', matters: [ownSight, joint] };

export const learning = v.object({
  learner: choice(learnerNames, 'grpo', {
    label: 'Learner',
    help: 'How a reward becomes the advantage of a token. IPPO is PPO for agents on their own: own network, own critic, own reward. MAPPO has one critic for the whole team, which reads all that was said; HAPPO in addition updates the agents one after another, each with an eye on how those before it have changed. CORY pays two agents for both; with roles exchanged every 5 iterations and a KL in the reward, as in its preset, it is the published one, and without them GRPO with two networks. DPO prefers the better of two dialogues of one problem to the worse; SFT imitates right ones, or demonstrations. VDN and QMIX let a critic divide what a round is worth among its messages: as a sum, or mixed so that what is better for one is never worse for the team.',
    source: Object.values(learnerFacts)
      .map(({ paper }) => paper)
      .join(', '),
    isBasic: true,
    labels: learnerLabels,
  }),
  ratioLevel: choice(ratioLevels, 'turn', {
    label: 'Ratio',
    help: 'The span over which new and old policy are compared and clipped.',
    source: 'ReMA 2503.09501, GSPO 2507.18071',
    matters: [clipped],
    isBasic: true,
    labels: { token: 'Token', turn: 'Turn', trajectory: 'Trajectory' },
  }),
  turnMean: choice(turnMeans, 'geometric', {
    label: 'Mean of a turn',
    help: "Geometric: exp of the mean log-ratio (ReMA's code). Arithmetic: mean of the ratios (ReMA's paper, eq. 13).",
    source: 'ReMA 2503.09501',
    ...ratio,
    matters: [{ 'learning.ratioLevel': ['turn'], ...clipped }],
    labels: { geometric: 'geometric', arithmetic: 'arithmetic' },
  }),
  aggregation: choice(aggregations, 'turn', {
    label: 'Aggregation',
    help: 'What each span weighs in the loss. Trajectory with a turn ratio is the 1/T factor that is said to breed lazy agents (Dr. MAMR).',
    source: 'ReMA 2503.09501, DAPO 2503.14476, Dr. GRPO 2503.20783',
    ...ratio,
    labels: { token: 'token', turn: 'turn', trajectory: 'trajectory', constant: 'constant' },
  }),
  clipLow: real(0.2, {
    ...share,
    ...ratio,
    label: 'Clip below',
    help: 'The ratio counts down to 1 − this.',
    source: 'PPO',
  }),
  clipHigh: real(0.2, {
    ...share,
    label: 'Clip',
    help: 'Above 1 + this, a larger ratio gains nothing.',
    source: 'PPO; DAPO raises it',
    matters: [clipped],
    isBasic: true,
  }),
  dualClip: real(3, {
    label: 'Dual clip',
    help: 'Bound of the loss for a negative advantage, in multiples of it. 0: off.',
    source: 'Ye et al. 1912.09729',
    ...ratio,
    min: 0,
    max: 20,
    step: 0.5,
    isLive: true,
  }),
  logratioClamp: real(3, {
    label: 'Log-ratio clamp',
    help: 'Upper bound of the log-ratio before exp.',
    source: 'ReMA',
    ...ratio,
    min: 0.1,
    max: 20,
    step: 0.1,
  }),
  groupSize: whole(8, {
    label: 'Rollouts of each problem',
    help: 'The group whose rewards are compared.',
    source: 'GRPO',
    min: 1,
    max: 64,
    isBasic: true,
  }),
  problemsPerIteration: whole(32, {
    label: 'Problems an iteration',
    help: 'Different problems collected before an update.',
    source: 'Cothink',
    ...advantages,
    min: 1,
    max: 1024,
    step: 4,
  }),
  groupKey: choice(groupKeyNames, 'problem', {
    label: 'Group key',
    help: 'What the members of a group have in common. VDN and QMIX have a way of their own: messages after the same words.',
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
    help: 'What part of an advantage is the outcome of the whole dialogue, compared with its group; the rest is what the turn itself earned by the parts of the reward that are paid turn by turn, compared with the same turn of the other rollouts. ReMemR1 has 0.8. 1: all parts together are the outcome.',
    source: 'ReMemR1 2509.23040',
    ...advantages,
    matters: [compared],
    min: 0,
    max: 1,
    step: 0.1,
  }),
  normAdv: flag(false, {
    label: 'Whiten advantages',
    help: 'Mean 0 and deviation 1 over the tokens that an agent chose in an iteration, each agent by itself.',
    source: 'CleanRL',
    ...advantages,
    matters: [clipped],
  }),
  ownFormula: formulaText({
    label: 'Own formula',
    help: 'A function of yours gives the advantages in place of the learner: the text of a solved exercise. It runs in the sandbox, once for each group or each part of an agent in a dialogue; where it fails, the run ends with what it was called with.',
    source: 'Cothink',
    ...advantages,
    matters: [{ 'learning.learner': [...new Set(Object.values(ownFormulas).flatMap(({ learners }) => learners))] }],
  }),
  filterGroups: flag(false, {
    label: 'Resample dead groups',
    help: 'Groups whose rewards are all equal carry no gradient: draw new problems in their place.',
    source: 'DAPO 2503.14476',
    ...advantages,
    matters: [compared],
  }),
  maxGenBatches: whole(3, {
    label: 'Resampling at most',
    help: 'Collections before an iteration takes what it has.',
    source: 'DAPO 2503.14476',
    ...advantages,
    matters: [{ 'learning.filterGroups': [true] }],
    min: 1,
    max: 20,
  }),
  updateEpochs: whole(2, {
    label: 'Epochs',
    help: 'Passes over one collection. With one epoch and one minibatch the ratio is 1 and clipping never acts.',
    source: 'PPO',
    ...updates,
    min: 1,
    max: 10,
  }),
  numMinibatches: whole(2, {
    label: 'Minibatches',
    help: 'Parts into which a collection is cut; each gives one optimiser step.',
    source: 'PPO',
    ...updates,
    min: 1,
    max: 32,
  }),
  entCoef: real(0.01, {
    label: 'Entropy bonus',
    help: 'Weight of the entropy in the loss: keeps the agents trying.',
    source: 'PPO',
    ...updates,
    matters: [clipped],
    min: 0,
    max: 0.2,
    step: 0.001,
    isLive: true,
  }),
  livingEntropy: flag(false, {
    label: 'Entropy bonus on living groups only',
    help: 'Dialogues without an advantage, as those of dead groups, get no bonus. Nothing is left to learn from them then, and they leave the update, which takes less time.',
    source: 'Cothink',
    ...updates,
    // Without groups an advantage of exactly 0 is chance: no dialogue would leave.
    matters: [
      { 'learning.learner': learnerIs(({ loss, groups }) => loss === 'policy' && groups !== 'none'), ...bonusAlone },
    ],
    isLive: true,
  }),
  critic: choice(criticKinds, 'head', {
    label: 'Critic',
    help: 'What foretells returns. A critic of its own has its own trunk, rate, steps and memory, as MAPPO’s has; a shared one is a row of weights more on the agent’s network. From iteration 20 of PPO’s preset on the shared one explains −0.19 of the variance of returns, which is worse than a constant, and one of its own 0.08, at the planner’s turns 0.17 (three seeds).',
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
    help: 'How much what is earned one token later counts now.',
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
    help: 'Tokens: the next state is the next own token. Turns: it is the next own turn, with the discount of a turn.',
    source: 'GAE 1506.02438',
    ...critic,
    matters: [ownSight],
    labels: { token: 'tokens', turn: 'turns' },
  }),
  lambdaTurn: real(0.95, {
    label: 'GAE λ of a turn',
    help: 'Bias against variance of the advantage when GAE runs over turns, as it does with MAPPO and HAPPO.',
    source: 'GAE 1506.02438',
    ...critic,
    matters: [byTurn, joint],
    min: 0,
    max: 1,
    step: 0.01,
  }),
  gaeLambda: real(0.95, {
    label: 'GAE λ',
    help: 'Bias against variance of the advantage.',
    source: 'GAE 1506.02438',
    ...critic,
    matters: [byToken],
    min: 0,
    max: 1,
    step: 0.01,
  }),
  sequentialRatio: choice(sequentialRatios, 'geometric', {
    label: 'Ratio of those before',
    help: 'By how much HAPPO weighs an advantage for what the agents updated before have become. Product: the ratios of all tokens of their turn, multiplied, as in the paper; the longer the turn, the farther from 1. Geometric: the mean of these, one token’s worth of change.',
    source: 'HAPPO 2109.11251',
    ...ratio,
    matters: [{ 'learning.learner': learnerIs(({ updates }) => updates === 'oneAfterAnother') }],
    labels: { geometric: 'geometric mean', product: 'product' },
  }),
  ...criticFields,
  ...preferenceFields,
  ...imitationFields,
  switchEvery: whole(0, {
    label: 'Alternate every',
    help: 'One agent learns while the other only speaks; they switch after so many iterations. 0: both learn. Needs separate parameters. HAPPO and CORY as published have all agents learn together.',
    source: 'ReMA',
    group: 'Who learns',
    matters: [apart],
    unit: 'iterations',
    min: 0,
    max: 100,
  }),
  switchOver: choice(adapterOwners, 'role', {
    label: 'Alternate over',
    help: 'Where each turn has an adapter, the first turn of everybody may learn for a while, then the second, and so on to the last, which begins anew.',
    source: 'Cothink',
    group: 'Who learns',
    matters: [{ 'learning.switchEvery': { above: 0 }, 'agents.parameters': ['lora'], 'agents.adapterPer': ['turn'] }],
    labels: { role: 'agents', turn: 'turns' },
  }),
  startAgent: whole(0, {
    label: 'Agent that learns first',
    help: 'Where agents alternate; they are counted from 0.',
    source: 'ReMA',
    group: 'Who learns',
    matters: [{ 'learning.switchEvery': { above: 0 } }],
    min: 0,
    max: 7,
  }),
  frozen: agentSet([], {
    label: 'Frozen agents',
    help: 'They only speak: their weights stay as they are while the others learn. In files and links agents are counted from 0. Needs parameters of their own.',
    source: 'Cothink',
    group: 'Who learns',
    matters: [apart],
    isLive: true,
  }),
  ...mixingFields,
});
