// Formulas as a visitor writes them; imported by tests only.
import { formulaLine, formulaNames } from '../sections/ownFormula.ts';

/**
 * The text of the formula with this name that returns the expression `each` for each reward. In the expression, `total`
 * is the sum of the rewards.
 */
export const formulaOf = (name: string, each: string, before = ''): string =>
  `${formulaLine(name)}
function advantages(rewards, values, gamma, lambda) {
  const total = rewards.reduce((sum, reward) => sum + reward, 0);
  ${before}
  return rewards.map((reward, i) => ${each});
}
`;

/** The texts of formulas: the empty text, and one for each exercise. */
export const formulaTexts: readonly string[] = [
  '',
  ...formulaNames.map((name) => formulaOf(name, 'reward - total / 2')),
];
