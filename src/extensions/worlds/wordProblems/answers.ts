// Reads and scores turns that contain a whole solution, such as `7*3=21;21+4=25`. The answer is the text after the last
// `=`, and all steps before it are judged together.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { ReadAnswer } from '../../../tasks/answers/answers.ts';
import { quote, sentence } from '../../../tasks/words.ts';
import type { Answer, Utterance } from '../../../tasks/world.ts';
import { givenOf } from './sums.ts';
import {
  after,
  judgePlan,
  judgeResult,
  numberIn,
  operationIn,
  potential,
  startOf,
  wrong,
  type SumJudgement,
  type SolutionState,
} from './step.ts';

/**
 * The maximum score of a wrong answer. An answer gets this score if all of its steps are right, but the number at its
 * end is wrong.
 */
const wellWorked = 0.75;

interface JudgedSteps {
  plans: SumJudgement;
  results: SumJudgement;
  /** The number of right steps before the first wrong one. */
  done: number;
  /** Whether the text is a sequence of steps such as `7*3=21`, no matter whether the steps are right. */
  isWritten: boolean;
  standing: SolutionState;
}

/**
 * Judges all steps of a solution together. If there are several mistakes of the same kind, only the first one is
 * reported.
 */
function judgeSteps(problem: Problem, text: string): JudgedSteps {
  let standing = startOf(problem);
  const plans: SumJudgement[] = [];
  const results: SumJudgement[] = [];
  let isWritten = true;
  for (const step of text.split(';')) {
    const [plan = '', reply = '', ...more] = step.split('=');
    const planned = more.length > 0 ? wrong(because`${quote(step)} is not a step`) : judgePlan(problem, plan, standing);
    plans.push(planned);
    results.push(planned.isRight ? judgeResult(reply, plan) : wrong([]));
    isWritten &&= more.length === 0 && operationIn(plan) !== null && numberIn(reply) !== null;
    standing = after(standing, planned, reply);
  }
  const fault = (all: SumJudgement[]) => all.find(({ isRight }) => !isRight) ?? (all[0] as SumJudgement);
  const isLeft = plans.every(({ isRight }) => isRight) && standing.done < givenOf(problem).steps.length;
  const faultOfPlans = isLeft ? wrong(because`steps are left to do`) : fault(plans);
  const firstFault = plans.findIndex((planned, i) => !planned.isRight || !results[i]?.isRight);
  const done = firstFault < 0 ? plans.length : firstFault;
  return { plans: faultOfPlans, results: fault(results), done, isWritten, standing };
}

/**
 * The answer of a message; a truncated message has no answer. The score of a wrong answer depends on the share of right
 * steps.
 */
export function judge(problem: Problem, { text, isTruncated = false }: Utterance): Answer {
  const value = isTruncated ? null : numberIn(text.slice(text.lastIndexOf('=') + 1));
  if (isTruncated) return { answer: null, isRight: false, score: 0 };
  const answer = value === null ? null : `${value}`;
  const isRight = answer === problem.answer;
  const share = Math.min(1, judgeSteps(problem, text).done / givenOf(problem).steps.length);
  return { answer, isRight, score: isRight ? 1 : wellWorked * share };
}

/**
 * Reads a message as an answer. Returns its reward parts, the reasons for lower scores, and whether the right answer
 * can still be reached after the steps of the message.
 */
export function read(problem: Problem, message: Utterance): ReadAnswer {
  const { isTruncated = false, text } = message;
  const { plans, results, isWritten, standing } = judgeSteps(problem, text);
  return {
    ...judge(problem, message),
    parts: {
      ...{ nextStep: plans.isRight ? 1 : 0, result: results.isRight ? 1 : 0 },
      format: isWritten && !isTruncated ? 1 : 0,
    },
    reason: sentence(isTruncated ? because`the turn was cut` : [], plans.reason, results.reason),
    standing: isTruncated ? 0 : potential(problem, standing),
  };
}
