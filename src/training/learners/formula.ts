// A learner's formula card shows how an advantage is calculated. It consists of lines of terms, and the page inserts
// the numbers. The numbers come from the same functions as the advantages. A term that does not apply (for example, the
// spread of a group with one member) is NaN.
import type { Config } from '../../config/schema.ts';
import type { FormulaLine, FormulaPart, TermName, TermValues } from '../../records/formula.ts';
import type { Collected } from './learner.ts';
import type { Units } from './units.ts';

/** The numbers of each term, [B·T]; numbers at masked tokens are meaningless. */
export type TermColumns = Partial<Record<TermName, Float64Array>>;

export interface LearnerFormula {
  /**
   * The lines before the line of the advantage. Each line calculates a term of the advantage. Absent if there are no
   * such lines.
   */
  before?: (config: Config) => FormulaLine[];
  /** The right side of the line for the advantage. */
  advantage: (config: Config) => FormulaPart[];
  constants: (config: Config) => TermValues;
  terms: (collected: Collected) => TermColumns;
  /** Whether all tokens of a span have the same advantage before whitening. */
  isUniform: (config: Config) => boolean;
  /**
   * The card for the first iterations, in which a mixing critic is trained but not yet used for advantages. If absent,
   * the same card is used in all iterations.
   */
  early?: LearnerFormula;
}

/** [B·T] the given terms as columns, with the number of each token; NaN for tokens without such a number. */
export function columnsOf(known: readonly (TermValues | undefined)[], { batch }: Collected): TermColumns {
  const names = Object.keys(known.find((values) => values) ?? {}) as TermName[];
  const column = (name: TermName) => Float64Array.from(batch.ids, (_, at) => known[at]?.[name] ?? Number.NaN);
  return Object.fromEntries(names.map((name) => [name, column(name)]));
}

/** Copies the numbers of each unit to all tokens of the unit. */
export function unitColumns(
  { keys, unitOf }: Units,
  of: (unit: number) => TermValues,
  collected: Collected,
): TermColumns {
  const found = keys.map((_, unit) => of(unit));
  const known = Array.from(unitOf, (unit) => found[unit]);
  return columnsOf(known, collected);
}

/** The terms of a generalised advantage estimate (GAE), step by step. */
export const estimateTerms = (steps: readonly { reward: number; value: number; advantage: number }[]): TermValues[] =>
  steps.map(({ reward, value }, i) => {
    const next = steps[i + 1];
    return { paid: reward, value, nextValue: next?.value ?? 0, nextAdvantage: next?.advantage ?? 0 };
  });
