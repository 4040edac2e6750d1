// Every learner's formula card by its name.
import type { Config } from '../../config/schema.ts';
import type { LearnerFormula } from './formula.ts';
import type { Collected } from './learner.ts';

const found = import.meta.glob<LearnerFormula>('../../extensions/learners/*/formula.ts', {
  eager: true,
  import: 'formula',
});

function byName(): Partial<Record<string, LearnerFormula>> {
  return Object.fromEntries(Object.entries(found).map(([file, formula]) => [file.split('/').at(-2), formula]));
}

/** Learners of a policy loss have one. */
const formulas = /* @__PURE__ */ byName();

/** The card of a learner in an iteration; null for one without. `collected.mixed` tells whether a mixing critic only learns yet. */
export function learnerFormulaOf({ learning }: Config, { mixed }: Pick<Collected, 'mixed'>): LearnerFormula | null {
  const card = formulas[learning.learner] ?? null;
  if (card?.early && !mixed) return card.early;
  return card && learning.ownFormula !== '' ? written(card) : card;
}

/** The card where a visitor's formula takes the place of the learner's: what it makes of the rewards only it knows. */
const written = (card: LearnerFormula): LearnerFormula => ({
  ...card,
  before: () => [],
  advantage: () => ['what your own formula gives'],
});
