// The three levels, in the order in which the form lists them. A level determines how many premises there are, and
// whether statements can be negated. The maximum lengths of texts are computed from these facts.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

interface Level {
  /** The number of premises in both halves together. */
  premises: number;
  /** Whether claims and facts can be negated, as in `Ann is not kind`, `Ann is not a baker`. */
  hasDenials: boolean;
}

const table: readonly Level[] = [
  { premises: 2, hasDenials: false },
  { premises: 4, hasDenials: false },
  { premises: 6, hasDenials: true },
];

/** The level with this number; throws ConfigError if there is none. */
export const levelOf = (level: number): Level => levelIn(table, level);

/** The properties of a level. In the harder split, there are two more premises. */
export function toldAt(level: number, split: Split): Level {
  const usual = levelOf(level);
  return split === 'harder' ? { ...usual, premises: usual.premises + 2 } : usual;
}

/** The limits of a level, which are large enough for the harder split too. */
export function limits(level: number, { roles, hasSteps, rounds }: Protocol): WorldLimits {
  const { premises, hasDenials } = toldAt(level, 'harder');
  const premise = hasDenials ? 6 : 5; // Ann is not a baker.
  const promptWindow = premises * premise + (hasDenials ? 5 : 4) + 2; // the claim, <bos>, <eot>
  // An agent's turn consists of a quoted premise, the answer and `<eot>`.
  return { roundLimit: hasSteps ? 3 : rounds, windows: roles.map(() => premise + 2), promptWindow };
}
