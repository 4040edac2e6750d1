// Turns that are whole answers, `4*2=7+8;7+8=5`: what one says and how far it goes, and what a team of them is worth.
// The answer is what follows the last `=`; the steps before it count together.
import { mean } from '../../base/stats.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import { mostCommon } from '../majority.ts';
import type { Answer, Assessment, Spoken, TurnAssessment } from '../world.ts';
import { parseExpression } from './expression.ts';
import { levelOf } from './levels.ts';
import {
  judgePlan,
  judgeRewrite,
  nothing,
  numberIn,
  potential,
  quote,
  readExpression,
  sentence,
  verdict,
  wrong,
  type Judgement,
} from './step.ts';

/** What a wrong answer scores at most, when all its steps are right by another rule. */
const wellWorked = 0.75;

const lastOf = (text: string) => text.slice(text.lastIndexOf('=') + 1);

/** What a message answers; a message that was cut answers nothing. A wrong answer scores by its share of right steps. */
export function judge(problem: Problem, { text, isTruncated = false }: Spoken): Answer {
  if (isTruncated) return { answer: null, isRight: false, score: 0 };
  const answer = numberIn(lastOf(text));
  const isRight = answer === problem.answer;
  const { operations } = levelOf(problem.level);
  const share = Math.min(1, judgeSteps(problem, text).done / operations);
  return { answer, isRight, score: isRight ? 1 : wellWorked * share };
}

/**
 * Parts, reasons, answer and potentials of a talk in which every turn answers. Each agent's newest answer is its own to
 * be paid for; the team's is that of `answerFrom`. Φ is the mean over agents of what each stands at.
 */
export function assessAnswers(
  problem: Problem,
  messages: readonly Spoken[],
  protocol: Protocol,
  isOver: boolean,
): Assessment {
  const { modulus } = levelOf(problem.level);
  const start = potential(problem, readExpression(problem.shown, modulus), modulus);
  const standing = protocol.roles.map(() => start);
  const newest: { answer: string | null; at: number }[] = [];
  const potentials = [start];
  const perTurn = messages.map((message, at): TurnAssessment => {
    const agent = message.agent ?? 0;
    const { isTruncated = false, text } = message;
    const { answer, isRight, score } = judge(problem, message);
    const { plans, rewrites, isWritten } = judgeSteps(problem, text);
    newest[agent] = { answer, at };
    standing[agent] = isTruncated ? 0 : potential(problem, readExpression(lastOf(text), modulus), modulus);
    potentials.push(mean(standing));
    return {
      parts: {
        ...{ ...nothing, legalOperation: plans.isRight ? 1 : 0, rewrite: rewrites.isRight ? 1 : 0 },
        format: isWritten && !isTruncated ? 1 : 0,
      },
      reason: sentence(isTruncated ? 'the turn was cut' : '', plans.reason, rewrites.reason),
      isRight,
      score,
    };
  });
  const answer = teamAnswer(newest, protocol);
  for (const { answer: own, at } of newest.filter(Boolean)) {
    const turn = perTurn[at] as TurnAssessment;
    const isWhole = messages[at]?.isTruncated !== true;
    turn.parts.rightAnswer = turn.isRight ? 1 : 0;
    turn.reason = sentence(turn.reason, isWhole ? verdict(problem, own, true) : '');
  }
  const last = perTurn.at(-1);
  if (last) {
    last.parts.finished = messages.at(-1)?.isTruncated === true ? 0 : 1;
    if (isOver && protocol.roles.length > 1)
      last.reason = sentence(last.reason, `the team says ${answer ?? 'nothing'}`);
  }
  return { perTurn, answer, isRight: answer === problem.answer, potentials };
}

function teamAnswer(newest: readonly { answer: string | null }[], { answerFrom }: Protocol): string | null {
  if (answerFrom !== 'majority') return newest[answerFrom]?.answer ?? null;
  return mostCommon(Array.from(newest, (given) => given?.answer)).answer;
}

interface JudgedSteps {
  plans: Judgement;
  rewrites: Judgement;
  /** Right steps before the first fault. */
  done: number;
  /** Whether it reads as steps, right or wrong: `4*2=7+8`, one after the other. */
  isWritten: boolean;
}

/** All steps of a solution together: the first fault of each kind decides. */
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
      const fault = wrong(`${quote(step)} is not a step`);
      return {
        plans: plans?.isRight === false ? plans : fault,
        rewrites: { isRight: false, reason: '' },
        done,
        isWritten: false,
      };
    }
    const planned = judgePlan(plan, working);
    if (plans === null || plans.isRight) plans = planned;
    const rewritten = judgeRewrite(reply, plan, working, modulus);
    if (rewrites === null || rewrites.isRight) rewrites = planned.isRight ? rewritten : wrong('');
    if (plans.isRight && rewrites.isRight) done++;
    working = readExpression(reply, modulus);
    isWritten &&= working !== null && parseExpression(plan)?.operators.length === 1;
  }
  return { plans: plans ?? wrong(''), rewrites: rewrites ?? wrong(''), done, isWritten };
}
