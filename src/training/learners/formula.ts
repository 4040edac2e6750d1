// How a learner computes an advantage, as lines of terms with their numbers, which the page fills in: its formula card.
// The numbers come from the same functions as the advantages. A term that does not apply (the group of a lone member)
// is NaN.
import type { Config } from '../../config/schema.ts';
import type { FormulaLine, FormulaPart, TermName, TermValues } from '../../records/formula.ts';
import type { Collected } from './learner.ts';
import type { Units } from './units.ts';

/** [B·T] each; values on masked tokens are meaningless. */
export type TermColumns = Partial<Record<TermName, Float64Array>>;

export interface LearnerFormula {
  /** The terms of the advantage, one line each before it; absent if there are none. */
  before?: (config: Config) => FormulaLine[];
  /** The value of the advantage. */
  advantage: (config: Config) => FormulaPart[];
  constants: (config: Config) => TermValues;
  terms: (collected: Collected) => TermColumns;
  /** Whether all tokens of a span have one advantage, before it is whitened. */
  isUniform: (config: Config) => boolean;
  /** The card while a mixing critic only learns; if absent, this one. */
  early?: LearnerFormula;
}

/** [B·T] the known facts about each token, as columns; NaN if unknown. */
export function columnsOf(known: readonly (TermValues | undefined)[], { batch }: Collected): TermColumns {
  const names = Object.keys(known.find((values) => values) ?? {}) as TermName[];
  const column = (name: TermName) => Float64Array.from(batch.ids, (_, at) => known[at]?.[name] ?? Number.NaN);
  return Object.fromEntries(names.map((name) => [name, column(name)]));
}

/** Gives each token the facts about its unit. */
export function unitColumns(
  { keys, unitOf }: Units,
  of: (unit: number) => TermValues,
  collected: Collected,
): TermColumns {
  const found = keys.map((_, unit) => of(unit));
  const known = Array.from(unitOf, (unit) => found[unit]);
  return columnsOf(known, collected);
}

/** The terms of a generalised advantage estimate, step by step. */
export const estimateTerms = (steps: readonly { reward: number; value: number; advantage: number }[]): TermValues[] =>
  steps.map(({ reward, value }, i) => {
    const next = steps[i + 1];
    return { paid: reward, value, nextValue: next?.value ?? 0, nextAdvantage: next?.advantage ?? 0 };
  });
