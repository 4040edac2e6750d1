// Judges one step: whether the plan is the next step of the story, and whether the reply is the result of the plan.
import { because, type Reason } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import { quote } from '../../../tasks/words.ts';
import { givenOf, resultOf, valueOf, type SumOperator, type SumStep } from './sums.ts';

export interface SumJudgement {
  isRight: boolean;
  /** The reason why the plan or the reply is wrong; empty if there is no error. */
  reason: Reason;
}

const right: SumJudgement = { isRight: true, reason: [] };
export const wrong = (reason: Reason): SumJudgement => ({ isRight: false, reason });

/**
 * The progress of a solution: the number of steps of the story that are done, and the current number, which is null if
 * the last reply was not a number.
 */
export interface SolutionState {
  done: number;
  value: number | null;
}

export const startOf = (problem: Problem): SolutionState => ({ done: 0, value: givenOf(problem).start });

/** A number as it is written, with one or two digits; null if the text is not a number. */
export const numberIn = (text: string): number | null => (/^(0|[1-9]\d?)$/.test(text) ? Number(text) : null);

/** The first number of a plan (`value`) and the operation on it (`step`); null if the text is not a plan. */
export function operationIn(text: string): { value: number; step: SumStep } | null {
  const [, before = '', operator, after = ''] = /^(\d+)([-+*])(\d+)$/.exec(text) ?? [];
  const [value, number] = [numberIn(before), numberIn(after)];
  return value === null || number === null ? null : { value, step: { operator: operator as SumOperator, number } };
}

/** Judges a plan for the current number. The two numbers of an addition or a multiplication may be exchanged. */
export function judgePlan(problem: Problem, plan: string, { done, value }: SolutionState): SumJudgement {
  if (plan === '') return wrong(because`the plan is empty`);
  const operation = operationIn(plan);
  if (operation === null) return wrong(because`${quote(plan)} is not an operation`);
  if (value === null) return wrong(because`there is no number to continue from`);
  const wanted = givenOf(problem).steps[done];
  if (!wanted) return wrong(because`nothing is left to do`);
  const { step, value: named } = operation;
  const isAsked = named === value && step.number === wanted.number;
  const isTurned = wanted.operator !== '-' && named === wanted.number && step.number === value;
  if (step.operator === wanted.operator && (isAsked || isTurned)) return right;
  const asked = `${value}${wanted.operator}${wanted.number}`;
  return wrong(because`${asked} was the next step, but ${quote(plan)} was given`);
}

/** Judges whether a reply is the result of the plan's operation. */
export function judgeResult(reply: string, plan: string): SumJudgement {
  const operation = operationIn(plan);
  if (operation === null) return wrong(because`there was no plan to follow`);
  const expected = `${resultOf(operation.value, operation.step)}`;
  return expected === reply ? right : wrong(because`${expected} was expected, but ${quote(reply)} was given`);
}

/** The progress after a plan and the reply to it. */
export const after = ({ done }: SolutionState, plan: SumJudgement, reply: string): SolutionState => ({
  done: plan.isRight ? done + 1 : done,
  value: numberIn(reply),
});

/** Φ is 1 as long as the remaining steps still lead to the right answer. */
export function potential(problem: Problem, { done, value }: SolutionState): number {
  return `${valueOf(value, givenOf(problem).steps.slice(done))}` === problem.answer ? 1 : 0;
}
