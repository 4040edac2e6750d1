// The formula of a learner as data. The formula consists of lines of terms, for which the page inserts the numbers of
// one token. The inspection of a group contains the lines and the terms that are equal for all its tokens. The
// inspection of each turn contains the other terms, token by token. The symbols are the same as in PPO (1707.06347) and
// GRPO (2402.03300).
import * as v from 'valibot';
import { learnerNames } from '../config/learners/registry.ts';
import { anyNumber } from './trajectory.ts';

export interface FormulaTerm {
  symbol: string;
  name: string;
  /** The entry of the glossary that explains the symbol. */
  word?: string;
  /** A text about the origin of the number, in addition to the explanation in the glossary. */
  help: string;
}

export const formulaTerms = {
  advantage: {
    symbol: 'A',
    name: 'advantage',
    word: 'Advantage',
    help: 'The advantage of this token, as the learner computed it.',
  },
  whitened: {
    symbol: 'A′',
    name: 'whitened advantage',
    word: 'Advantage',
    help: 'The advantage, whitened over all tokens of this agent in the iteration.',
  },
  used: {
    symbol: 'Ā',
    name: 'advantage used',
    word: 'Advantage',
    help: 'Mean of the advantages of the tokens that share a ratio, because the loss uses one advantage for each ratio.',
  },
  reward: {
    symbol: 'R',
    name: 'reward',
    word: 'Episode reward',
    help: 'The reward of the unit that is compared with others: a dialogue, an agent’s part of a dialogue or a turn, depending on the group key. Any KL penalty has been deducted.',
  },
  groupMean: {
    symbol: 'μ',
    name: 'mean of the group',
    word: 'Group',
    help: 'Mean reward of all members of the group, including the member whose advantage is computed.',
  },
  groupSpread: {
    symbol: 'σ',
    name: 'spread of the group',
    word: 'Group',
    help: 'Unbiased standard deviation of the group’s rewards.',
  },
  othersMean: {
    symbol: 'μ₋',
    name: 'mean of the others',
    word: 'RLOO',
    help: 'Mean reward of the other members of the group.',
  },
  outcomeShare: {
    symbol: 'α',
    name: 'share of the outcome',
    help: 'A setting: the share of the advantage that comes from the outcome of the whole dialogue; the remaining share comes from the reward of the step.',
  },
  stepReward: {
    symbol: 'Rₛ',
    name: 'reward of the step',
    word: 'Outcome and step',
    help: 'The reward of this single turn: the weighted sum of the reward components for single turns.',
  },
  stepMean: {
    symbol: 'μₛ',
    name: 'mean of the same step',
    word: 'Outcome and step',
    help: 'Mean reward of this turn in the rollouts of the group; with RLOO, only in the other rollouts.',
  },
  stepSpread: {
    symbol: 'σₛ',
    name: 'spread of the same step',
    word: 'Outcome and step',
    help: 'Unbiased standard deviation of the reward of this turn over the rollouts of the group.',
  },
  outcomeAdvantage: {
    symbol: 'Aₒ',
    name: 'outcome advantage',
    word: 'Outcome and step',
    help: 'The reward of the whole dialogue compared with the other dialogues of its group; 0 if there are no others.',
  },
  stepAdvantage: {
    symbol: 'Aₛ',
    name: 'step advantage',
    word: 'Outcome and step',
    help: 'The reward of this turn compared with the same turn in the other rollouts of its group; 0 if no other rollout has this turn.',
  },
  confidence: {
    symbol: 'κ',
    name: 'gain of confidence',
    word: 'Advantage',
    help: 'exp(−α · z), where z is the mean of −log p over the tokens, standardised within the group. A more confident turn or dialogue has a lower z, so it counts more.',
  },
  roundValue: {
    symbol: 'Qₜ',
    name: 'value of the round',
    word: 'QMIX',
    help: 'The value that the mixing critic predicted for the round, given all messages of the round, before the critic learned from this dialogue.',
  },
  roundWithout: {
    symbol: 'Q₀',
    name: 'value without the message',
    word: 'QMIX',
    help: 'The critic’s prediction for the round if the value of this message is replaced by the mean value of the agent’s messages with the same context.',
  },
  missed: {
    symbol: 'ω',
    name: 'what the critic missed',
    word: 'QMIX',
    help: 'The difference between the team’s return and the predicted value of the round, times the weight of the residual return in the settings. Any KL penalty has been deducted.',
  },
  worth: {
    symbol: 'C',
    name: 'worth of the message',
    word: 'QMIX',
    help: 'The amount that the message adds to the value of its round, plus the reward that the critic did not predict.',
  },
  othersWorth: {
    symbol: 'μ',
    name: 'worth of those compared',
    help: 'Mean worth of the agent’s messages that follow the same text, including this message; if there is no other such message, the advantage is 0.',
  },
  comparedSpread: {
    symbol: 's',
    name: 'spread of all compared',
    help: 'Unbiased standard deviation of C − μ, the worth of a message minus the mean of its group, over all compared messages.',
  },
  toGo: {
    symbol: 'G',
    name: 'reward to come',
    word: 'REINFORCE++',
    help: 'The agent’s reward from this token on, discounted by γ for each step.',
  },
  batchMean: {
    symbol: 'm',
    name: 'mean over the batch',
    help: 'Mean of G over all tokens of the iteration, or, if each agent has its own reward, over all tokens of this agent.',
  },
  batchSpread: {
    symbol: 's',
    name: 'spread over the batch',
    help: 'Unbiased standard deviation of G over the same tokens as for the mean m.',
  },
  advantageMean: {
    symbol: 'm',
    name: 'mean advantage',
    help: 'Mean advantage over all tokens of this agent in the iteration.',
  },
  advantageSpread: {
    symbol: 's',
    name: 'spread of the advantages',
    help: 'Unbiased standard deviation of the advantage over all tokens of this agent in the iteration.',
  },
  paid: {
    symbol: 'R',
    name: 'reward here',
    word: 'Episode reward',
    help: 'The reward at this token or turn, after any KL penalty has been deducted.',
  },
  value: {
    symbol: 'V',
    name: 'value',
    word: 'Critic',
    help: 'The return that the critic predicted from this position on, before the update.',
  },
  nextValue: {
    symbol: 'V₊',
    name: 'next value',
    word: 'Critic',
    help: 'The critic’s prediction at the agent’s next token or turn; 0 if the agent has no further token or turn.',
  },
  nextAdvantage: {
    symbol: 'A₊',
    name: 'next advantage',
    word: 'GAE',
    help: 'Advantage of the agent’s next token or turn; 0 if the agent has no further token or turn.',
  },
  gamma: {
    symbol: 'γ',
    name: 'discount',
    help: 'A setting: the factor by which a reward is discounted for each step.',
  },
  lambda: {
    symbol: 'λ',
    name: 'look ahead',
    word: 'GAE',
    help: 'A setting: with 0, the advantage uses, besides the prediction at this position, only the reward here and the next prediction; with 1, it uses all later rewards and no later prediction.',
  },
  others: {
    symbol: 'Π',
    name: 'change by earlier updates',
    word: 'HAPPO',
    help: 'Product of the ratios of the messages in this round whose agents were updated before this agent, clipped to [e⁻³, e³].',
  },
  sequential: {
    symbol: 'M',
    name: 'advantage after earlier updates',
    word: 'HAPPO',
    help: 'The agent’s advantage, adjusted for the agents that were updated before this agent.',
  },
  gap: {
    symbol: 'g',
    name: 'gap to the reference',
    word: 'Reference',
    help: 'log p of this token after the update − log p under the frozen reference.',
  },
  better: {
    symbol: 'G₊',
    name: 'gap of the preferred',
    word: 'DPO',
    help: 'Sum of the gaps g over all tokens of this network in the preferred dialogue; with IPO, the mean of these gaps.',
  },
  worse: {
    symbol: 'G₋',
    name: 'gap of the rejected',
    word: 'DPO',
    help: 'Sum of the gaps g over all tokens of this network in the rejected dialogue; with IPO, the mean of these gaps.',
  },
  margin: {
    symbol: 'Δ',
    name: 'margin',
    word: 'DPO',
    help: 'The gap of the preferred dialogue minus the gap of the rejected dialogue, after the update.',
  },
  beta: {
    symbol: 'β',
    name: 'strength of the pull',
    help: 'A setting: how strongly the agents are kept near the reference.',
  },
  smoothing: {
    symbol: 'ε',
    name: 'share of pairs in doubt',
    help: 'A setting: the assumed share of pairs in which the preferred and the rejected dialogue are exchanged by mistake.',
  },
  side: {
    symbol: 's',
    name: 'side',
    word: 'DPO',
    help: '1 if the token belongs to the preferred dialogue, −1 if it belongs to the rejected one.',
  },
  push: {
    symbol: 'q',
    name: 'push on the token',
    word: 'DPO',
    help: 'Derivative of the pair’s loss with respect to log p of this token. The loss is minimised, so a negative value makes the token likelier.',
  },
  logp: { symbol: 'log p', name: 'log-probability', help: 'The log-probability of this token, after the update.' },
  logratio: {
    symbol: 'd',
    name: 'log-ratio',
    word: 'Ratio',
    help: 'log p after the update − log p at sampling, averaged over the tokens that share a ratio.',
  },
  clamp: {
    symbol: 'd₊',
    name: 'max log-ratio',
    help: 'A setting: the largest log-ratio that is used, so that one token cannot outweigh all others.',
  },
  ratio: { symbol: 'r', name: 'ratio', word: 'Ratio', help: 'The ratio after the iteration’s last update.' },
  low: { symbol: '1−ε', name: 'lower end of the band', word: 'Clip', help: 'A setting.' },
  high: { symbol: '1+ε′', name: 'upper end of the band', word: 'Clip', help: 'A setting.' },
  dual: {
    symbol: 'c',
    name: 'dual clip',
    word: 'Dual clip',
    help: 'A setting: if the advantage A is negative, the loss is at most c·|A|.',
  },
  unclipped: {
    symbol: 'L₁',
    name: 'unclipped loss',
    word: 'Clipped?',
    help: 'The gain A·r with the opposite sign. A loss is minimised, so the min() of two gains becomes the max(L₁, L₂) of two losses.',
  },
  clipped: { symbol: 'L₂', name: 'clipped loss', word: 'Clipped?', help: 'The loss computed with the clipped ratio.' },
  loss: {
    symbol: 'L',
    name: 'loss of the token',
    word: 'Loss',
    help: 'The larger of the two losses L₁ and L₂, which corresponds to the smaller of the two gains.',
  },
  weight: {
    symbol: 'w',
    name: 'weight',
    help: 'The weight of this token in the loss of its minibatch in the first epoch; the weight depends on the aggregation.',
  },
  share: {
    symbol: '1/N',
    name: 'share of the token',
    help: '1 divided by the number of tokens in the minibatch that count in the loss.',
  },
  valueBefore: {
    symbol: 'V₀',
    name: 'value before',
    word: 'Critic',
    help: 'The critic’s prediction at this token before the update.',
  },
  valueNow: {
    symbol: 'V′',
    name: 'value now',
    word: 'Critic',
    help: 'The critic’s prediction at this token after the update.',
  },
  target: {
    symbol: 'R̂',
    name: 'return',
    word: 'Critic',
    help: 'The critic’s target: the advantage plus the value before the update.',
  },
  valueClip: {
    symbol: 'εᵥ',
    name: 'value clip',
    help: 'A setting: the largest change of the predicted value that is used in the clipped error.',
  },
  valueError: {
    symbol: 'E',
    name: 'error of the value',
    word: 'Critic',
    help: 'Half of the larger of two squared errors: the plain error and the clipped error.',
  },
  vfCoef: { symbol: 'cᵥ', name: 'weight of the value', help: 'A setting.' },
  valuePart: {
    symbol: 'ℓᵥ',
    name: 'part of the value',
    word: 'Loss',
    help: 'The critic’s error, times its weight in the loss.',
  },
  entropyOf: {
    symbol: 'H',
    name: 'entropy',
    word: 'Entropy',
    help: 'The entropy of the next-token distribution at this position, after the update.',
  },
  entCoef: { symbol: 'cₕ', name: 'weight of the entropy', help: 'A setting.' },
  isLiving: {
    symbol: 'a',
    name: 'not dead',
    word: 'Dead group',
    help: '1 if any token of the agent in this dialogue has an advantage other than 0; otherwise 0, so that there is no entropy bonus. If the ratio is computed for the whole dialogue, the tokens of all agents count.',
  },
  entropyPart: {
    symbol: 'ℓₕ',
    name: 'part of the entropy',
    word: 'Loss',
    help: 'A value below 0 means that uncertainty is slightly rewarded.',
  },
  distance: {
    symbol: 'k',
    name: 'distance to the reference',
    word: 'KL',
    help: 'The distance is computed with the estimator chosen in the settings, after the update.',
  },
  klCoef: { symbol: 'cₖ', name: 'weight of the KL', help: 'A setting.' },
  klPart: {
    symbol: 'ℓₖ',
    name: 'part of the KL',
    word: 'Loss',
    help: 'The distance to the reference, times its weight in the loss.',
  },
  total: {
    symbol: 'Σ',
    name: 'part of the token in all',
    word: 'Loss',
    help: 'The contribution of this token to the loss. The loss is the sum of the contributions of a minibatch.',
  },
  part: {
    symbol: 'ℓ',
    name: 'part in the loss',
    word: 'Loss',
    help: 'The contribution of this token or pair to the loss. The loss is the sum of the contributions of a minibatch.',
  },
} as const satisfies Record<string, FormulaTerm>;
export type TermName = keyof typeof formulaTerms;
export const termNames = Object.keys(formulaTerms) as TermName[];

const termName = v.picklist(termNames);

const lineSchema = v.object({
  title: v.string(),
  left: termName,
  /** Terms, and the texts and signs between them. */
  right: v.array(v.union([v.string(), v.object({ term: termName })])),
});
export type FormulaLine = v.InferOutput<typeof lineSchema>;
export type FormulaPart = FormulaLine['right'][number];

/**
 * A template tag that makes the parts of a formula, as in `parts`−${'used'} · ${'ratio'}``. Each inserted value is the
 * name of a term, or a list of parts.
 */
export const parts = (words: TemplateStringsArray, ...terms: (TermName | FormulaPart[])[]): FormulaPart[] =>
  words.flatMap((word, i) => {
    const term = terms[i];
    return [...(word === '' ? [] : [word]), ...(typeof term === 'string' ? [{ term }] : (term ?? []))];
  });

export const formulaSchema = v.object({
  learner: v.picklist(learnerNames),
  /** The kind of loss; absent for the clipped policy loss, whose formula is a min(). */
  loss: v.exactOptional(v.picklist(['preference', 'imitation', 'demonstration'])),
  lines: v.array(lineSchema),
  /** The terms that are equal for all tokens of the group. */
  constants: v.record(termName, anyNumber),
});
export type Formula = v.InferOutput<typeof formulaSchema>;

/** The values of further terms, by term and token. The other terms of a token are columns of the turn's inspection. */
export const turnTerms = v.record(termName, v.array(anyNumber));
export type TurnTerms = v.InferOutput<typeof turnTerms>;

/** The values of all terms for one token. A term that the formula does not use is NaN or absent. */
export type TermValues = Partial<Record<TermName, number>>;

/** The columns of a turn's inspection from which the formula takes values. */
export interface FormulaColumns {
  tokens: string[];
  advantage: number[];
  ratio: number[];
  terms?: TurnTerms;
}

/** All numbers of the formula for token `i` of a turn; null if the learner does not learn from the turn. */
export function termValues(formula: Formula, turn: FormulaColumns, i: number): TermValues | null {
  if (!turn.terms || turn.tokens[i] === undefined) return null;
  const values: TermValues = { ...formula.constants, advantage: turn.advantage[i], whitened: turn.advantage[i] };
  Object.assign(values, { sequential: turn.advantage[i], used: turn.advantage[i], ratio: turn.ratio[i] });
  for (const name of termNames) if (turn.terms[name]) values[name] = turn.terms[name][i];
  if (values.loss !== undefined) return { ...values, part: (values.weight ?? 0) * values.loss };
  const { used = 0, ratio = 1, low = 0, high = Infinity, dual = Infinity, weight = 0 } = values;
  const unclipped = -used * ratio;
  const clipped = -used * Math.min(Math.max(ratio, low), high);
  const bound = used < 0 ? -used * dual : Infinity;
  const loss = Math.min(Math.max(unclipped, clipped), bound);
  const part = weight * loss;
  const sides = sideParts(values);
  const total = Object.values(sides).reduce((sum: number, side) => sum + (Number.isFinite(side) ? side : 0), part);
  return { ...values, unclipped, clipped, loss, part, ...sides, valueError: valueError(values), total };
}

/**
 * The contributions of the value loss, the entropy and the KL penalty to the loss; NaN for a contribution that the
 * learner does not have.
 */
function sideParts(values: TermValues) {
  const { share = Number.NaN, vfCoef, entCoef, klCoef, entropyOf, isLiving = 1, distance } = values;
  const times = (coef: number | undefined, x: number | undefined) => (coef ?? Number.NaN) * (x ?? Number.NaN) * share;
  return {
    valuePart: times(vfCoef, valueError(values)),
    entropyPart: -times(entCoef, entropyOf) * isLiving,
    klPart: times(klCoef, distance),
  };
}

function valueError({ valueNow, valueBefore, target, valueClip }: TermValues): number {
  const [now, before, aim, clip] = [valueNow, valueBefore, target, valueClip].map((x) => x ?? Number.NaN) as [
    number,
    number,
    number,
    number,
  ];
  const near = before + Math.min(Math.max(now - before, -clip), clip);
  return Math.max((now - aim) ** 2, (near - aim) ** 2) / 2;
}
