// Algebra. Both agents see two equations, but only the meta-thinking agent knows which unknown is asked for. It names a
// move to apply to both sides, and the reasoning agent rewrites the equation. Without the message at most half of the
// answers are right. If every turn is a whole answer, such as `(1)+4;3x=15;/3;x=5`, only some agents see which unknown
// is asked for.
import type { Draws } from '../../../base/random.ts';
import { form, unknowns } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { promptText } from '../../../text/chatTemplate.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import { workedTrajectory, type Step } from '../../../tasks/steps/steps.ts';
import type { World } from '../../../tasks/world.ts';
import { assess, judge } from './judge.ts';
import { limits } from './levels.ts';
import { askedOf, ceiling, drawProblem, heldOutProblems, readProblem, relationsOf } from './problems.ts';
import { solve } from './solution.ts';

const soloText = (steps: readonly Step[]) => steps.map(({ plan, reply }) => `${plan};${reply}`).join(';');

type Stepping = (problem: Problem, draws: Draws, quality: { isGood: boolean; resultNoise: number }) => Step[];

/** The steps to the unknown asked for, or, if the plan is not a good one, to a random unknown. */
const stepsTo: Stepping = (problem, draws, { isGood, resultNoise }) =>
  solve(relationsOf(problem), isGood ? askedOf(problem) : draws.pick(unknowns), { draws, noise: resultNoise });

const answerer: Answerer = { solve: (...given) => soloText(stepsTo(...given)), judge };

export const world: World = {
  ...form,
  tokenizers: { signs: tokenizerJsonOf([...'0123456789xy?+-*/=<>();']) },
  splits: ['training', 'heldOut', 'harder'],
  draw: drawProblem,
  heldOut: heldOutProblems,
  read: readProblem,
  ceiling,
  view: ({ shown, hidden }, sees) => promptText(sees.includes('asked') ? (hidden['asked'] ?? null) : null, shown),
  limits,
  demonstrate: (problem, draws, options, protocol) => {
    if (!protocol.hasSteps) return demonstrateAnswers(answerer, problem, draws, options, protocol);
    const isGood = draws.next() < options.goodPlans;
    return workedTrajectory(stepsTo(problem, draws, { isGood, resultNoise: options.resultNoise }), options);
  },
  judge: (...given) => Promise.resolve(judge(...given)),
  assess: (...given) => Promise.resolve(assess(...given)),
};
