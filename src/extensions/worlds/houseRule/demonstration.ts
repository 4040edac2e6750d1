// Dialogues to imitate in the warm start. The dialogues teach the protocol and most of the arithmetic. The setting
// `goodPlans` determines how often the plan follows the rule; the other plans are not optimal, so reinforcement
// learning can still improve the agents.
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import { workedTrajectory, soloText, type Step } from '../../../tasks/steps/steps.ts';
import type { Demonstrate } from '../../../tasks/contract/worldModule.ts';
import { judge } from './answers.ts';
import { levelOf } from './levels.ts';
import { solution } from './solution.ts';

const answerer: Answerer = {
  judge,
  solve: (problem, draws, options) => {
    const { soloLength } = levelOf(problem.level);
    return soloText(solution(problem, draws, { ...options, fits: (steps) => soloText(steps).length <= soloLength }));
  },
};

/** The messages in the order in which they are sent. The messages never exceed the limits of the level. */
export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  if (!protocol.hasSteps) return demonstrateAnswers(answerer, draws, problem, options, protocol);
  const isGood = draws.next() < options.goodPlans;
  const { planLength, replyLength } = levelOf(problem.level);
  const fits = (steps: readonly Step[]) =>
    steps.every(({ plan, reply }) => plan.length <= planLength && reply.length <= replyLength);
  return workedTrajectory(solution(problem, draws, { isGood, resultNoise: options.resultNoise, fits }), options);
};
