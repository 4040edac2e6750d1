// `cothink/inspect`: what was learned, with its uncertainty. Shares and intervals, the value of several answers, what
// messages carry, calibration, signs of convergence and collapse, and the formula of a loss as text.
import type { Formula } from '../src/records/formula.ts';
import { formulaTerms } from '../src/records/formulaTerms.ts';
import { metricTable } from '../src/records/metrics.ts';
import { formulaOf } from '../src/training/inspect/formula.ts';
import { completeSettings, type GivenSettings } from './settings.ts';

export * from './errors.ts';
export {
  pairedShares,
  shareDifference,
  tInterval,
  welch,
  type Estimate,
  type PairedShares,
} from '../src/base/intervals.ts';
export { mean, median, spearman, std, wilson, type Interval } from '../src/base/stats.ts';
export { fallOf, type Fall } from '../src/records/collapse.ts';
export { convergedFor, recentChange, type Recent } from '../src/records/convergence.ts';
export type { Evaluation } from '../src/records/metrics.ts';
export { auc, calibrationError, logLoss, reliabilityCurve, type Judged } from '../src/training/maths/calibration.ts';
export { majorityAtK, passAtK, type Votes } from '../src/training/maths/manyAnswers.ts';
export { mutualBits, type MessageSample } from '../src/training/maths/messageBits.ts';

/** A metric of an iteration: its name, its formula, and its source. */
export interface MetricFacts {
  name: string;
  label: string;
  formula: string;
  source: string;
  unit?: string;
}

/** All metrics, as docs/metrics.md lists them. */
export const metrics = (): MetricFacts[] => metricTable.map((metric) => ({ ...metric }));

/** One line of a formula card: a title, and the equation as text. */
export interface FormulaText {
  title: string;
  equation: string;
}

/**
 * The loss that these settings train with, line by line, as the page shows it for a token; empty for a learner without a
 * formula card. Throws ConfigError.
 */
export function formula(given: GivenSettings): FormulaText[] {
  const card: Formula | null = formulaOf(completeSettings(given), {});
  const symbol = (term: keyof typeof formulaTerms) => formulaTerms[term].symbol;
  return (card?.lines ?? []).map(({ title, left, right }) => ({
    title,
    equation: `${symbol(left)} = ${right.map((part) => (typeof part === 'string' ? part : symbol(part.term))).join('')}`,
  }));
}
