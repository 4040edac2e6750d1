// Finds the colour in a message and computes the rewards. As in the reference recipe, the message must contain exactly
// one of the six colours. The colour may be in upper or lower case, and may be part of a word. A truncated message is
// read up to the point where it was cut, also as in the reference. Any text is accepted.
import { because, type Reason } from '../../../base/reason.ts';
import { colours, type Colour } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessAnswers, type ReadAnswer } from '../../../tasks/answers/answers.ts';
import type { Answer, Assessment, Utterance } from '../../../tasks/world.ts';

/** The colours that occur in a text. */
export const coloursIn = (text: string): Colour[] => {
  const small = text.toLowerCase();
  return colours.filter((colour) => small.includes(colour));
};

/** The answer of a message, which is the only colour that it contains. */
export function judge({ answer: wanted }: Problem, { text }: Pick<Utterance, 'text'>): Answer {
  const named = coloursIn(text);
  const answer = named.length === 1 ? (named[0] as Colour) : null;
  const isRight = answer === wanted;
  return { answer, isRight, score: isRight ? 1 : 0 };
}

function reasonOf(text: string): Reason {
  const [first, second] = coloursIn(text);
  return second === undefined ? [] : because`${first ?? ''} and ${second} were named`;
}

/**
 * Returns the reward parts, reasons, answer and potentials of a dialogue. Φ is 1 if the newest message contains the
 * right colour, and 0 otherwise.
 */
export function assess(
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment {
  const answers = ({ agent = 0 }: Utterance) => agent === protocol.answerFrom;
  const read = (_: Problem, message: Utterance): ReadAnswer => {
    const judged = judge(problem, message);
    const format = judged.answer === null ? 0 : 1;
    const told = judged.isRight && !answers(message) ? 1 : 0;
    return { ...judged, parts: { told, format }, reason: reasonOf(message.text), standing: judged.isRight ? 1 : 0 };
  };
  const { perTurn, ...found } = assessAnswers(problem, messages, protocol, { read, start: 0, isOver, kind: 'colour' });
  // The agent that says the secret is rewarded if the other agent answers correctly; its own message earns no reward.
  return {
    ...found,
    perTurn: perTurn.map((turn, at) => {
      if (answers(messages[at] as Utterance)) return turn;
      const { isRight: _, score: __, ...rest } = turn;
      return { ...rest, parts: { ...turn.parts, rightAnswer: 0 }, reason: reasonOf(messages[at]?.text ?? '') };
    }),
  };
}
