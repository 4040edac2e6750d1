// Assesses each turn of a walk. The functions are deterministic and have no side effects. Any text is accepted, and a
// meaningless text does not move the walker.
import { because, type Reason } from '../../../base/reason.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessAnswers } from '../../../tasks/answers/answers.ts';
import { quote, sentence } from '../../../tasks/words.ts';
import type { Assessment, Utterance, TurnAssessment } from '../../../tasks/world.ts';
import { dugAt, potential, readingOf } from './answers.ts';
import { cellAt, cellName, directions, groundOf, isClosed, type Ground } from './ground.ts';
import { readPlan, replyTo } from './solver.ts';
import { readWalk, standing, walk, type WalkState } from './walk.ts';

/**
 * The reward parts, reasons, answer and potentials of a dialogue, which may be unfinished. The end of the dialogue is
 * assessed only if `isOver` is true.
 */
export const assess = (
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment =>
  protocol.hasSteps
    ? assessWalk(problem, messages, isOver)
    : assessAnswers(problem, messages, protocol, readingOf(problem, isOver));

function assessWalk(problem: Problem, messages: readonly Utterance[], isOver: boolean): Assessment {
  const ground = groundOf(problem);
  let now = standing(ground);
  let plan: Utterance | null = null;
  const potentials = [potential(ground, now)];
  const perTurn: TurnAssessment[] = [];
  for (const message of messages) {
    if (message.role === 'metaThinking') {
      plan = message;
      perTurn.push(turnOfPlanner(ground, now, message));
    } else {
      const { turn, next } = turnOfWalker(ground, now, { message, plan });
      now = next;
      plan = null;
      perTurn.push(turn);
    }
    potentials.push(potential(ground, now));
  }
  const answer = dugAt(now);
  const isRight = answer === problem.answer;
  const last = perTurn.at(-1);
  if (last) {
    last.parts = { ...last.parts, rightAnswer: isRight ? 1 : 0, finished: answer === null ? 0 : 1 };
    if (isOver) last.reason = sentence(last.reason, verdict(problem, now));
  }
  const prospect = plan ? prospectOf(ground, now, plan) : (potentials.at(-1) as number);
  return { perTurn, answer, isRight, potentials, prospect };
}

function verdict({ answer }: Problem, { end, cell }: WalkState): Reason {
  if (end === 'lost') return because`the treasure is still at ${answer}`;
  if (end === null) return sentence(because`nobody dug`, because`the treasure is still at ${answer}`);
  return cellName(cell) === answer
    ? because`the treasure was at ${answer}`
    : because`the walker dug at ${cellName(cell)}, but the treasure was at ${answer}`;
}

/** Φ after the best walk that follows a plan, for a walker that sees everything on the ground. */
function prospectOf(ground: Ground, now: WalkState, message: Utterance): number {
  const plan = planIn(message);
  return potential(ground, plan ? walk(ground, now, replyTo(ground, now, plan)).standing : now);
}

const planIn = ({ text, isTruncated, isFinish }: Utterance) => (isTruncated || isFinish ? null : readPlan(text));

function turnOfPlanner(ground: Ground, now: WalkState, message: Utterance): TurnAssessment {
  const plan = planIn(message);
  const fault = plan ? faultOfWay(ground, now, plan.steps) : faultOfText(message);
  return { parts: { openWay: fault.length === 0 ? 1 : 0, asTold: 0, format: plan ? 1 : 0 }, reason: fault };
}

function faultOfText({ text, isTruncated, isFinish }: Utterance): Reason {
  if (isTruncated) return because`the plan was cut`;
  return isFinish ? because`the planner finished, but nobody has dug` : because`${quote(text)} is not a plan`;
}

/** Describes the obstacle on the map that makes a plan impossible; empty if the plan is possible. */
function faultOfWay(
  { size, ...map }: Ground,
  { cell, hasKey }: WalkState,
  steps: readonly (keyof typeof directions)[],
) {
  let [at, has] = [cell, hasKey];
  for (const name of steps) {
    const next = cellAt(at, directions[name], size);
    if (next < 0) return because`${name} of ${cellName(at)} the map ends`;
    if (isClosed(map, next, has))
      return because`${cellName(next)} is ${next === map.door ? because`the closed door` : because`a wall`} on the map`;
    [at, has] = [next, has || next === map.key];
  }
  return [];
}

function turnOfWalker(
  ground: Ground,
  now: WalkState,
  { message, plan }: { message: Utterance; plan: Utterance | null },
): { turn: TurnAssessment; next: WalkState } {
  const { text, isTruncated = false, isFinish } = message;
  if (isTruncated)
    return { turn: { parts: { openWay: 0, asTold: 0, format: 0 }, reason: because`the reply was cut` }, next: now };
  const expected = replyTo(ground, now, plan && planIn(plan));
  const { standing: next, reason } = walk(ground, now, text);
  const isAsTold = text === expected && !isFinish;
  const isWalk = readWalk(text) !== null;
  const otherwise = isAsTold ? [] : because`${quote(expected)} was expected, but ${quote(text)} was given`;
  return {
    turn: {
      parts: { openWay: 0, asTold: isAsTold ? 1 : 0, format: isWalk ? 1 : 0 },
      reason: reason.length > 0 ? reason : otherwise,
    },
    next,
  };
}
