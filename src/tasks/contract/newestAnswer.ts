// Assesses dialogues of a planner and an executor in which every reply is an answer. The last answer of the dialogue is
// the team's answer.
import { because } from '../../base/reason.ts';
import type { Problem } from '../../records/problem.ts';
import type { ReadAnswer } from '../answers/answers.ts';
import { sentence, verdict } from '../words.ts';
import type { Assessment, Utterance, TurnAssessment } from '../world.ts';

interface Reading {
  /** Judges a message. Returns its answer and reward parts, or undefined for a plan that earns no rewards. */
  read: (message: Utterance) => ReadAnswer | undefined;
  isOver: boolean;
}

const endedByWorld = (messages: readonly Utterance[]) => messages.some(({ reaction }) => reaction?.isOver === true);

/** Returns the reward parts, reasons, answer and potentials of a dialogue. Φ is the score of the newest answer. */
export function assessNewest(problem: Problem, messages: readonly Utterance[], { read, isOver }: Reading): Assessment {
  const potentials = [0];
  let newest: ReadAnswer | undefined;
  const perTurn = messages.map((message): TurnAssessment => {
    const found = read(message);
    if (message.role !== 'metaThinking') newest = found;
    potentials.push(newest?.standing ?? 0);
    if (found) return { parts: { ...found.parts }, reason: found.reason };
    return {
      parts: { format: message.isTruncated ? 0 : 1 },
      reason: message.isTruncated ? because`the plan was cut` : [],
    };
  });
  const isFinished =
    messages.findLast(({ role }) => role === 'metaThinking')?.isFinish === true || endedByWorld(messages);
  const { answer = null, isRight = false } = (newest as ReadAnswer | undefined) ?? {};
  const last = perTurn.at(-1);
  if (last) {
    Object.assign(last.parts, { rightAnswer: isFinished && isRight ? 1 : 0, finished: isFinished ? 1 : 0 });
    if (isOver) last.reason = sentence(last.reason, verdict(problem, answer, isFinished, 'answer'));
  }
  return { perTurn, answer, isRight: isFinished && isRight, potentials };
}
