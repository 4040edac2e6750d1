// Moves as a planner writes them. `-3`, `+2x`, `*2` and `/-4` apply to both sides of the current expression. `(2)-3`
// applies to the second relation of the problem. `(1)-2(2)` is the first relation minus twice the second.
import { because, type Reason } from '../../../base/reason.ts';
import { quote } from '../../../tasks/words.ts';
import { combined, isWritable, parseTerm, printRelation, scaled, type LinearRelation } from './linear.ts';

/** The result of a move, or the reason why the move is not possible. */
export type Moved = { relation: LinearRelation } | { fault: Reason };

interface Move {
  /**
   * The index of a relation in the problem, to which the move applies. If it is absent, the move applies to the current
   * expression.
   */
  of?: number;
  make: (relation: LinearRelation, all: readonly LinearRelation[]) => Moved;
}

const pair = /^\(([12])\)([+-])([2-9]?)\(([12])\)$/;
const named = /^(?:\(([12])\))?(.+)$/;
const factorOf = /^([*/])(-?[1-9]\d{0,3})$/;

/** Reads a move; null if the text is not a move. */
function parseMove(text: string): Move | null {
  const [isPair, one, sign, times, other] = pair.exec(text) ?? [];
  if (isPair !== undefined) {
    if (one === other) return null;
    const factor = (sign === '-' ? -1 : 1) * Number(times === '' ? 1 : times);
    const [of, at] = [Number(one) - 1, Number(other) - 1];
    return { of, make: (relation, all) => combine(relation, all[at] as LinearRelation, factor) };
  }
  const [, name, rest = ''] = named.exec(text) ?? [];
  const make = parseOnBothSides(rest);
  return make && { ...(name !== undefined && { of: Number(name) - 1 }), make };
}

function parseOnBothSides(text: string): Move['make'] | null {
  const added = parseTerm(text);
  if (added) return (relation) => written(combined(relation, added, 1), because`the numbers grow too large`);
  const [, operator, digits] = factorOf.exec(text) ?? [];
  if (operator === undefined || Number(digits) === 1) return null;
  const isDivided = operator === '/';
  const fault = (relation: LinearRelation) =>
    isDivided
      ? because`${printRelation(relation)} divided by ${digits ?? ''} leaves a remainder`
      : because`the numbers grow too large`;
  return (relation) => written(scaled(relation, Number(digits), isDivided), fault(relation));
}

function combine(relation: LinearRelation, other: LinearRelation, factor: number): Moved {
  if (relation.sign !== '=' || other.sign !== '=')
    return { fault: because`inequalities cannot be subtracted from each other` };
  return written(combined(relation, other, factor), because`the numbers grow too large`);
}

const written = (relation: LinearRelation, fault: Reason): Moved => (isWritable(relation) ? { relation } : { fault });

export const isMove = (text: string) => parseMove(text) !== null;

/**
 * Applies a move to the current expression. Before the first reply, `standing` contains all relations of the problem.
 * Later, it contains one relation, or none after a reply that is not a relation.
 */
export function moved(text: string, standing: readonly LinearRelation[], all: readonly LinearRelation[]): Moved {
  if (text === '') return { fault: because`the plan is empty` };
  const move = parseMove(text);
  if (move === null) return { fault: because`${quote(text)} is not a move` };
  if (move.of !== undefined) return move.make(all[move.of] as LinearRelation, all);
  const [only, second] = standing;
  if (only === undefined) return { fault: because`there is nothing left to rewrite` };
  if (second !== undefined) return { fault: because`${text} does not say to which of the two it applies` };
  return move.make(only, all);
}
