// Judges one step of a solution. The plan must be an operation of the working expression, and the reply must be the
// expression that results from this operation. This code judges both dialogues in steps and whole answers.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import { right, wrong, type Judgement } from '../../../tasks/steps/assessedSteps.ts';
import { quote } from '../../../tasks/words.ts';
import { parseExpression, placesOf, printExpression, type Expression } from './expression.ts';
import { applyOperation, evaluate, resultOf, ruleOf, type Modulus } from './rules.ts';

/** The reward parts of a turn without any reward. */
export const nothing = { rightAnswer: 0, legalOperation: 0, rewrite: 0, finished: 0, format: 0 };

/**
 * Parses an expression of a level. Returns null if the text is not an expression. At levels that keep only last digits,
 * also returns null if a number is not a single digit, or if there is a division.
 */
export function readExpression(text: string, modulus: Modulus): Expression | null {
  const parsed = parseExpression(text);
  if (parsed === null || modulus === null) return parsed;
  const isOfDigits = parsed.numbers.every((number) => number >= 0 && number < modulus);
  return isOfDigits && !parsed.operators.includes('/') ? parsed : null;
}

/**
 * Judges a plan for the working expression, which is null if the last reply was not an expression. A division that
 * leaves a remainder is judged as wrong.
 */
export function judgePlan(plan: string, working: Expression | null): Judgement {
  if (plan === '') return wrong(because`the plan is empty`);
  const operation = parseExpression(plan);
  if (operation?.operators.length !== 1) return wrong(because`${quote(plan)} is not an operation`);
  if (working === null) return wrong(because`there is no expression left`);
  if (placesOf(operation, working).length === 0)
    return wrong(because`${quote(plan)} is not in ${quote(printExpression(working))}`);
  return leavesRemainder(operation) ? wrong(because`${quote(plan)} leaves a remainder`) : right;
}

/**
 * Does the planned operation in the working expression. Returns one expression for each place where the operation
 * occurs, and an empty list if the operation does not occur.
 */
export function resultsOf(plan: string, working: Expression | null, modulus: Modulus): Expression[] {
  const operation = parseExpression(plan);
  if (working === null || operation?.operators.length !== 1) return [];
  return doneAt(operation, working, modulus).map(({ done }) => done);
}

/** Whether the result of an operation is not an integer. */
const leavesRemainder = (operation: Expression): boolean => Number.isNaN(resultOf(operation, 0, null));

/**
 * The places at which an operation occurs in an expression, each with the expression that results. The list is empty if
 * the operation has no integer result.
 */
function doneAt(operation: Expression, working: Expression, modulus: Modulus): { place: number; done: Expression }[] {
  if (leavesRemainder(operation)) return [];
  return placesOf(operation, working).map((place) => ({ place, done: applyOperation(working, place, modulus) }));
}

/**
 * Judges a reply to a plan. The reply must be the working expression after the planned operation was done. If the
 * operation occurs in several places, any of these places is accepted.
 */
export function judgeRewrite(reply: string, plan: string, working: Expression | null, modulus: Modulus): Judgement {
  const operation = parseExpression(plan);
  if (working === null || operation?.operators.length !== 1) return wrong(because`there was no plan to follow`);
  const expected = doneAt(operation, working, modulus);
  const [first] = expected;
  if (!first) return wrong(because`there was no plan to follow`);
  if (expected.some(({ done }) => printExpression(done) === reply)) return right;
  const came = parseExpression(reply);
  for (const { place, done } of expected) {
    const number = differingNumber(came, done, place);
    if (number !== null) return wrong(because`${done.numbers[place] as number} was expected, but ${number} was given`);
  }
  return wrong(because`${quote(printExpression(first.done))} was expected, but ${quote(reply)} was given`);
}

/** The number at `place` in the reply `came`, if the reply differs from `expected` nowhere else; otherwise null. */
function differingNumber(came: Expression | null, expected: Expression, place: number): number | null {
  if (came === null || came.operators.join() !== expected.operators.join()) return null;
  const isElsewhereEqual = came.numbers.every((number, i) => i === place || number === expected.numbers[i]);
  return isElsewhereEqual ? (came.numbers[place] as number) : null;
}

/** Φ is 1 as long as the working expression still has the right answer by the rule of the problem. */
export function potential(problem: Problem, working: Expression | null, modulus: Modulus): number {
  return working !== null && `${evaluate(working, ruleOf(problem), modulus)}` === problem.answer ? 1 : 0;
}

/** The number in a text; null if the text is not a number. */
export function numberIn(text: string): string | null {
  return parseExpression(text)?.operators.length === 0 ? text : null;
}
