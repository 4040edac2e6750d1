// Dialogues in which one agent tells another agent what it needs for the answer, in any world whose answers are named in
// plain words. A message must name exactly one answer.
import { because, type Reason } from '../../base/reason.ts';
import type { Problem } from '../../records/problem.ts';
import type { Protocol } from '../../records/protocol.ts';
import type { AnswerWord } from '../words.ts';
import type { Answer, Assessment, Utterance } from '../world.ts';
import { assessAnswers, type ReadAnswer } from './answers.ts';

/** The answer of a text, which is the only one that it names. `namedIn` returns all answers that the text names. */
export function judgeNamed(
  { answer: wanted }: Problem,
  { text }: Pick<Utterance, 'text'>,
  namedIn: (text: string) => readonly string[],
): Answer {
  const named = namedIn(text);
  const answer = named.length === 1 ? (named[0] as string) : null;
  const isRight = answer === wanted;
  return { answer, isRight, score: isRight ? 1 : 0 };
}

function reasonOf(named: readonly string[]): Reason {
  const [first, second] = named;
  return second === undefined ? [] : because`${first ?? ''} and ${second} were named`;
}

export interface ToldReader {
  namedIn: (text: string) => readonly string[];
  /**
   * Whether a message of the agent that tells has a usable form (`isFormed`), and whether it contains everything that the
   * other agent must be told (`isTold`).
   */
  tells: (problem: Problem, text: string) => { isFormed: boolean; isTold: boolean };
  isOver: boolean;
  kind: AnswerWord;
}

/**
 * Returns the reward parts, reasons, answer and potentials of a dialogue. The agent that tells is rewarded if the other
 * agent answers correctly; its own message earns no reward for a right answer. Φ is 1 if the newest message tells
 * everything or contains the right answer, and 0 otherwise.
 */
export function assessTold(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  { namedIn, tells, isOver, kind }: ToldReader,
): Assessment {
  const answers = ({ agent = 0 }: Utterance) => agent === protocol.answerFrom;
  const read = (_: Problem, message: Utterance): ReadAnswer => {
    const judged = judgeNamed(problem, message, namedIn);
    const { isFormed, isTold } = answers(message)
      ? { isFormed: judged.answer !== null, isTold: false }
      : tells(problem, message.text);
    const parts = { told: isTold ? 1 : 0, format: isFormed ? 1 : 0 };
    return { ...judged, parts, reason: reasonOf(namedIn(message.text)), standing: isTold || judged.isRight ? 1 : 0 };
  };
  const { perTurn, ...found } = assessAnswers(problem, messages, protocol, { read, start: 0, isOver, kind });
  return {
    ...found,
    perTurn: perTurn.map((turn, at) => {
      const message = messages[at] as Utterance;
      if (answers(message)) return turn;
      const { isRight: _, score: __, ...rest } = turn;
      return { ...rest, parts: { ...turn.parts, rightAnswer: 0 }, reason: reasonOf(namedIn(message.text)) };
    }),
  };
}
