// Judges and assesses messages. The functions are deterministic and have no side effects. Any text is accepted; a
// meaningless text earns no reward. The current expression is the last reply; before the first reply, it consists of
// both relations of the problem. A move that starts with the number of a relation always applies to this relation of
// the problem.
import { because } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessAnswers, type ReadAnswer } from '../../../tasks/answers/answers.ts';
import {
  assessSteps,
  judgeSteps,
  nothingOf,
  right,
  wrong,
  type JudgedSteps,
  type StepReading,
} from '../../../tasks/steps/assessedSteps.ts';
import { quote, sentence } from '../../../tasks/words.ts';
import type { Answer, Assessment, Utterance } from '../../../tasks/world.ts';
import { levelOf } from './levels.ts';
import { parseRelation, printRelation, solved, type LinearRelation } from './linear.ts';
import { isMove, moved } from './moves.ts';
import { relationsOf } from './problems.ts';

/**
 * The maximum score of a wrong answer. An answer gets this score if all of its steps are right but lead to the other
 * unknown.
 */
const wellWorked = 0.75;

type Standing = readonly LinearRelation[];

/**
 * The answer that a text gives if it is a relation with an unknown alone on the left and a number on the right, such as
 * `x=3`; null for any other text.
 */
function answerIn(text: string): string | null {
  const relation = parseRelation(text);
  return relation && solved(relation) === text ? text : null;
}

/** The functions by which the steps of a dialogue about a problem are read. */
function readingOf(problem: Problem): StepReading<Standing> {
  const all = relationsOf(problem);
  const print = (standing: Standing) => standing.map(printRelation).join(';');
  return {
    start: all,
    read: (reply) => {
      const relation = parseRelation(reply);
      return relation && [relation];
    },
    print,
    isDone: (standing) => answerIn(print(standing)) !== null,
    isPlan: isMove,
    judgePlan: (plan, standing) => {
      const made = moved(plan, standing ?? [], all);
      return 'fault' in made ? wrong(made.fault) : right;
    },
    judgeReply: (reply, plan, standing) => {
      const made = moved(plan, standing ?? [], all);
      if ('fault' in made) return wrong(because`there was no plan to follow`);
      const expected = printRelation(made.relation);
      return reply === expected ? right : wrong(because`${expected} was expected, but ${quote(reply)} was given`);
    },
    results: (plan, standing) => {
      const made = moved(plan, standing ?? [], all);
      return 'fault' in made ? [] : [[made.relation]];
    },
    // The potential is 1 if the answer can be derived from the current expression alone, otherwise 0.
    potential: (standing) => (standing === all || (standing?.[0] && solved(standing[0]) === problem.answer) ? 1 : 0),
    answerIn,
    kind: 'answer',
    planPart: 'legalMove',
    replyPart: 'rewrite',
  };
}

/** The steps of a solution in one turn, such as `(1)+4;3x=15;/3;x=5`. Each step is a move with its result. */
function stepsIn(text: string): [string, string][] {
  const pieces = text.split(';');
  return Array.from({ length: Math.ceil(pieces.length / 2) }, (_, i) => [pieces[2 * i] ?? '', pieces[2 * i + 1] ?? '']);
}

const lastOf = (text: string) => text.slice(text.lastIndexOf(';') + 1);

function answerWith(problem: Problem, { text, isTruncated }: Utterance, { done }: JudgedSteps): Answer {
  if (isTruncated) return { answer: null, isRight: false, score: 0 };
  const answer = answerIn(lastOf(text));
  const isRight = answer === problem.answer;
  const share = Math.min(1, done / levelOf(problem.level).moves);
  return { answer, isRight, score: isRight ? 1 : wellWorked * share };
}

/**
 * The answer of a message; a truncated message has no answer. The score of a wrong answer depends on the share of its
 * steps that are right.
 */
export const judge = (problem: Problem, message: Utterance): Answer =>
  answerWith(problem, message, judgeSteps(stepsIn(message.text), readingOf(problem)));

function readAnswer(problem: Problem, message: Utterance): ReadAnswer {
  const reading = readingOf(problem);
  const { isTruncated = false, text } = message;
  const judged = judgeSteps(stepsIn(text), reading);
  const { plans, replies, isWritten } = judged;
  return {
    ...answerWith(problem, message, judged),
    parts: {
      ...{ ...nothingOf(reading), legalMove: plans.isRight ? 1 : 0, rewrite: replies.isRight ? 1 : 0 },
      format: isWritten && !isTruncated ? 1 : 0,
    },
    reason: sentence(isTruncated ? because`the turn was cut` : [], plans.reason, replies.reason),
    standing: isTruncated ? 0 : reading.potential(reading.read(lastOf(text))),
  };
}

/**
 * The reward parts, reasons, answer and potentials of a dialogue, which may be unfinished. The end of the dialogue is
 * assessed only if `isOver` is true.
 */
export function assess(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment {
  return protocol.hasSteps
    ? assessSteps(problem, messages, readingOf(problem), isOver)
    : assessAnswers(problem, messages, protocol, { read: readAnswer, start: 1, isOver, kind: 'answer' });
}
