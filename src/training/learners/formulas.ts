// The formula card of every learner, by the name of the learner.
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

/** Every learner with a policy loss has a formula card. */
const formulas = /* @__PURE__ */ byName();

/**
 * The card of a learner in an iteration; null for a learner without a card. As long as `collected.mixed` is absent, a
 * mixing critic is trained but not yet used for advantages.
 */
export function learnerFormulaOf({ learning }: Config, { mixed }: Pick<Collected, 'mixed'>): LearnerFormula | null {
  const card = formulas[learning.learner] ?? null;
  if (card?.early && !mixed) return card.early;
  return card && learning.ownFormula !== '' ? written(card) : card;
}

/**
 * The formula card if a visitor's own formula replaces the formula of the learner. The card shows no terms, because it
 * is not known how the visitor's formula uses the rewards.
 */
const written = (card: LearnerFormula): LearnerFormula => ({
  ...card,
  before: () => [],
  advantage: () => ['what your own formula gives'],
});
