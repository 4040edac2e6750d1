// Computes the rewards of each turn of a dialogue. The functions are pure and accept any text; a text that is neither a
// plan nor a number earns no reward.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessAnswers } from '../../../tasks/answers/answers.ts';
import { sentence, verdict } from '../../../tasks/words.ts';
import type { Assessment, Utterance, TurnAssessment } from '../../../tasks/world.ts';
import { read } from './answers.ts';
import { givenOf, resultOf } from './sums.ts';
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
    ? assessDialogue(problem, messages, isOver)
    : assessAnswers(problem, messages, protocol, { read, start: potential(problem, startOf(problem)), isOver });
}

interface Plan extends SumJudgement {
  message: Utterance;
}

function assessDialogue(problem: Problem, messages: readonly Utterance[], isOver: boolean): Assessment {
  const perTurn: TurnAssessment[] = [];
  let standing = startOf(problem);
  const potentials = [potential(problem, standing)];
  let plan: Plan | null = null;
  let answer: string | null = null;
  let isFinished = false;
  for (const message of messages) {
    if (message.role === 'metaThinking') {
      plan = { message, ...judgeTurnOfPlanner(problem, message, standing) };
      isFinished = message.isFinish;
      const parts = { nextStep: plan.isRight ? 1 : 0, result: 0, format: isPlan(message) ? 1 : 0 };
      perTurn.push({ parts, reason: plan.reason });
    } else {
      const { isRight, reason } = judgeTurnOfReasoner(message, plan, standing);
      const said = message.isTruncated ? '' : message.text;
      const isRepeated = plan?.message.isFinish === true && plan.message.text === '';
      standing = isRepeated && isRight ? standing : after(standing, plan ?? wrong([]), said);
      const value = numberIn(said);
      answer = value === null ? null : said;
      perTurn.push({ parts: { nextStep: 0, result: isRight ? 1 : 0, format: answer === null ? 0 : 1 }, reason });
      plan = null;
    }
    potentials.push(potential(problem, standing));
  }
  const isRight = isFinished && answer === problem.answer;
  const last = perTurn.at(-1);
  if (last) {
    last.parts = { ...last.parts, rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 };
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, isFinished));
  }
  const prospect = plan ? prospectOf(problem, plan, standing) : (potentials.at(-1) as number);
  return { perTurn, answer, isRight, potentials, prospect };
}

/** The value of Φ if the reply to a plan is right; 0 if the message is not a plan. */
function prospectOf(problem: Problem, plan: Plan, standing: SolutionState): number {
  const { text, isFinish, isTruncated } = plan.message;
  // If the dialogue ends without a further plan, the current number is the answer.
  if (isFinish && text === '') return standing.done < givenOf(problem).steps.length ? 0 : potential(problem, standing);
  const operation = isTruncated ? null : operationIn(text);
  if (operation === null) return 0;
  return potential(problem, after(standing, plan, `${resultOf(operation.value, operation.step)}`));
}

/** Whether a message has the form of a plan: either one operation, or only the finish token. */
const isPlan = ({ text, isFinish, isTruncated }: Utterance) =>
  !isTruncated && ((isFinish && text === '') || operationIn(text) !== null);

function judgeTurnOfPlanner(problem: Problem, message: Utterance, standing: SolutionState): SumJudgement {
  if (message.isTruncated) return wrong(because`the plan was cut`);
  if (!message.isFinish || message.text !== '') return judgePlan(problem, message.text, standing);
  const left = givenOf(problem).steps.length - standing.done;
  if (left <= 0) return wrong([]);
  return wrong(
    left === 1
      ? because`the planner finished with one step left to do`
      : because`the planner finished with ${left} steps left to do`,
  );
}

function judgeTurnOfReasoner(message: Utterance, plan: Plan | null, { value }: SolutionState): SumJudgement {
  if (message.isTruncated) return wrong(because`the reply was cut`);
  if (plan === null || plan.message.isTruncated) return wrong(because`there was no plan to follow`);
  if (plan.message.isFinish && plan.message.text === '' && value !== null) {
    // If the planner ends the dialogue without a plan and a reply follows, this reply must repeat the current number.
    return message.text === `${value}` ? { isRight: true, reason: [] } : wrong(because`${value} was expected`);
  }
  return judgeResult(message.text, plan.message.text);
}
