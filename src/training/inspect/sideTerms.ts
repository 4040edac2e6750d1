// What a token adds to the loss beside the policy's own part: value, entropy and KL terms, as lines of the formula card and
// the numbers in them. total = policyLoss + vfCoef·valueLoss − entCoef·entropy + klCoef·refKl
import type { Config } from '../../config/schema.ts';
import type { FormulaLine, FormulaPart, TermName } from '../../records/formula.ts';
import type { TermColumns } from '../learners/formulas.ts';
import { learners } from '../learners/registry.ts';
import { klOf } from '../maths/kl.ts';

const term = (name: TermName): FormulaPart => ({ term: name });

const hasValues = ({ learning }: Config) => learners[learning.learner].critic === 'head';
const hasDistance = ({ kl }: Config) => kl.place === 'loss';

/** The lines that these settings ask for, and what is the same for all tokens. */
export function sideLines(config: Config): { lines: FormulaLine[]; constants: Partial<Record<TermName, number>> } {
  const { learning, kl } = config;
  const parts: TermName[] = ['part'];
  const lines: FormulaLine[] = [];
  const constants: Partial<Record<TermName, number>> = {};
  if (hasValues(config)) {
    const step: FormulaPart[] = [term('valueBefore'), ' + clip(', term('valueNow'), ' − ', term('valueBefore')];
    const near: FormulaPart[] = ['(', ...step, ', ±', term('valueClip'), ') − ', term('target'), ')²'];
    const far: FormulaPart[] = ['(', term('valueNow'), ' − ', term('target'), ')²'];
    lines.push({ title: 'Value error', left: 'valueError', right: ['max(', ...far, ', ', ...near, ') / 2'] });
    const right = [term('vfCoef'), ' · ', term('valueError'), ' · ', term('share')];
    lines.push({ title: 'Value part', left: 'valuePart', right });
    Object.assign(constants, { vfCoef: learning.vfCoef, valueClip: learning.valueClip });
    parts.push('valuePart');
  }
  if (learning.entCoef > 0) {
    const right = ['−', term('entCoef'), ' · ', term('entropyOf'), ' · ', term('share')];
    lines.push({ title: 'Entropy part', left: 'entropyPart', right });
    constants.entCoef = learning.entCoef;
    parts.push('entropyPart');
  }
  if (hasDistance(config)) {
    const right = [term('klCoef'), ' · ', term('distance'), ' · ', term('share')];
    lines.push({ title: 'KL part', left: 'klPart', right });
    constants.klCoef = kl.coef;
    parts.push('klPart');
  }
  if (parts.length > 1) {
    const right = parts.flatMap((name, i) => (i === 0 ? [term(name)] : [' + ', term(name)]));
    lines.push({ title: 'In all', left: 'total', right });
  }
  return { lines, constants };
}

/** What of a token is known after the update; [N] each. */
export interface Now {
  entropies: Float64Array;
  logprobs: Float64Array;
  /** Log-probabilities of the reference; null without one. */
  reference: ArrayLike<number> | null;
  /** The critic's values; null without one. */
  values: ArrayLike<number> | null;
}

/** The numbers of these lines that the update was not given; [N] each. */
export function sideTerms(config: Config, { entropies, logprobs, reference, values }: Now): TermColumns {
  const terms: TermColumns = {};
  if (config.learning.entCoef > 0) terms.entropyOf = entropies;
  if (hasDistance(config) && reference)
    terms.distance = logprobs.map((logp, at) => klOf((reference[at] as number) - logp, config.kl.estimator));
  if (hasValues(config) && values) terms.valueNow = Float64Array.from(values);
  return terms;
}
