// Finds the number of legs and the animals in a message, and computes the rewards. Any text is accepted.
import type { Problem } from '../../../records/problem.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { assessTold, judgeNamed } from '../../../tasks/answers/toldAnswers.ts';
import type { Answer, Assessment, Utterance } from '../../../tasks/world.ts';
import { animals, type Animal } from './form.ts';
import { givenOf } from './problems.ts';

const written = [
  'zero',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];
const teens = ['thirteen', 'fourteen', 'fifteen', 'sixteen', 'seventeen', 'eighteen', 'nineteen'];
const numberWords = new Map([...written, ...teens].map((word, number) => [word, `${number}`]));

/** The different numbers in a text, in digits or as words up to nineteen. */
export function numbersIn(text: string): string[] {
  const words = text.toLowerCase().match(/\d+|[a-z]+/g) ?? [];
  const found = words.flatMap((word) => (/^\d/.test(word) ? `${Number(word)}` : (numberWords.get(word) ?? [])));
  return [...new Set(found)];
}

/** The animals that a text names, also in the plural. */
const animalsIn = (text: string): Animal[] => {
  const words = new Set(text.toLowerCase().match(/[a-z]+/g));
  return animals.filter((animal) => words.has(animal) || words.has(`${animal}s`));
};

/** The answer of a message, which is the only number that it contains. */
export const judge = (problem: Problem, message: Pick<Utterance, 'text'>): Answer =>
  judgeNamed(problem, message, numbersIn);

/** Returns the reward parts, reasons, answer and potentials of a dialogue. A message tells the animals by naming them. */
export const assess = (
  problem: Problem,
  messages: readonly Utterance[],
  protocol: Protocol,
  isOver = true,
): Assessment =>
  assessTold(problem, messages, protocol, {
    namedIn: numbersIn,
    tells: (_, text) => {
      const [named, wanted] = [animalsIn(text), givenOf(problem).animals];
      const isFormed = named.length === wanted.length;
      return { isFormed, isTold: isFormed && wanted.every((animal) => named.includes(animal)) };
    },
    ...{ isOver, kind: 'number' },
  });
