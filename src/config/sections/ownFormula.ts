// Formulas of a learner that a visitor can write. The line `// cothink exercise: NAME` in the text determines which
// formula it defines. A formula that is listed in `ownFormulas` is also used in training, instead of the learner's own
// formula.
import * as v from 'valibot';
import { spoken } from '../../base/spoken.ts';
import type { Condition, FieldNotes } from '../field.ts';
import { learnersWhere, type LearnerName } from '../learners/registry.ts';

/**
 * Maximum length of a formula in characters. It is limited because the formula is stored with the run and must fit in a
 * link.
 */
const longest = 4_000;

export interface OwnFormulaFacts {
  /** The learners whose own formula a visitor's formula can replace. */
  learners: readonly LearnerName[];
  /**
   * Settings with which a correct solution computes the same result as the learner's own formula. If a setting has
   * several such values, the first one is offered.
   */
  reference: Condition;
  /**
   * The data that one call of the formula receives: the members of a group, or the steps of an agent in a trajectory.
   */
  over: 'group' | 'steps';
  /** The name of the function that the formula defines. */
  calls: string;
}

const comparing = learnersWhere(({ groups }) => groups === 'units');
const estimating = learnersWhere(({ critic }) => critic === 'own');
/** Learners whose advantages can be computed by a correct solution of the exercise. */
const taughtBy = (name: string) => learnersWhere(({ exercise }) => exercise === name);

/** The formulas that are used in training, by the names of their exercises. */
export const ownFormulas: Readonly<Record<string, OwnFormulaFacts>> = {
  groupMean: {
    ...{ over: 'group', calls: 'advantages', learners: comparing },
    reference: { 'learning.learner': taughtBy('groupMean'), 'learning.groupStd': true },
  },
  leaveOneOut: {
    ...{ over: 'group', calls: 'advantages', learners: comparing },
    reference: { 'learning.learner': taughtBy('leaveOneOut') },
  },
  gae: {
    ...{ over: 'steps', calls: 'advantages', learners: estimating },
    reference: { 'learning.learner': taughtBy('gae') },
  },
};

/** The names of all formulas that are used in training. */
export const formulaNames = Object.keys(ownFormulas);

/** The line of a text that states which formula the text defines. */
export const formulaLine = (name: string): string => `// cothink exercise: ${name}`;

/** The name of the formula that a text defines; null if the text contains none. */
export const formulaNameIn = (text: string): string | null =>
  /^\/\/ cothink exercise: (\w+)\s*$/m.exec(text.slice(0, 1_000))?.[1] ?? null;

/** The facts about the formula that a text defines; undefined if this formula is not used in training. */
export const formulaFactsIn = (text: string): OwnFormulaFacts | undefined => {
  const name = formulaNameIn(text);
  return name !== null && Object.hasOwn(ownFormulas, name) ? ownFormulas[name] : undefined;
};

const isFormula = (text: unknown): text is string =>
  text === '' || (typeof text === 'string' && text.length <= longest && formulaFactsIn(text) !== undefined);

/** Describes which texts are valid formulas. */
export const formulaWords = () =>
  spoken`nothing, or at most ${longest} characters of JavaScript with the line ${formulaLine('NAME')}, where NAME is one of ${formulaNames.join(', ')}`;

/** A field for the text of a formula; an empty text means that there is no formula. */
export function formulaText(notes: FieldNotes) {
  return v.optional(v.pipe(v.custom<string>(isFormula), v.metadata({ kind: 'formula', ...notes })), '');
}
