// Reads and scores turns that contain a whole solution, such as `4*2=7+8;7+8=5`. The answer is the text after the last
// `=`, and all steps before it are judged together.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { ReadAnswer, AnswerReader } from '../../../tasks/answers/answers.ts';
import { wrong, type Judgement } from '../../../tasks/steps/assessedSteps.ts';
import { quote, sentence } from '../../../tasks/words.ts';
import type { Answer, Utterance } from '../../../tasks/world.ts';
import { parseExpression } from './expression.ts';
import { levelOf } from './levels.ts';
import { judgePlan, judgeRewrite, nothing, numberIn, potential, readExpression } from './step.ts';

/**
 * The maximum score of a wrong answer. An answer gets this score if all of its steps are right according to another
 * rule.
 */
const wellWorked = 0.75;

const lastOf = (text: string) => text.slice(text.lastIndexOf('=') + 1);

/**
 * The answer of a message; a truncated message has no answer. The score of a wrong answer depends on the share of right
 * steps.
 */
export function judge(problem: Problem, { text, isTruncated = false }: Utterance): Answer {
  if (isTruncated) return { answer: null, isRight: false, score: 0 };
  const answer = numberIn(lastOf(text));
  const isRight = answer === problem.answer;
  const { operations } = levelOf(problem.level);
  const share = Math.min(1, judgeSteps(problem, text).done / operations);
  return { answer, isRight, score: isRight ? 1 : wellWorked * share };
}

/**
 * Reads a message as an answer. Returns its reward parts, the reasons for lower scores, and whether the right answer
 * can still be reached from the last expression.
 */
function read(problem: Problem, message: Utterance): ReadAnswer {
  const { modulus } = levelOf(problem.level);
  const { isTruncated = false, text } = message;
  const { plans, rewrites, isWritten } = judgeSteps(problem, text);
  return {
    ...judge(problem, message),
    parts: {
      ...{ ...nothing, legalOperation: plans.isRight ? 1 : 0, rewrite: rewrites.isRight ? 1 : 0 },
      format: isWritten && !isTruncated ? 1 : 0,
    },
    reason: sentence(isTruncated ? because`the turn was cut` : [], plans.reason, rewrites.reason),
    standing: isTruncated ? 0 : potential(problem, readExpression(lastOf(text), modulus), modulus),
  };
}

/** How the turns of a dialogue are read if each turn is a whole answer. */
export function readingOf(problem: Problem, isOver: boolean): AnswerReader {
  const { modulus } = levelOf(problem.level);
  return { read, start: potential(problem, readExpression(problem.shown, modulus), modulus), isOver };
}

interface JudgedSteps {
  plans: Judgement;
  rewrites: Judgement;
  /** The number of right steps before the first wrong one. */
  done: number;
  /** Whether the text is a sequence of steps such as `4*2=7+8`, no matter whether the steps are right. */
  isWritten: boolean;
}

/**
 * Judges all steps of a solution together. If there are several mistakes of the same kind, only the first one is
 * reported.
 */
function judgeSteps(problem: Problem, text: string): JudgedSteps {
  const { modulus } = levelOf(problem.level);
  let working = readExpression(problem.shown, modulus);
  let plans: Judgement | null = null;
  let rewrites: Judgement | null = null;
  let done = 0;
  let isWritten = true;
  for (const step of text.split(';')) {
    const parts = step.split('=');
    const [plan = '', reply = ''] = parts;
    if (parts.length !== 2) {
      const fault = wrong(because`${quote(step)} is not a step`);
      return {
        plans: plans?.isRight === false ? plans : fault,
        rewrites: { isRight: false, reason: [] },
        done,
        isWritten: false,
      };
    }
    const planned = judgePlan(plan, working);
    if (plans === null || plans.isRight) plans = planned;
    const rewritten = judgeRewrite(reply, plan, working, modulus);
    if (rewrites === null || rewrites.isRight) rewrites = planned.isRight ? rewritten : wrong([]);
    if (plans.isRight && rewrites.isRight) done++;
    working = readExpression(reply, modulus);
    isWritten &&= working !== null && parseExpression(plan)?.operators.length === 1;
  }
  return { plans: plans ?? wrong([]), rewrites: rewrites ?? wrong([]), done, isWritten };
}
