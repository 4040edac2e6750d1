// One step of a solution judged: does the plan name an operation of the working expression, and is the reply that
// expression with the operation done? Shared by the dialogue and by the agent that works alone.
import type { Problem } from '../../records/problem.ts';
import { right, wrong, type Judgement } from '../steps/assessedSteps.ts';
import { quote } from '../words.ts';
import { parseExpression, placesOf, printExpression, type Expression } from './expression.ts';
import { applyOperation, evaluate, ruleOf, type Modulus } from './rules.ts';

/** The parts of a turn that earns none. */
export const nothing = { rightAnswer: 0, legalOperation: 0, rewrite: 0, finished: 0, format: 0 };

/** Reads an expression of a level; null when it is none, or no single digits where the level keeps last digits. */
export function readExpression(text: string, modulus: Modulus): Expression | null {
  const parsed = parseExpression(text);
  if (parsed === null || modulus === null) return parsed;
  return parsed.numbers.every((number) => number >= 0 && number < modulus) ? parsed : null;
}

/** A plan against the working expression (null: the last reply was none). */
export function judgePlan(plan: string, working: Expression | null): Judgement {
  if (plan === '') return wrong('the plan is empty');
  const operation = parseExpression(plan);
  if (operation?.operators.length !== 1) return wrong(`${quote(plan)} is not an operation`);
  if (working === null) return wrong('there is no working expression left');
  if (placesOf(operation, working).length > 0) return right;
  return wrong(`${quote(plan)} is not in ${quote(printExpression(working))}`);
}

/** The working expression with the planned operation done, at each place where it stands; none where it does not. */
export function resultsOf(plan: string, working: Expression | null, modulus: Modulus): Expression[] {
  const operation = parseExpression(plan);
  if (working === null || operation?.operators.length !== 1) return [];
  return placesOf(operation, working).map((place) => applyOperation(working, place, modulus));
}

/** A reply against the working expression with the planned operation done, at any place where it stands. */
export function judgeRewrite(reply: string, plan: string, working: Expression | null, modulus: Modulus): Judgement {
  const operation = parseExpression(plan);
  if (working === null || operation?.operators.length !== 1) return wrong('there was no plan to follow');
  const places = placesOf(operation, working);
  if (places.length === 0) return wrong('there was no plan to follow');
  const expected = places.map((place) => applyOperation(working, place, modulus));
  if (expected.some((one) => printExpression(one) === reply)) return right;
  const came = parseExpression(reply);
  for (const [i, place] of places.entries()) {
    const one = expected[i] as Expression;
    const number = differingNumber(came, one, place);
    if (number !== null) return wrong(`${one.numbers[place]} was expected, ${number} came`);
  }
  return wrong(`${quote(printExpression(expected[0] as Expression))} was expected, ${quote(reply)} came`);
}

/** The number at `place` when it is all that sets two expressions apart. */
function differingNumber(came: Expression | null, expected: Expression, place: number): number | null {
  if (came === null || came.operators.join() !== expected.operators.join()) return null;
  const isElsewhereEqual = came.numbers.every((number, i) => i === place || number === expected.numbers[i]);
  return isElsewhereEqual ? (came.numbers[place] as number) : null;
}

/** Φ: 1 while the working expression still evaluates to the right answer under the rule. */
export function potential(problem: Problem, working: Expression | null, modulus: Modulus): number {
  return working !== null && `${evaluate(working, ruleOf(problem), modulus)}` === problem.answer ? 1 : 0;
}

/** A text that is a number; null when it is none. */
export function numberIn(text: string): string | null {
  return parseExpression(text)?.operators.length === 0 ? text : null;
}
