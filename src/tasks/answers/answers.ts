// Talks in which every turn is a whole answer, whatever the world asks: what each turn is paid for, and what the team
// says. The world reads what one message says and how far it goes.
import { mean } from '../../base/stats.ts';
import { because, type Reason } from '../../base/recorded.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { RewardParts } from '../../records/trajectory.ts';
import { mostBelieved, mostCommon } from './majority.ts';
import type { Answer, Assessment, Utterance, TurnAssessment } from '../world.ts';
import { sentence, verdict, type AnswerWord } from '../words.ts';

/** A message read as an answer. */
export interface ReadAnswer extends Answer {
  /** The parts of its reward that hang on it alone: not the right answer, nor that all had their say. */
  parts: RewardParts;
  /** Calm words on how it was found; empty when there is nothing to say. */
  reason: Reason;
  /** Φ: what its speaker stands at after it. */
  standing: number;
}

export interface AnswerReader {
  read: (problem: Problem, message: Utterance) => ReadAnswer;
  /** Φ before anybody has answered. */
  start: number;
  isOver: boolean;
  /** The kind of answers, in a word; absent: numbers. */
  kind?: AnswerWord;
}

/**
 * Parts, reasons, answer and potentials of a talk in which every turn answers. Each agent's newest answer is its own to
 * be paid for; the team's is that of `answerFrom`, or where a verifier decides the one that it believes most. Φ is the mean over agents of what each stands at.
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
    turn.reason = sentence(turn.reason, isWhole ? verdict(problem, own, true, kind) : '');
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
