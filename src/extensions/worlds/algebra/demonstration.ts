// Dialogues to imitate. The setting `goodPlans` determines how often the steps lead to the unknown that the problem
// asks for. If every turn is a whole answer, the text of a turn consists of the moves, each followed by its result,
// such as `(1)+4;3x=15;/3;x=5`.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { workedTrajectory, type Step } from '../../../tasks/steps/steps.ts';
import { unknowns } from './form.ts';
import { judge } from './judge.ts';
import { askedOf, relationsOf } from './problems.ts';
import { solve } from './solution.ts';

const soloText = (steps: readonly Step[]) => steps.map(({ plan, reply }) => `${plan};${reply}`).join(';');

type Stepping = (problem: Problem, draws: RandomNumbers, quality: { isGood: boolean; resultNoise: number }) => Step[];

/**
 * The steps to the unknown that the problem asks for. If the plan is not a good one, the steps lead to a random
 * unknown.
 */
const stepsTo: Stepping = (problem, draws, { isGood, resultNoise }) =>
  solve(relationsOf(problem), isGood ? askedOf(problem) : draws.pick(unknowns), { draws, noise: resultNoise });

const answerer: Answerer = { solve: (...given) => soloText(stepsTo(...given)), judge };

export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  if (!protocol.hasSteps) return demonstrateAnswers(answerer, draws, problem, options, protocol);
  const isGood = draws.next() < options.goodPlans;
  return workedTrajectory(stepsTo(problem, draws, { isGood, resultNoise: options.resultNoise }), options);
};
