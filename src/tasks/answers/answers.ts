// Dialogues in which every turn is a complete answer, in any world. This file computes the rewards of each turn and the
// team's answer. The world finds the answer in a message and scores this answer.
import { mean } from '../../base/stats.ts';
import { because, type Reason } from '../../base/reason.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { RewardParts } from '../../records/trajectory.ts';
import { mostBelieved, mostCommon } from './majority.ts';
import type { Answer, Assessment, Utterance, TurnAssessment } from '../world.ts';
import { sentence, verdict, type AnswerWord } from '../words.ts';

/** A message read as an answer. */
export interface ReadAnswer extends Answer {
  /**
   * The reward parts that depend only on this message. These are all parts except those for the right answer and for
   * finishing the dialogue.
   */
  parts: RewardParts;
  /** A comment on the answer that does not say whether it is right; empty if there is none. */
  reason: Reason;
  /** Φ after this message, which is the progress of the agent that sent the message. */
  standing: number;
}

export interface AnswerReader {
  read: (problem: Problem, message: Utterance) => ReadAnswer;
  /** Φ before the first answer. */
  start: number;
  isOver: boolean;
  /** The kind of an answer, in one word; if absent, answers are numbers. */
  kind?: AnswerWord;
}

/**
 * Returns the reward parts, reasons, answer and potentials of a dialogue in which every turn is an answer. Each agent
 * is rewarded for its own newest answer. The team's answer is determined by `answerFrom`. If the verifier's scores are
 * used, it is the answer with the highest score. Φ is the mean of the agents' progress.
 */
export function assessAnswers(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  { read, start, isOver, kind }: AnswerReader,
): Assessment {
  const standing = protocol.roles.map(() => start);
  const newest: { answer: string | null; belief: number | undefined; at: number }[] = [];
  const potentials = [start];
  const perTurn = messages.map((message, at): TurnAssessment => {
    const agent = message.agent ?? 0;
    const { answer, isRight, score, parts, reason, standing: stands } = read(problem, message);
    newest[agent] = { answer, belief: message.belief, at };
    standing[agent] = stands;
    potentials.push(mean(standing));
    return { parts: { ...parts }, reason, isRight, score };
  });
  const answer = teamAnswer(newest, protocol);
  for (const { answer: own, at } of newest.filter(Boolean)) {
    const turn = perTurn[at] as TurnAssessment;
    const isWhole = messages[at]?.isTruncated !== true;
    turn.parts['rightAnswer'] = turn.isRight ? 1 : 0;
    turn.reason = sentence(turn.reason, isWhole ? verdict(problem, own, true, kind) : []);
  }
  const last = perTurn.at(-1);
  if (last) {
    last.parts['finished'] = messages.at(-1)?.isTruncated === true ? 0 : 1;
    if (isOver && protocol.roles.length > 1)
      last.reason = sentence(last.reason, because`the team says ${answer ?? because`nothing`}`);
  }
  return { perTurn, answer, isRight: answer === problem.answer, potentials };
}

function teamAnswer(
  newest: readonly { answer: string | null; belief: number | undefined }[],
  { answerFrom, isDecided }: Protocol,
): string | null {
  if (isDecided) return mostBelieved(Array.from(newest));
  if (answerFrom !== 'majority') return newest[answerFrom]?.answer ?? null;
  return mostCommon(Array.from(newest, (given) => given?.answer)).answer;
}
