// One step judged: does the plan name what the story asks for next, and is the reply its result?
import { because, type Reason } from '../../../base/recorded.ts';
import type { Problem } from '../../../records/problem.ts';
import { quote } from '../../../tasks/words.ts';
import { givenOf, resultOf, valueOf, type SumOperator, type SumStep } from './sums.ts';

export interface SumJudgement {
  isRight: boolean;
  /** Calm words; empty when right. */
  reason: Reason;
}

const right: SumJudgement = { isRight: true, reason: '' };
export const wrong = (reason: Reason): SumJudgement => ({ isRight: false, reason });

/** How far a solution has come: steps done as the story asks, and the number that stands; null where none was said. */
export interface SolutionState {
  done: number;
  value: number | null;
}

export const startOf = (problem: Problem): SolutionState => ({ done: 0, value: givenOf(problem).start });

/** A number as it is said, of one or two digits; null where a text is none. */
export const numberIn = (text: string): number | null => (/^(0|[1-9]\d?)$/.test(text) ? Number(text) : null);

/** A plan as an operation on a value; null where it is none. */
export function operationIn(text: string): { value: number; step: SumStep } | null {
  const [, before = '', operator, after = ''] = /^(\d+)([-+*])(\d+)$/.exec(text) ?? [];
  const [value, number] = [numberIn(before), numberIn(after)];
  return value === null || number === null ? null : { value, step: { operator: operator as SumOperator, number } };
}

/** A plan against what stands. The two numbers of an addition or multiplication may be named in either order. */
export function judgePlan(problem: Problem, plan: string, { done, value }: SolutionState): SumJudgement {
  if (plan === '') return wrong(because`the plan is empty`);
  const operation = operationIn(plan);
  if (operation === null) return wrong(because`${quote(plan)} is not an operation`);
  if (value === null) return wrong(because`there is no number to go on from`);
  const wanted = givenOf(problem).steps[done];
  if (!wanted) return wrong(because`nothing is left to do`);
  const { step, value: named } = operation;
  const isAsked = named === value && step.number === wanted.number;
  const isTurned = wanted.operator !== '-' && named === wanted.number && step.number === value;
  if (step.operator === wanted.operator && (isAsked || isTurned)) return right;
  const asked = `${value}${wanted.operator}${wanted.number}`;
  return wrong(because`${asked} was asked for, ${quote(plan)} came`);
}

/** A reply against the operation of a plan. */
export function judgeResult(reply: string, plan: string): SumJudgement {
  const operation = operationIn(plan);
  if (operation === null) return wrong(because`there was no plan to follow`);
  const expected = `${resultOf(operation.value, operation.step)}`;
  return expected === reply ? right : wrong(because`${expected} was expected, ${quote(reply)} came`);
}

/** The state after a plan and its reply. */
export const after = ({ done }: SolutionState, plan: SumJudgement, reply: string): SolutionState => ({
  done: plan.isRight ? done + 1 : done,
  value: numberIn(reply),
});

/** Φ: 1 while the steps that are left still lead to the right answer. */
export function potential(problem: Problem, { done, value }: SolutionState): number {
  return `${valueOf(value, givenOf(problem).steps.slice(done))}` === problem.answer ? 1 : 0;
}
