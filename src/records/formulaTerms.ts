// The meanings of the terms of formulas. The page loads these texts when it shows a formula.
import { termNames, termSymbols, type TermName } from './formula.ts';

interface TermText {
  name: string;
  /** The entry of the glossary that explains the symbol. */
  word?: string;
  /** A text about the origin of the number, in addition to the explanation in the glossary. */
  help: string;
}
export interface FormulaTerm extends TermText {
  symbol: string;
}

const texts = {
  advantage: {
    name: 'advantage',
    word: 'Advantage',
    help: 'The advantage of this token, as the learner computed it.',
  },
  whitened: {
    name: 'whitened advantage',
    word: 'Advantage',
    help: 'The advantage, whitened over all tokens of this agent in the iteration.',
  },
  used: {
    name: 'advantage used',
    word: 'Advantage',
    help: 'Mean of the advantages of the tokens that share a ratio, because the loss uses one advantage for each ratio.',
  },
  reward: {
    name: 'reward',
    word: 'Episode reward',
    help: 'The reward of the unit that is compared with others: a dialogue, an agent’s part of a dialogue or a turn, depending on the group key. Any KL penalty has been deducted.',
  },
  groupMean: {
    name: 'mean of the group',
    word: 'Group',
    help: 'Mean reward of all members of the group, including the member whose advantage is computed.',
  },
  groupSpread: {
    name: 'spread of the group',
    word: 'Group',
    help: 'Unbiased standard deviation of the group’s rewards.',
  },
  othersMean: {
    name: 'mean of the others',
    word: 'RLOO',
    help: 'Mean reward of the other members of the group.',
  },
  lengthMean: {
    name: 'mean of the group by length',
    word: 'OPO',
    help: 'Mean reward of all members of the group, in which each member counts by its number of tokens.',
  },
  othersBest: {
    name: 'best of the others',
    word: 'Pass@k gradient',
    help: 'The highest reward of the other members of the group.',
  },
  outcomeShare: {
    name: 'share of the outcome',
    help: 'A setting: the share of the advantage that comes from the outcome of the whole dialogue; the remaining share comes from the reward of the step.',
  },
  stepReward: {
    name: 'reward of the step',
    word: 'Outcome and step',
    help: 'The reward of this single turn: the weighted sum of the reward components for single turns.',
  },
  stepMean: {
    name: 'mean of the same step',
    word: 'Outcome and step',
    help: 'Mean reward of this turn in the rollouts of the group; with RLOO, only in the other rollouts; with OPO, long turns count more; with pass@k, the highest reward of the other rollouts.',
  },
  stepSpread: {
    name: 'spread of the same step',
    word: 'Outcome and step',
    help: 'Unbiased standard deviation of the reward of this turn over the rollouts of the group.',
  },
  outcomeAdvantage: {
    name: 'outcome advantage',
    word: 'Outcome and step',
    help: 'The reward of the whole dialogue compared with the other dialogues of its group; 0 if there are no others.',
  },
  stepAdvantage: {
    name: 'step advantage',
    word: 'Outcome and step',
    help: 'The reward of this turn compared with the same turn in the other rollouts of its group; 0 if no other rollout has this turn.',
  },
  confidence: {
    name: 'gain of confidence',
    word: 'Advantage',
    help: 'exp(−α · z), where z is the mean of −log p over the tokens, standardised within the group. A more confident turn or dialogue has a lower z, so it counts more.',
  },
  roundValue: {
    name: 'value of the round',
    word: 'QMIX',
    help: 'The value that the mixing critic predicted for the round, given all messages of the round, before the critic learned from this dialogue.',
  },
  roundWithout: {
    name: 'value without the message',
    word: 'QMIX',
    help: 'The critic’s prediction for the round if the value of this message is replaced by the mean value of the agent’s messages with the same context.',
  },
  missed: {
    name: 'what the critic missed',
    word: 'QMIX',
    help: 'The difference between the team’s return and the predicted value of the round, times the weight of the residual return in the settings. Any KL penalty has been deducted.',
  },
  worth: {
    name: 'worth of the message',
    word: 'QMIX',
    help: 'The amount that the message adds to the value of its round, plus the reward that the critic did not predict.',
  },
  othersWorth: {
    name: 'worth of those compared',
    help: 'Mean worth of the agent’s messages that follow the same text, including this message; if there is no other such message, the advantage is 0.',
  },
  comparedSpread: {
    name: 'spread of all compared',
    help: 'Unbiased standard deviation of C − μ, the worth of a message minus the mean of its group, over all compared messages.',
  },
  toGo: {
    name: 'reward to come',
    word: 'REINFORCE++',
    help: 'The agent’s reward from this token on, discounted by γ for each step.',
  },
  batchMean: {
    name: 'mean over the batch',
    help: 'Mean of G over all tokens of the iteration, or, if each agent has its own reward, over all tokens of this agent.',
  },
  batchSpread: {
    name: 'spread over the batch',
    help: 'Unbiased standard deviation of G over the same tokens as for the mean m.',
  },
  advantageMean: {
    name: 'mean advantage',
    help: 'Mean advantage over all tokens of this agent in the iteration.',
  },
  advantageSpread: {
    name: 'spread of the advantages',
    help: 'Unbiased standard deviation of the advantage over all tokens of this agent in the iteration.',
  },
  paid: {
    name: 'reward here',
    word: 'Episode reward',
    help: 'The reward at this token or turn, after any KL penalty has been deducted.',
  },
  value: {
    name: 'value',
    word: 'Critic',
    help: 'The return that the critic predicted from this position on, before the update.',
  },
  nextValue: {
    name: 'next value',
    word: 'Critic',
    help: 'The critic’s prediction at the agent’s next token or turn; 0 if the agent has no further token or turn.',
  },
  nextAdvantage: {
    name: 'next advantage',
    word: 'GAE',
    help: 'Advantage of the agent’s next token or turn; 0 if the agent has no further token or turn.',
  },
  gamma: {
    name: 'discount',
    help: 'A setting: the factor by which a reward is discounted for each step.',
  },
  lambda: {
    name: 'look ahead',
    word: 'GAE',
    help: 'A setting: with 0, the advantage uses, besides the prediction at this position, only the reward here and the next prediction; with 1, it uses all later rewards and no later prediction.',
  },
  others: {
    name: 'change by earlier updates',
    word: 'HAPPO',
    help: 'Product of the ratios of the messages in this round whose agents were updated before this agent, clipped to [e⁻³, e³].',
  },
  sequential: {
    name: 'advantage after earlier updates',
    word: 'HAPPO',
    help: 'The agent’s advantage, adjusted for the agents that were updated before this agent.',
  },
  gap: {
    name: 'gap to the reference',
    word: 'Reference',
    help: 'log p of this token after the update − log p under the frozen reference.',
  },
  better: {
    name: 'gap of the preferred',
    word: 'DPO',
    help: 'Sum of the gaps g over all tokens of this network in the preferred dialogue; with IPO and SimPO, the mean of these gaps.',
  },
  worse: {
    name: 'gap of the rejected',
    word: 'DPO',
    help: 'Sum of the gaps g over all tokens of this network in the rejected dialogue; with IPO and SimPO, the mean of these gaps.',
  },
  margin: {
    name: 'margin',
    word: 'DPO',
    help: 'The gap of the preferred dialogue minus the gap of the rejected dialogue, after the update.',
  },
  beta: {
    name: 'strength of the pull',
    help: 'A setting: how strongly the agents are kept near the reference.',
  },
  smoothing: {
    name: 'share of pairs in doubt',
    help: 'A setting: the assumed share of pairs in which the preferred and the rejected dialogue are exchanged by mistake.',
  },
  targetMargin: {
    name: 'target margin',
    word: 'DPO',
    help: 'A setting: the margin that SimPO demands of β times the difference of the mean log-probabilities.',
  },
  side: {
    name: 'side',
    word: 'DPO',
    help: '1 if the token belongs to the preferred dialogue, −1 if it belongs to the rejected one.',
  },
  push: {
    name: 'push on the token',
    word: 'DPO',
    help: 'Derivative of the pair’s loss with respect to log p of this token. The loss is minimised, so a negative value makes the token likelier.',
  },
  logp: { name: 'log-probability', help: 'The log-probability of this token, after the update.' },
  logratio: {
    name: 'log-ratio',
    word: 'Ratio',
    help: 'log p after the update − log p at sampling, averaged over the tokens that share a ratio.',
  },
  clamp: {
    name: 'max log-ratio',
    help: 'A setting: the largest log-ratio that is used, so that one token cannot outweigh all others.',
  },
  ratio: { name: 'ratio', word: 'Ratio', help: 'The ratio after the iteration’s last update.' },
  low: { name: 'lower end of the band', word: 'Clip', help: 'A setting.' },
  high: { name: 'upper end of the band', word: 'Clip', help: 'A setting.' },
  dual: {
    name: 'dual clip',
    word: 'Dual clip',
    help: 'A setting: if the advantage A is negative, the loss is at most c·|A|.',
  },
  cut: {
    name: 'weight of log p',
    word: 'CISPO',
    help: 'The ratio, limited to the band. It is a fixed weight: its own change does not count in the gradient.',
  },
  heatPositive: { name: 'temperature for a positive advantage', word: 'SAPO', help: 'A setting.' },
  heatNegative: { name: 'temperature for all other advantages', word: 'SAPO', help: 'A setting.' },
  heat: {
    name: 'temperature of the gate',
    word: 'SAPO',
    help: 'Which of two settings applies depends on the sign of A.',
  },
  gate: {
    name: 'gate',
    word: 'SAPO',
    help: 'It grows with the ratio, and ever more slowly the farther the ratio is from 1. Its slope at r = 1 is 1, like that of the ratio itself.',
  },
  unclipped: {
    name: 'unclipped loss',
    word: 'Clipped?',
    help: 'The gain A·r with the opposite sign. A loss is minimised, so the min() of two gains becomes the max(L₁, L₂) of two losses.',
  },
  clipped: { name: 'clipped loss', word: 'Clipped?', help: 'The loss computed with the clipped ratio.' },
  loss: {
    name: 'loss of the token',
    word: 'Loss',
    help: 'The larger of the two losses L₁ and L₂, which corresponds to the smaller of the two gains.',
  },
  weight: {
    name: 'weight',
    help: 'The weight of this token in the loss of its minibatch in the first epoch; the weight depends on the aggregation.',
  },
  share: {
    name: 'share of the token',
    help: '1 divided by the number of tokens in the minibatch that count in the loss.',
  },
  valueBefore: {
    name: 'value before',
    word: 'Critic',
    help: 'The critic’s prediction at this token before the update.',
  },
  valueNow: {
    name: 'value now',
    word: 'Critic',
    help: 'The critic’s prediction at this token after the update.',
  },
  target: {
    name: 'return',
    word: 'Critic',
    help: 'The critic’s target: the advantage plus the value before the update.',
  },
  valueClip: {
    name: 'value clip',
    help: 'A setting: the largest change of the predicted value that is used in the clipped error.',
  },
  valueError: {
    name: 'error of the value',
    word: 'Critic',
    help: 'Half of the larger of two squared errors: the plain error and the clipped error.',
  },
  vfCoef: { name: 'weight of the value', help: 'A setting.' },
  valuePart: {
    name: 'part of the value',
    word: 'Loss',
    help: 'The critic’s error, times its weight in the loss.',
  },
  entropyOf: {
    name: 'entropy',
    word: 'Entropy',
    help: 'The entropy of the next-token distribution at this position, after the update.',
  },
  entCoef: { name: 'weight of the entropy', help: 'A setting.' },
  isLiving: {
    name: 'not dead',
    word: 'Dead group',
    help: '1 if any token of the agent in this dialogue has an advantage other than 0; otherwise 0, so that there is no entropy bonus. If the ratio is computed for the whole dialogue, the tokens of all agents count.',
  },
  entropyPart: {
    name: 'part of the entropy',
    word: 'Loss',
    help: 'A value below 0 means that uncertainty is slightly rewarded.',
  },
  distance: {
    name: 'distance to the reference',
    word: 'KL',
    help: 'The distance is computed with the estimator chosen in the settings, after the update.',
  },
  klCoef: { name: 'weight of the KL', help: 'A setting.' },
  klPart: {
    name: 'part of the KL',
    word: 'Loss',
    help: 'The distance to the reference, times its weight in the loss.',
  },
  total: {
    name: 'part of the token in all',
    word: 'Loss',
    help: 'The contribution of this token to the loss. The loss is the sum of the contributions of a minibatch.',
  },
  part: {
    name: 'part in the loss',
    word: 'Loss',
    help: 'The contribution of this token or pair to the loss. The loss is the sum of the contributions of a minibatch.',
  },
} as const satisfies Record<TermName, TermText>;

/** All terms of formulas, with their symbols and texts. */
export const formulaTerms = Object.fromEntries(
  termNames.map((name) => [name, { symbol: termSymbols[name], ...texts[name] }]),
) as Record<TermName, FormulaTerm>;
