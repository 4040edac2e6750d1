// Solutions: the moves that lead from two relations to the unknown for which the problem asks. Solutions that are
// demonstrations may contain wrong results (slips).
import type { RandomNumbers } from '../../../base/random.ts';
import { unknowns, type Unknown } from './form.ts';
import type { Step } from '../../../tasks/steps/steps.ts';
import { printRelation, type LinearRelation } from './linear.ts';
import { moved } from './moves.ts';

const withSign = (value: number) => `${value < 0 ? '' : '+'}${value}`;

/**
 * The move that brings a relation with one unknown a step closer to its solution; null if the unknown is already
 * isolated.
 */
function nextMove({ left, right }: LinearRelation, at: number): string | null {
  const factor = left[at] as number;
  const onTheRight = right[at] as number;
  if (onTheRight !== 0) {
    const term = Math.abs(onTheRight) === 1 ? '' : Math.abs(onTheRight);
    return `${onTheRight > 0 ? '-' : '+'}${term}${unknowns[at] as Unknown}`;
  }
  if (left[2] !== 0) return withSign(-left[2]);
  return factor === 1 ? null : `/${factor}`;
}

/**
 * The first move of a solution starts with the number of a relation that contains the unknown. If this relation
 * contains both unknowns, the move eliminates the other one.
 */
function firstMove(pair: readonly LinearRelation[], at: number): string {
  const own = pair[at] as LinearRelation;
  const unwanted = own.left[1 - at] as number;
  if (unwanted === 0) return `(${at + 1})${nextMove(own, at) ?? ''}`;
  const factor = -unwanted / ((pair[1 - at] as LinearRelation).left[1 - at] as number);
  const times = Math.abs(factor) === 1 ? '' : Math.abs(factor);
  return `(${at + 1})${factor < 0 ? '-' : '+'}${times}(${2 - at})`;
}

/** The same relation with one wrong number, but still with an integer solution. */
function slipped(relation: LinearRelation, at: number, draws: RandomNumbers): LinearRelation {
  const { left, right } = relation;
  const factor = (left[at] as number) - (right[at] as number);
  const size = (1 + draws.below(3)) * (draws.below(2) === 0 ? 1 : -1);
  return { ...relation, right: [right[0], right[1], right[2] + factor * size] };
}

/** The steps to an unknown. The share `noise` of the replies contains a wrong number. */
export function solve(
  pair: readonly LinearRelation[],
  asked: Unknown,
  { draws, noise }: { draws: RandomNumbers; noise: number } | { draws: null; noise: 0 },
): Step[] {
  const at = unknowns.indexOf(asked);
  const steps: Step[] = [];
  let standing = pair;
  for (let plan: string | null = firstMove(pair, at); plan !== null;) {
    const made = moved(plan, standing, pair);
    if ('fault' in made) return [];
    const relation = draws && draws.next() < noise ? slipped(made.relation, at, draws) : made.relation;
    steps.push({ plan, reply: printRelation(relation) });
    standing = [relation];
    plan = nextMove(relation, at);
  }
  return steps;
}
