// The formula of a learner as data. The formula consists of lines of terms, for which the page inserts the numbers of
// one token. The inspection of a group contains the lines and the terms that are equal for all its tokens. The
// inspection of each turn contains the other terms, token by token. The symbols are the same as in PPO (1707.06347) and
// GRPO (2402.03300).
import * as v from 'valibot';
import { learnerNames } from '../config/learners/registry.ts';
import { anyNumber } from './trajectory.ts';

/** The terms of formulas, with their symbols. */
export const termSymbols = {
  advantage: 'A',
  whitened: 'A′',
  used: 'Ā',
  reward: 'R',
  groupMean: 'μ',
  groupSpread: 'σ',
  othersMean: 'μ₋',
  lengthMean: 'μₗ',
  othersBest: 'b₋',
  outcomeShare: 'α',
  stepReward: 'Rₛ',
  stepMean: 'μₛ',
  stepSpread: 'σₛ',
  outcomeAdvantage: 'Aₒ',
  stepAdvantage: 'Aₛ',
  confidence: 'κ',
  roundValue: 'Qₜ',
  roundWithout: 'Q₀',
  missed: 'ω',
  worth: 'C',
  othersWorth: 'μ',
  comparedSpread: 's',
  toGo: 'G',
  batchMean: 'm',
  batchSpread: 's',
  advantageMean: 'm',
  advantageSpread: 's',
  paid: 'R',
  value: 'V',
  nextValue: 'V₊',
  nextAdvantage: 'A₊',
  gamma: 'γ',
  lambda: 'λ',
  others: 'Π',
  sequential: 'M',
  gap: 'g',
  better: 'G₊',
  worse: 'G₋',
  margin: 'Δ',
  beta: 'β',
  smoothing: 'ε',
  targetMargin: 'γ',
  side: 's',
  push: 'q',
  logp: 'log p',
  logratio: 'd',
  clamp: 'd₊',
  ratio: 'r',
  low: '1−ε',
  high: '1+ε′',
  dual: 'c',
  cut: 'r̄',
  heatPositive: 'τ₊',
  heatNegative: 'τ₋',
  heat: 'τ',
  gate: 'g',
  unclipped: 'L₁',
  clipped: 'L₂',
  loss: 'L',
  weight: 'w',
  share: '1/N',
  valueBefore: 'V₀',
  valueNow: 'V′',
  target: 'R̂',
  valueClip: 'εᵥ',
  valueError: 'E',
  vfCoef: 'cᵥ',
  valuePart: 'ℓᵥ',
  entropyOf: 'H',
  entCoef: 'cₕ',
  isLiving: 'a',
  entropyPart: 'ℓₕ',
  distance: 'k',
  klCoef: 'cₖ',
  klPart: 'ℓₖ',
  total: 'Σ',
  part: 'ℓ',
} as const;
export type TermName = keyof typeof termSymbols;
export const termNames = Object.keys(termSymbols) as TermName[];

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
  /** The kind of loss; absent for a policy loss. */
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
  const policy = policyTerms(formula, values);
  const part = (values.weight ?? 0) * policy.loss;
  const sides = sideParts(values);
  const total = Object.values(sides).reduce((sum: number, side) => sum + (Number.isFinite(side) ? side : 0), part);
  return { ...values, ...policy, part, ...sides, valueError: valueError(values), total };
}

/** The policy loss of a token and the terms on the way to it. The lines of the formula tell which loss it is. */
function policyTerms({ lines }: Formula, values: TermValues): TermValues & { loss: number } {
  const { used = 0, ratio = 1, low = 0, high = Infinity, dual = Infinity, logp = Number.NaN } = values;
  const has = (name: TermName) => lines.some(({ left }) => left === name);
  const cut = Math.min(Math.max(ratio, low), high);
  if (has('cut')) return { cut, loss: -used * cut * logp };
  if (has('gate')) {
    const heat = (used > 0 ? values.heatPositive : values.heatNegative) ?? Number.NaN;
    const gate = 4 / (heat * (1 + Math.exp(-heat * (ratio - 1))));
    return { heat, gate, loss: -used * gate };
  }
  if (!has('clipped')) return { loss: -used * ratio };
  const [unclipped, clipped] = [-used * ratio, -used * cut];
  const bound = used < 0 ? -used * dual : Infinity;
  return { unclipped, clipped, loss: Math.min(Math.max(unclipped, clipped), bound) };
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
