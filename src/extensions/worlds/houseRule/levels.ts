// The levels, in the order in which the form lists them. Each level determines which operators and numbers are used,
// and how long texts may be. The limits are the lengths of the longest possible texts, in characters.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { Operator } from './expression.ts';
import type { WorldLimits } from '../../../tasks/world.ts';
import type { Modulus } from './rules.ts';

/** The maximum absolute value of a number, at levels with exact numbers. */
export const largestNumber = 9_999;

interface Level {
  operations: number;
  operators: readonly Operator[];
  modulus: Modulus;
  /** The maximum number of digits that a number in the question can have. */
  digits: 1 | 2;
  /** Maximum lengths of a plan, of a reply, and of a solution in one turn, without the token that ends a turn. */
  planLength: number;
  replyLength: number;
  soloLength: number;
}

const usual = ['+', '-', '*'] as const;

const table: readonly Level[] = [
  {
    operations: 2,
    operators: usual,
    modulus: 10,
    digits: 1,
    planLength: 3, // 4*2
    replyLength: 3, // 7+8
    soloLength: 13, // 4*2=7+8;7+8=5
  },
  {
    operations: 3,
    operators: usual,
    modulus: 10,
    digits: 1,
    planLength: 3,
    replyLength: 5, // 7+8*3
    soloLength: 23,
  },
  {
    operations: 4,
    operators: usual,
    modulus: null,
    digits: 1,
    planLength: 8, // -729*-81
    replyLength: 12, // -81*-9*-9*-9
    soloLength: 68,
  },
  {
    operations: 5,
    operators: usual,
    modulus: null,
    digits: 2,
    planLength: 11, // -9801--9801
    replyLength: 21, // -9801--99--99--99--99
    soloLength: 127,
  },
  {
    operations: 3,
    operators: [...usual, '/'],
    modulus: null,
    digits: 2,
    planLength: 11, // -9801--9801
    replyLength: 13, // -9801--99--99
    soloLength: 68,
  },
];

/** The level with this number; throws ConfigError if there is none. */
export const levelOf = (level: number): Level => levelIn(table, level);

/**
 * The limits of a level: the lengths of its longest demonstration. Dialogues in steps may have one round more than the
 * demonstration.
 */
export function limits(level: number, { roles, hasSteps, rounds }: Protocol): WorldLimits {
  const { operations, modulus, digits, planLength, replyLength, soloLength } = levelOf(level);
  const numberLength = digits + (modulus === null ? 1 : 0);
  const promptWindow = 3 + numberLength * (operations + 1) + operations; // <bos>, rule, <eot>
  if (hasSteps) return { roundLimit: operations + 2, windows: [planLength + 1, replyLength + 1], promptWindow };
  return { roundLimit: rounds, windows: roles.map(() => soloLength + 1), promptWindow };
}
