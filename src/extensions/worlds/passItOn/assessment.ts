// Finds the colour in a message and computes the rewards. As in the reference recipe, the message must contain exactly
// one of the six colours. The colour may be in upper or lower case, and may be part of a word. A truncated message is
// read up to the point where it was cut, also as in the reference. Any text is accepted.
import { colours, type Colour } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessTold, judgeNamed } from '../../../tasks/answers/toldAnswers.ts';
import type { Answer, Assessment, Utterance } from '../../../tasks/world.ts';

/** The colours that occur in a text. */
export const coloursIn = (text: string): Colour[] => {
  const small = text.toLowerCase();
  return colours.filter((colour) => small.includes(colour));
};

/** The answer of a message, which is the only colour that it contains. */
export const judge = (problem: Problem, message: Pick<Utterance, 'text'>): Answer =>
  judgeNamed(problem, message, coloursIn);

/** Returns the reward parts, reasons, answer and potentials of a dialogue. A message tells the colour by naming it. */
export const assess = (
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment =>
  assessTold(problem, messages, protocol, {
    namedIn: coloursIn,
    tells: (_, text) => {
      const { answer, isRight } = judge(problem, { text });
      return { isFormed: answer !== null, isTold: isRight };
    },
    ...{ isOver, kind: 'colour' },
  });
