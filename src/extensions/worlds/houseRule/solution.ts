// Builds solutions for demonstrations: the steps that lead from a question to a number. The steps are in the order of
// the rule or in random order, and they may contain mistakes.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Step } from '../../../tasks/steps/steps.ts';
import { parseExpression, placesOf, printExpression, printOperation, type Expression } from './expression.ts';
import { largestNumber, levelOf } from './levels.ts';
import { nextOperation, replaceOperation, resultOf, ruleOf, type Modulus } from './rules.ts';

export interface SolutionOptions {
  /** If true, steps are in the order of the rule; otherwise in random order. */
  isGood: boolean;
  /** The share of wrong results. */
  resultNoise: number;
  fits: (steps: readonly Step[]) => boolean;
}

/**
 * The maximum number of attempts to make a solution with mistakes that does not exceed the limits of its level. After
 * these attempts, a solution without mistakes is used.
 */
const attempts = 20;

/** The steps of one solution. The steps never exceed the limits of the level. */
export function solution(
  problem: Problem,
  draws: RandomNumbers,
  { isGood, resultNoise, fits }: SolutionOptions,
): Step[] {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const steps = solve(problem, draws, { isGood, resultNoise });
    if (steps && fits(steps)) return steps;
  }
  return solve(problem, draws, { isGood: true, resultNoise: 0 }) ?? [];
}

/**
 * Makes the steps of a solution. Returns null if a number exceeds the limit of the level, or if a division leaves a
 * remainder.
 */
function solve(
  problem: Problem,
  draws: RandomNumbers,
  { isGood, resultNoise }: { isGood: boolean; resultNoise: number },
): Step[] | null {
  const { modulus } = levelOf(problem.level);
  const steps: Step[] = [];
  let working = parseExpression(problem.shown) as Expression;
  while (working.operators.length > 0) {
    const chosen = isGood ? nextOperation(working, ruleOf(problem)) : draws.below(working.operators.length);
    const plan = printOperation(working, chosen);
    // The reasoner sees only the text of the operation. If this text occurs twice, the reasoner rewrites its first
    // occurrence.
    const place = placesOf(parseExpression(plan) as Expression, working)[0] as number;
    const right = resultOf(working, place, modulus);
    const result = draws.next() < resultNoise ? wrongResult(right, draws, modulus) : right;
    if (!(Math.abs(result) <= largestNumber)) return null;
    working = replaceOperation(working, place, result);
    steps.push({ plan, reply: printExpression(working) });
  }
  return steps;
}

function wrongResult(right: number, draws: RandomNumbers, modulus: Modulus): number {
  if (modulus !== null) return (right + 1 + draws.below(modulus - 1)) % modulus;
  const size = 1 + draws.below(9);
  return right + (draws.below(2) === 0 ? size : -size);
}
