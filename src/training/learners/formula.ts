// A learner's formula card: the computation of an advantage as lines of terms with their numbers, which the page fills
// in. The numbers come from the same functions as the advantages. A term that does not apply (the group of a lone
// member) is NaN.
import type { Config } from '../../config/schema.ts';
import type { FormulaLine, FormulaPart, TermName, TermValues } from '../../records/formula.ts';
import type { Collected } from './learner.ts';
import type { Units } from './units.ts';

/** The numbers of each term, [B·T]; numbers at masked tokens are meaningless. */
export type TermColumns = Partial<Record<TermName, Float64Array>>;

export interface LearnerFormula {
  /** The terms of the advantage, one line each, shown above the advantage; absent if there are none. */
  before?: (config: Config) => FormulaLine[];
  /** The right side of the line for the advantage. */
  advantage: (config: Config) => FormulaPart[];
  constants: (config: Config) => TermValues;
  terms: (collected: Collected) => TermColumns;
  /** Whether all tokens of a span have the same advantage before whitening. */
  isUniform: (config: Config) => boolean;
  /** The card for the iterations in which a mixing critic only learns; if absent, this card is used there too. */
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
