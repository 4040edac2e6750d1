// Applies the house rules, which determine the order in which the operations of an expression are done.
import { nextOf, type RuleName } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Expression, Operator } from './expression.ts';

/** 10 at levels that keep only the last digit of each result; null at levels with exact integers. */
export type Modulus = number | null;

/** The rule by which a problem must be calculated. */
export const ruleOf = ({ given }: Pick<Problem, 'given'>) => (given as { rule: RuleName }).rule;

/**
 * The index of the operation that must be done next by a rule; −1 if only one number is left.
 * `precedence` selects × and ÷ before + and −, and otherwise goes from left to right. `rightToLeft` selects the
 * rightmost operation.
 */
export function nextOperation({ operators }: Expression, rule: RuleName): number {
  return operators.length === 0 ? -1 : nextOf[rule](operators);
}

const calculate: Readonly<Record<Operator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => (a % b === 0 ? a / b : Number.NaN),
};

/**
 * The result of operation `index`, which is in [0, modulus) if there is a modulus, and exact otherwise; NaN for a
 * division by 0, or one that leaves a remainder.
 */
export function resultOf({ numbers, operators }: Expression, index: number, modulus: Modulus): number {
  const a = numbers[index] as number;
  const b = numbers[index + 1] as number;
  const exact = calculate[operators[index] as Operator](a, b) + 0; // no −0
  return modulus === null ? exact : ((exact % modulus) + modulus) % modulus;
}

/** The expression in which operation `index` is replaced by a number. */
export function replaceOperation({ numbers, operators }: Expression, index: number, result: number): Expression {
  return {
    numbers: [...numbers.slice(0, index), result, ...numbers.slice(index + 2)],
    operators: [...operators.slice(0, index), ...operators.slice(index + 1)],
  };
}

/** The expression after operation `index` has been done. */
export function applyOperation(expression: Expression, index: number, modulus: Modulus): Expression {
  return replaceOperation(expression, index, resultOf(expression, index, modulus));
}

/**
 * The value of an expression by a rule; null if an intermediate number exceeds ±(2⁵³ − 1), or if a division leaves a
 * remainder.
 */
export function evaluate(expression: Expression, rule: RuleName, modulus: Modulus): number | null {
  let working = expression;
  for (let index = nextOperation(working, rule); index >= 0; index = nextOperation(working, rule)) {
    const result = resultOf(working, index, modulus);
    if (!Number.isSafeInteger(result)) return null;
    working = replaceOperation(working, index, result);
  }
  return working.numbers[0] as number;
}
