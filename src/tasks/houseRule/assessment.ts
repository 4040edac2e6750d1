// What each turn of a dialogue is worth. Exact and pure; any text is taken, garbage is simply worth nothing.
// The working expression is the reasoner's last reply (at first the question), or nothing when that was no expression.
import { protocolFacts } from '../../config/protocolFacts.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { assessAnswers } from '../answers.ts';
import { quote, sentence, verdict } from '../words.ts';
import type { Assessment, Spoken, TurnAssessment } from '../world.ts';
import { readingOf } from './answers.ts';
import { parseExpression, printExpression, type Expression } from './expression.ts';
import { levelOf } from './levels.ts';
import type { Modulus } from './rules.ts';
import {
  judgePlan,
  judgeRewrite,
  nothing,
  numberIn,
  potential,
  readExpression,
  resultsOf,
  wrong,
  type Judgement,
} from './step.ts';

/** Parts, reasons, answer and potentials of a dialogue, finished or not; how it ended only where it is over. */
export function assess(problem: Problem, messages: readonly Spoken[], protocol: Protocol, isOver = true): Assessment {
  return protocolFacts[protocol.name].hasSteps
    ? assessDialogue(problem, messages, isOver)
    : assessAnswers(problem, messages, protocol, readingOf(problem, isOver));
}

/** The expression the team works on after these messages; null after a reply that is none. */
export function workingExpression(problem: Problem, messages: readonly Spoken[]): string | null {
  const { modulus } = levelOf(problem.level);
  const last = messages.findLast((message) => message.role === 'reasoning');
  const working = readExpression(last?.text ?? problem.shown, modulus);
  return working && printExpression(working);
}

function assessDialogue(problem: Problem, messages: readonly Spoken[], isOver: boolean): Assessment {
  const { modulus } = levelOf(problem.level);
  const perTurn: TurnAssessment[] = [];
  let working = readExpression(problem.shown, modulus);
  const potentials = [potential(problem, working, modulus)];
  let plan: Spoken | null = null;
  let answer: string | null = null;
  let isFinished = false;
  for (const message of messages) {
    if (message.role === 'metaThinking') {
      plan = message;
      isFinished = message.isFinish;
      const judged = judgeTurnOfPlanner(message, working);
      const format = isPlan(message) ? 1 : 0;
      perTurn.push({ parts: { ...nothing, legalOperation: judged.isRight ? 1 : 0, format }, reason: judged.reason });
    } else {
      const judged = judgeTurnOfReasoner(message, plan, { working, modulus });
      working = message.isTruncated ? null : readExpression(message.text, modulus);
      const parts = { ...nothing, rewrite: judged.isRight ? 1 : 0, format: working ? 1 : 0 };
      perTurn.push({ parts, reason: judged.reason });
      answer = message.isTruncated ? null : numberIn(message.text);
      plan = null;
    }
    potentials.push(potential(problem, working, modulus));
  }
  const isRight = isFinished && answer === problem.answer;
  const last = perTurn.at(-1);
  if (last) {
    last.parts = { ...last.parts, rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 };
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, isFinished));
  }
  const prospect = plan ? prospectOf(problem, plan, { working, modulus }) : (potentials.at(-1) as number);
  return { perTurn, answer, isRight, potentials, prospect };
}

/** Φ after the best execution of a plan; 0 where it cannot be executed. */
function prospectOf(
  problem: Problem,
  plan: Spoken,
  { working, modulus }: { working: Expression | null; modulus: Modulus },
): number {
  // Finished without a plan: what stands is the answer.
  if (plan.isFinish && plan.text === '') return potential(problem, working, modulus);
  if (plan.isTruncated) return 0;
  const results = resultsOf(plan.text, working, modulus);
  return Math.max(0, ...results.map((result) => potential(problem, result, modulus)));
}

/** Whether a message reads as a plan: one operation, or the finish token alone. */
const isPlan = ({ text, isFinish, isTruncated }: Spoken) =>
  !isTruncated && ((isFinish && text === '') || parseExpression(text)?.operators.length === 1);

function judgeTurnOfPlanner(message: Spoken, working: Expression | null): Judgement {
  if (message.isTruncated) return wrong('the plan was cut');
  if (!message.isFinish || message.text !== '') return judgePlan(message.text, working);
  const isDone = working === null || working.operators.length === 0;
  return wrong(isDone ? '' : `finished while ${quote(printExpression(working as Expression))} is left to do`);
}

function judgeTurnOfReasoner(
  message: Spoken,
  plan: Spoken | null,
  { working, modulus }: { working: Expression | null; modulus: Modulus },
): Judgement {
  if (message.isTruncated) return wrong('the reply was cut');
  if (plan === null || plan.isTruncated) return wrong('there was no plan to follow');
  if (plan.isFinish && plan.text === '' && working !== null) {
    // Finished without a plan and still answered: the reply repeats what is there.
    const standing = printExpression(working);
    return message.text === standing
      ? { isRight: true, reason: '' }
      : wrong(`${quote(standing)} was expected, ${quote(message.text)} came`);
  }
  return judgeRewrite(message.text, plan.text, working, modulus);
}
