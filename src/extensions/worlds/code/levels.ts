// The three levels, in the order in which the form lists them, and the maximum lengths of texts on each level.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';
import type { Form } from './programs.ts';

interface Level {
  form: Form;
  /** Maximum lengths in tokens of the description and of the two examples. The harder split is included. */
  descriptionLength: number;
  examplesLength: number;
  /** Maximum length of a program. */
  programLength: number;
}

const table: readonly Level[] = [
  { form: 'pick', descriptionLength: 8, examplesLength: 35, programLength: 8 },
  { form: 'pickAndChange', descriptionLength: 12, examplesLength: 41, programLength: 13 },
  { form: 'changeInPlace', descriptionLength: 9, examplesLength: 45, programLength: 14 },
];

/**
 * The maximum number of programs in a dialogue. The dialogue ends after the last program, so no further round is
 * needed.
 */
export const mostTries = 3;

/** The number of elements in the lists of an example. In the harder split, the lists have one more element. */
export const lengthOf = (split: Split) => (split === 'harder' ? 4 : 3);

/** The level with this number; throws ConfigError if there is none. */
export const levelOf = (level: number): Level => levelIn(table, level);

export function limits(level: number, { roles, hasSteps, rounds }: Protocol): WorldLimits {
  const { form, descriptionLength, examplesLength, programLength } = levelOf(level);
  const promptWindow = 1 + descriptionLength + examplesLength + 2; // <bos>, the name, <eot>
  const planWindow = (form === 'pick' ? 1 : 3) + 1;
  return {
    ...{ promptWindow, observationWindow: 20 },
    roundLimit: hasSteps ? mostTries : rounds,
    windows: hasSteps ? [planWindow, programLength + 1] : roles.map(() => programLength + 1),
  };
}
