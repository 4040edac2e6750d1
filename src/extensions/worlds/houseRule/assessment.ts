// Computes the rewards of each turn of a dialogue. The functions are pure and accept any text; a text that is neither a
// plan nor an expression earns no reward. The working expression is the reasoner's last reply. Before the first reply,
// the working expression is the question. If the last reply was not an expression, there is no working expression.
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessAnswers } from '../../../tasks/answers/answers.ts';
import { assessSteps, type StepReading } from '../../../tasks/steps/assessedSteps.ts';
import type { Assessment, Utterance } from '../../../tasks/world.ts';
import { readingOf } from './answers.ts';
import { parseExpression, printExpression, type Expression } from './expression.ts';
import { levelOf } from './levels.ts';
import { judgePlan, judgeRewrite, numberIn, potential, readExpression, resultsOf } from './step.ts';

/**
 * Returns the reward parts, reasons, answer and potentials of a dialogue, which may be unfinished. Only if `isOver` is
 * true, the last reason describes how the dialogue ended.
 */
export function assess(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment {
  return protocol.hasSteps
    ? assessSteps(problem, messages, stepsOf(problem), isOver)
    : assessAnswers(problem, messages, protocol, readingOf(problem, isOver));
}

/** How a dialogue in steps is read. The state after each reply is the working expression. */
function stepsOf(problem: Problem): StepReading<Expression> {
  const { modulus } = levelOf(problem.level);
  return {
    start: readExpression(problem.shown, modulus),
    read: (reply) => readExpression(reply, modulus),
    print: printExpression,
    isDone: ({ operators }) => operators.length === 0,
    isPlan: (text) => parseExpression(text)?.operators.length === 1,
    judgePlan,
    judgeReply: (reply, plan, working) => judgeRewrite(reply, plan, working, modulus),
    results: (plan, working) => resultsOf(plan, working, modulus),
    potential: (working) => potential(problem, working, modulus),
    answerIn: numberIn,
    planPart: 'legalOperation',
    replyPart: 'rewrite',
  };
}
