// Dialogues to imitate. The dialogues teach how to write programs and how to find the numbers in the examples. The
// setting `goodPlans` determines how often the plan matches the description. After a program that fails an example, the
// dialogue continues with another attempt.
import type { Problem } from '../../../records/problem.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { Answer, Utterance } from '../../../tasks/world.ts';
import type { Demonstrate, ShownMessage } from '../../../tasks/contract/worldModule.ts';
import { mostTries } from './levels.ts';
import { givenOf } from './problems.ts';
import { sourceOf } from './programs.ts';
import { anyPlan, fits, programAfter } from './solver.ts';

/**
 * Judges a demonstrated program by comparing its text with the answer. This is sufficient because, of all programs that
 * can be demonstrated, only one is right.
 */
function judge({ answer }: Problem, { text }: Utterance): Answer {
  return { answer: text, isRight: text === answer, score: text === answer ? 1 : 0 };
}

const answerer: Answerer = {
  judge,
  solve: (problem, draws, { isGood, resultNoise }) => {
    const plan = isGood ? givenOf(problem).plan : anyPlan(problem, draws);
    return sourceOf(programAfter(problem, plan, draws, resultNoise));
  },
};

/** The messages in speaking order. The messages never exceed the limits of the level. */
export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  if (!protocol.hasSteps) return demonstrateAnswers(answerer, draws, problem, options, protocol);
  const isAnswered = options.finishEnds === 'afterReply';
  const out: ShownMessage[] = [];
  for (let round = 0; round < mostTries; round++) {
    const isGood = draws.next() < options.goodPlans;
    const plan = isGood ? givenOf(problem).plan : anyPlan(problem, draws);
    const program = programAfter(problem, plan, draws, options.resultNoise);
    const isLast = fits(problem, program);
    const isFinish = isAnswered && isLast;
    out.push({ agent: 0, round, text: plan, isFinish }, { agent: 1, round, text: sourceOf(program) });
    if (!isLast) continue;
    if (!isAnswered && round + 1 < mostTries) out.push({ agent: 0, round: round + 1, text: '', isFinish: true });
    break;
  }
  return out;
};
