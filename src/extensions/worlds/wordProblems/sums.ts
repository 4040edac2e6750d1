// The calculation that a story describes: a first number, and a sequence of operations, each of which is applied to the
// current number.
import type { RandomNumbers } from '../../../base/random.ts';
import type { StepName } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { largestNumber } from './levels.ts';

export const operators = ['+', '-', '*'] as const;
export type SumOperator = (typeof operators)[number];

export const operatorOf: Readonly<Record<StepName, SumOperator>> = { add: '+', takeAway: '-', multiply: '*' };

export interface SumStep {
  operator: SumOperator;
  number: number;
}

export interface Sum {
  start: number;
  steps: SumStep[];
}

/** The part of a problem that only this world uses. */
interface Given extends Sum {
  /** The irrelevant numbers of the story. */
  others: number[];
}

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as Given;

/** The result of an operation. */
export function resultOf(value: number, { operator, number }: SumStep): number {
  if (operator === '*') return value * number;
  return operator === '+' ? value + number : value - number;
}

/** Applies steps to a number, one after the other; null if the number is null. */
export const valueOf = (start: number | null, steps: readonly SumStep[]): number | null =>
  start === null ? null : steps.reduce(resultOf, start);

/** The numbers that may occur in stories, and the sizes of units: a pair, the days of a week, and a dozen. */
const numbers = [2, 3, 4, 5, 6, 7, 8, 9];
const units = [2, 7, 12];

export interface SumOptions {
  steps: number;
  hasUnit: boolean;
  last: SumOperator;
}

/** The operations (operator and number) that are possible in step `at`. */
const choicesAt = (
  at: number,
  { steps, hasUnit, last }: SumOptions,
): { operators: readonly SumOperator[]; numbers: number[] } => {
  if (at === 0 && hasUnit) return { operators: ['*'], numbers: units };
  return { operators: at === steps - 1 ? [last] : operators, numbers };
};

/** Whether a number may be an intermediate result or the result of a story. */
const isTold = (value: number) => value >= 1 && value <= largestNumber;

/** A random sum whose last operation is given. */
export function drawSum(draws: RandomNumbers, options: SumOptions): Sum {
  for (;;) {
    const start = draws.pick(numbers);
    const steps: SumStep[] = [];
    for (let at = 0, value = start; at < options.steps && isTold(value); at++) {
      const choices = choicesAt(at, options);
      const step = { operator: draws.pick(choices.operators), number: draws.pick(choices.numbers) };
      value = resultOf(value, step);
      if (isTold(value)) steps.push(step);
    }
    if (steps.length === options.steps) return { start, steps };
  }
}

/**
 * The probability of each answer of a sum that is drawn with `drawSum`: the total probability of all sums with this
 * answer.
 */
export function answerShares(options: SumOptions): Map<number, number> {
  let shares = new Map(numbers.map((start) => [start, 1]));
  for (let at = 0; at < options.steps; at++) {
    const next = new Map<number, number>();
    const choices = choicesAt(at, options);
    for (const [value, share] of shares) {
      for (const operator of choices.operators) {
        for (const number of choices.numbers) {
          const result = resultOf(value, { operator, number });
          if (isTold(result)) next.set(result, (next.get(result) ?? 0) + share);
        }
      }
    }
    shares = next;
  }
  const all = [...shares.values()].reduce((sum, share) => sum + share, 0);
  return new Map([...shares].map(([answer, share]) => [answer, share / all]));
}
