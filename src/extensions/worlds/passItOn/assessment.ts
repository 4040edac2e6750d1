// Finds the colours in a message and computes the rewards. As in the reference recipe, an answer must contain exactly as
// many of the six colours as are asked for. A colour may be in upper or lower case, and may be part of a word. A truncated
// message is read up to the point where it was cut, also as in the reference. Any text is accepted.
import { colours, type Colour } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessTold, judgeNamed } from '../../../tasks/answers/toldAnswers.ts';
import type { Answer, Assessment, Utterance } from '../../../tasks/world.ts';
import { askedIn } from './problems.ts';

/** The words that occur in a text, each once, in the order in which they first occur. */
const inOrder = <Word extends string>(text: string, words: readonly Word[]): Word[] => {
  const small = text.toLowerCase();
  return words.filter((word) => small.includes(word)).toSorted((a, b) => small.indexOf(a) - small.indexOf(b));
};

/** The colours that a text names, in its order. */
export const coloursIn = (text: string): Colour[] => inOrder(text, colours);

/** All answers that a text names; if two colours are asked for, the only answer is the list of both. */
const answersIn = (text: string, asked: number): string[] => {
  const named = coloursIn(text);
  return asked === 1 ? named : named.length === asked ? [named.join(' ')] : [];
};

/** The answer of a message, which contains exactly as many colours as are asked for. */
export const judge = (problem: Problem, message: Pick<Utterance, 'text'>): Answer =>
  judgeNamed(problem, message, (text) => answersIn(text, askedIn(problem).length));

/** Whether a text names the colours of all things, in the order in which it names the things. */
function isTold(problem: Problem, text: string): boolean {
  const asked = askedIn(problem);
  const things = asked.map(({ thing }) => thing);
  const about = inOrder(text, things);
  const wanted = (about.length === asked.length ? about : things).map(
    (name) => asked.find(({ thing }) => thing === name)?.colour,
  );
  const named = coloursIn(text);
  return named.length === asked.length && wanted.every((colour, at) => colour === named[at]);
}

/** Returns the reward parts, reasons, answer and potentials of a dialogue. A message tells the colours by naming them. */
export const assess = (
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment =>
  assessTold(problem, messages, protocol, {
    namedIn: (text) => answersIn(text, askedIn(problem).length),
    tells: (_, text) => ({
      isFormed: coloursIn(text).length === askedIn(problem).length,
      isTold: isTold(problem, text),
    }),
    ...{ isOver, kind: 'colour' },
  });
