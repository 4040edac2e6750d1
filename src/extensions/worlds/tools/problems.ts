// Draws the problems. Each knowledge base belongs to one split, so facts from training do not help with held-out
// problems. In harder problems, a search returns the two best facts, the better one first.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import type { ToolName } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { noneTwice } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { knownOutcome, valueOf, type Bench } from './calls.ts';
import { drawBase, isHarder } from './knowledge.ts';
import { budgetOf, levelOf } from './levels.ts';
import { answerPlan, executed } from './plans.ts';
import { drawTask, slices, type Slice, type ToolTask } from './tasks.ts';
import { signOf } from './vocabulary.ts';

/** The part of a problem that only this world uses; its fields are described in form.ts. */
export interface ToolProblem extends Bench {
  budget: number;
  plans: readonly string[];
  goals: readonly string[];
}

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as ToolProblem;

/** The results of all steps in their order. The list is empty if one of the steps finds nothing. */
function goalsOf(bench: Bench, plans: readonly string[]): string[] {
  const goals: string[] = [];
  let { files } = bench;
  for (const plan of plans) {
    const said = executed(plan, bench.tools, valueOf(goals.at(-1) ?? ''));
    const outcome = said && 'call' in said ? knownOutcome({ ...bench, files }, said.call) : null;
    const [found] = outcome?.found ?? [];
    if (!outcome || found === undefined) return [];
    goals.push(found);
    ({ files } = outcome);
  }
  return goals;
}

/** The problem that consists of this task, this knowledge base and these additional tools. */
export function problemOf(
  level: number,
  { base, others }: { base: number; others: readonly ToolName[] },
  { question, plans, files, slice }: ToolTask & { slice: Slice },
): Problem {
  const bench: Bench = { base, shows: isHarder(base) ? 2 : 1, files, tools: ['search', 'read', ...others] };
  const goals = goalsOf(bench, plans);
  const budget = budgetOf(level);
  const tools = bench.tools.map((tool) => signOf(tool) + (tool === 'search' ? base : '')).join('');
  const answer = valueOf(goals.at(-1) ?? '') ?? '';
  const given: ToolProblem = { ...bench, budget, plans: [...plans, answerPlan], goals };
  return {
    ...{ id: `${tools}${question} ${answer}`, world: 'tools', level, shown: `${budget} calls` },
    ...{ hidden: { question: question.trim(), tools }, answer, slice, given },
  };
}

/**
 * One problem of a split. The slice of the problem states whether the first call is a search or the reading of a file.
 */
export function drawProblem(
  level: number,
  draws: RandomNumbers,
  split: Split,
  slice: Slice = draws.pick(slices),
): Problem {
  const base = drawBase(draws, split);
  const task = drawTask(level, draws, slice);
  return problemOf(level, { base, others: draws.pick(levelOf(level).others) }, { ...task, slice });
}

/**
 * The fixed problems of the evaluation. The problems are the same in every run, all different, and belong to all slices
 * equally often.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  return noneTwice(count, (at) => drawProblem(level, draws, 'heldOut', slices[at % slices.length]));
}
