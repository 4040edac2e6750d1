// What each turn of a dialogue is worth. Exact and pure; any text is taken, garbage is simply worth nothing.
// The working expression is the reasoner's last reply (at first the question), or nothing when that was no expression.
import type { ProtocolName } from '../../config/names.ts';
import type { Problem } from '../../records/problem.ts';
import type { RewardParts } from '../../records/trajectory.ts';
import type { Assessment, Spoken, TurnAssessment } from '../world.ts';
import { parseExpression, printExpression, type Expression } from './expression.ts';
import { levelOf } from './levels.ts';
import { evaluate, type Modulus } from './rules.ts';
import { judgePlan, judgeRewrite, quote, readExpression, wrong, type Judgement } from './step.ts';

const noParts: RewardParts = { rightAnswer: 0, legalOperation: 0, rewrite: 0, finished: 0 };

/** Parts, reasons, answer and potentials of a dialogue, finished or not. */
export function assess(problem: Problem, messages: readonly Spoken[], protocol: ProtocolName): Assessment {
  return protocol === 'single' ? assessSolo(problem, messages) : assessDialogue(problem, messages);
}

/** The expression the team works on after these messages; null after a reply that is none. */
export function workingExpression(problem: Problem, messages: readonly Spoken[]): string | null {
  const { modulus } = levelOf(problem.level);
  const last = messages.findLast((message) => message.role === 'reasoning');
  const working = readExpression(last?.text ?? problem.expression, modulus);
  return working && printExpression(working);
}

/** Φ: 1 while the working expression still evaluates to the right answer under the rule. */
function potential(problem: Problem, working: Expression | null, modulus: Modulus): number {
  return working !== null && `${evaluate(working, problem.rule, modulus)}` === problem.answer ? 1 : 0;
}

function numberIn(text: string): string | null {
  return parseExpression(text)?.operators.length === 0 ? text : null;
}

function verdict(problem: Problem, answer: string | null, isFinished: boolean): string {
  const said = answer === null ? 'no number was given' : `the answer is ${answer}`;
  if (!isFinished) return `not finished; ${said}`;
  return answer === problem.answer ? said : `${problem.answer} was the answer, ${answer ?? 'no number'} came`;
}

function sentence(...clauses: string[]): string {
  return clauses.filter((clause) => clause !== '').join('; ');
}

function assessDialogue(problem: Problem, messages: readonly Spoken[]): Assessment {
  const { modulus } = levelOf(problem.level);
  const perTurn: TurnAssessment[] = [];
  let working = readExpression(problem.expression, modulus);
  const potentials = [potential(problem, working, modulus)];
  let plan: Spoken | null = null;
  let answer: string | null = null;
  let isFinished = false;
  for (const message of messages) {
    if (message.role === 'metaThinking') {
      plan = message;
      isFinished = message.isFinish;
      const judged = judgeTurnOfPlanner(message, working);
      perTurn.push({ parts: { ...noParts, legalOperation: judged.isRight ? 1 : 0 }, reason: judged.reason });
    } else {
      const judged = judgeTurnOfReasoner(message, plan, { working, modulus });
      perTurn.push({ parts: { ...noParts, rewrite: judged.isRight ? 1 : 0 }, reason: judged.reason });
      working = message.isTruncated ? null : readExpression(message.text, modulus);
      answer = message.isTruncated ? null : numberIn(message.text);
      plan = null;
    }
    potentials.push(potential(problem, working, modulus));
  }
  const isRight = isFinished && answer === problem.answer;
  const last = perTurn.at(-1);
  if (last) {
    last.parts = { ...last.parts, rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 };
    last.reason = sentence(last.reason, verdict(problem, answer, isFinished));
  }
  return { perTurn, answer, isRight, potentials };
}

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

/** One agent, one turn: `4*2=7+8;7+8=5`. Steps count together; the answer is what follows the last `=`. */
function assessSolo(problem: Problem, messages: readonly Spoken[]): Assessment {
  const { modulus } = levelOf(problem.level);
  const potentials = [potential(problem, readExpression(problem.expression, modulus), modulus)];
  const perTurn: TurnAssessment[] = [];
  let answer: string | null = null;
  let isFinished = false;
  for (const message of messages) {
    const last = message.text.slice(message.text.lastIndexOf('=') + 1);
    isFinished = !message.isTruncated;
    answer = isFinished ? numberIn(last) : null;
    const { plans, rewrites } = judgeSteps(problem, message.text, modulus);
    perTurn.push({
      parts: { ...noParts, legalOperation: plans.isRight ? 1 : 0, rewrite: rewrites.isRight ? 1 : 0 },
      reason: sentence(isFinished ? '' : 'the turn was cut', plans.reason, rewrites.reason),
    });
    potentials.push(isFinished ? potential(problem, readExpression(last, modulus), modulus) : 0);
  }
  const isRight = isFinished && answer === problem.answer;
  const last = perTurn.at(-1);
  if (last) {
    last.parts = { ...last.parts, rightAnswer: isRight ? 1 : 0, finished: isFinished ? 1 : 0 };
    last.reason = sentence(last.reason, isFinished ? verdict(problem, answer, true) : '');
  }
  return { perTurn, answer, isRight, potentials };
}

/** All steps of a solution together: the first fault of each kind decides. */
function judgeSteps(problem: Problem, text: string, modulus: Modulus): { plans: Judgement; rewrites: Judgement } {
  let working = readExpression(problem.expression, modulus);
  let plans: Judgement | null = null;
  let rewrites: Judgement | null = null;
  for (const step of text.split(';')) {
    const parts = step.split('=');
    const [plan = '', reply = ''] = parts;
    if (parts.length !== 2) {
      const fault = wrong(`${quote(step)} is not a step`);
      return { plans: plans?.isRight === false ? plans : fault, rewrites: { isRight: false, reason: '' } };
    }
    const planned = judgePlan(plan, working);
    if (plans === null || plans.isRight) plans = planned;
    const rewritten = judgeRewrite(reply, plan, working, modulus);
    if (rewrites === null || rewrites.isRight) rewrites = planned.isRight ? rewritten : wrong('');
    working = readExpression(reply, modulus);
  }
  return { plans: plans ?? wrong(''), rewrites: rewrites ?? wrong('') };
}
