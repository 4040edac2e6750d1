// Dialogues to imitate. The dialogues teach the agents to solve a story step by step, and most of the arithmetic. The
// setting `goodPlans` determines how often the plan follows the story. The other plans use random operations and random
// numbers of the story.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import { workedTrajectory, soloText, type Step as Said } from '../../../tasks/steps/steps.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { judge } from './answers.ts';
import { largestNumber } from './levels.ts';
import { givenOf, operators, resultOf, type SumStep } from './sums.ts';

interface Quality {
  /**
   * If true, the steps are the same as in the story. Otherwise, each step is a random operation with a random number of
   * the story.
   */
  isGood: boolean;
  /** The share of wrong results. */
  resultNoise: number;
}

const canBeSaid = (value: number) => value >= 0 && value <= largestNumber;

/** The steps of one solution. The steps never exceed the limits of the level. */
function solution(problem: Problem, draws: RandomNumbers, { isGood, resultNoise }: Quality): Said[] {
  const { start, steps, others } = givenOf(problem);
  const told = [start, ...steps.map(({ number }) => number), ...others];
  let standing = start;
  return steps.map((wanted, at) => {
    const value = isGood || at > 0 ? standing : draws.pick(told);
    const asked = resultOf(value, wanted);
    const step = isGood && canBeSaid(asked) ? wanted : anyStep(value, told, draws);
    const right = resultOf(value, step);
    standing = draws.next() < resultNoise ? slip(right, draws) : right;
    return { plan: `${value}${step.operator}${step.number}`, reply: `${standing}` };
  });
}

/** A random step with a number of the story, whose result is neither negative nor above `largestNumber`. */
function anyStep(value: number, told: readonly number[], draws: RandomNumbers): SumStep {
  for (;;) {
    const step = { operator: draws.pick(operators), number: draws.pick(told) };
    if (canBeSaid(resultOf(value, step))) return step;
  }
}

/** A wrong result that differs from the right result by at most 9. */
function slip(right: number, draws: RandomNumbers): number {
  for (;;) {
    const size = 1 + draws.below(9);
    const wrong = draws.below(2) === 0 ? right + size : right - size;
    if (canBeSaid(wrong)) return wrong;
  }
}

const answerer: Answerer = { judge, solve: (...given) => soloText(solution(...given)) };

/** The messages in the order in which they are sent. The messages never exceed the limits of the level. */
export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  if (!protocol.hasSteps) return demonstrateAnswers(answerer, draws, problem, options, protocol);
  const isGood = draws.next() < options.goodPlans;
  return workedTrajectory(solution(problem, draws, { isGood, resultNoise: options.resultNoise }), options);
};
