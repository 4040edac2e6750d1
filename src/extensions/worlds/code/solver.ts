// Finds the programs for which problems can ask, by their text or by their plan. Demonstrations are made from them.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { givenOf } from './problems.ts';
import { levelOf } from './levels.ts';
import { planOf, programsOf, sourceOf, valueOf, type Form, type CodeProgram } from './programs.ts';

interface Index {
  byText: ReadonlyMap<string, CodeProgram>;
  byPlan: ReadonlyMap<string, readonly CodeProgram[]>;
}

const indexes = new Map<Form, Index>();

function indexOf({ level }: Pick<Problem, 'level'>): Index {
  const { form } = levelOf(level);
  const known = indexes.get(form);
  if (known) return known;
  const programs = programsOf(form);
  const byText = new Map(programs.map((program) => [sourceOf(program), program]));
  const of = (plan: string) => programs.filter((program) => planOf(program) === plan);
  const byPlan = new Map(programs.map((program) => [planOf(program), of(planOf(program))]));
  const index = { byText, byPlan };
  indexes.set(form, index);
  return index;
}

/** The program with this text; undefined if no problem of this level can ask for it. */
export const programCalled = (problem: Pick<Problem, 'level'>, text: string) => indexOf(problem).byText.get(text);

export const isPlan = (problem: Pick<Problem, 'level'>, text: string) => indexOf(problem).byPlan.has(text);

export const anyPlan = (problem: Pick<Problem, 'level'>, draws: RandomNumbers) =>
  draws.pick([...indexOf(problem).byPlan.keys()]);

/** Whether a program gives the same results as the right program for the lists of the examples. */
export function fits(problem: Problem, program: CodeProgram): boolean {
  const right = programCalled(problem, problem.answer);
  if (!right) return false;
  const same = (xs: readonly number[]) => String(valueOf(program, xs)) === String(valueOf(right, xs));
  return givenOf(problem).examples.every(same);
}

/**
 * A program that follows a plan. The numbers of the program fit the examples, if there is such a program. If a slip is
 * drawn, the numbers may be wrong.
 */
export function programAfter(problem: Problem, plan: string, draws: RandomNumbers, resultNoise: number): CodeProgram {
  const all = indexOf(problem).byPlan.get(plan) ?? [];
  const right = all.filter((program) => fits(problem, program));
  return draws.pick(right.length === 0 || draws.next() < resultNoise ? all : right);
}
