// Determines which things and colours occur in problems. A thing occurs either only in training problems or only in
// held-out problems. Each thing has all six colours equally often, so an agent that receives no message gives the right
// answer in one of six cases, in training as well as on held-out problems. If only single pairs of a thing and a colour
// were held out, an agent could learn which colours the thing in the question cannot have. At level 2, two things of
// different colours are asked for.
import { FormatError } from '../../../base/errors.ts';
import { quoted } from '../../../base/quote.ts';
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { spoken } from '../../../base/spoken.ts';
import { colours, friends, keptThings, trainedThings, type Colour } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { levelIn } from '../../../tasks/levels.ts';
import { noneTwice } from '../../../tasks/splits.ts';
import type { Split, TypedProblem } from '../../../tasks/world.ts';

interface ColouredThing {
  thing: string;
  colour: Colour;
}
export interface ThingFacts extends ColouredThing {
  friend: string;
  /** The second thing, at level 2. */
  second?: ColouredThing;
}

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as ThingFacts;

/** The things that a problem asks for, with their colours, in the order of the question. */
export const askedIn = (problem: Pick<Problem, 'given'>): readonly ColouredThing[] => thingsOf(givenOf(problem));
const thingsOf = ({ thing, colour, second }: ThingFacts) => [{ thing, colour }, ...(second ? [second] : [])];

const question = ({ thing }: ColouredThing) => `What colour is the ${thing}?`;
export const statement = ({ thing, colour }: ColouredThing) => `the ${thing} is ${colour}`;

/** The problem with this content. */
function problemOf(level: number, given: ThingFacts): Problem {
  const asked = thingsOf(given);
  const secret = asked.map((one) => `Tell ${given.friend}: ${statement(one)}.`).join(' ');
  return {
    ...{ id: secret, world: 'passItOn', level, shown: asked.map(question).join(' '), hidden: { secret } },
    ...{ answer: asked.map(({ colour }) => colour).join(' '), slice: given.colour, given },
  };
}

/** One problem of a split, with the given colour, or with any colour if none is given. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, slice?: Colour): Problem {
  const count = levelIn([1, 2], level);
  const things: readonly string[] = split === 'training' ? trainedThings : keptThings;
  const first = { thing: draws.pick(things), colour: slice ?? draws.pick(colours), friend: draws.pick(friends) };
  if (count === 1) return problemOf(level, first);
  const second = {
    thing: draws.pick(things.filter((thing) => thing !== first.thing)),
    colour: draws.pick(colours.filter((colour) => colour !== first.colour)),
  };
  return problemOf(level, { ...first, second });
}

/**
 * The fixed problems of the evaluation. The problems are the same in every run, all different, and have all colours
 * equally often.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  return noneTwice(count, (at) => drawProblem(level, draws, 'heldOut', colours[at % colours.length]));
}

/** A problem that a user typed. Throws FormatError if the question or the secret does not belong to this world. */
export function readProblem({ shown, hidden }: TypedProblem, level: number): Problem {
  const count = levelIn([1, 2], level);
  const examples = [
    { thing: 'hat', colour: 'green' },
    { thing: 'cup', colour: 'blue' },
  ] as const;
  const asked = sentencesOf(shown, /^What colour is the ([a-z]+)\?$/i).map(([name = '']) => name.toLowerCase());
  const known = [...trainedThings, ...keptThings].filter((thing) => asked.includes(thing));
  if (asked.length !== count || known.length !== count)
    throw new FormatError(
      spoken`the question: expected “${examples.slice(0, count).map(question).join(' ')}”, with a thing such as ${trainedThings.slice(0, 3).join(', ')}, got ${quoted(shown)}.`,
    );
  const secret = hidden['secret'] ?? '';
  const told = sentencesOf(secret, /^Tell ([a-z]+): the ([a-z]+) is ([a-z]+)\.?$/i).map(
    ([named = '', about = '', called = '']) => ({
      friend: friends.find((one) => one.toLowerCase() === named.toLowerCase()),
      thing: about.toLowerCase(),
      colour: colours.find((one) => one === called.toLowerCase()),
    }),
  );
  const [first] = told;
  const things = told.flatMap(({ friend, thing, colour }) =>
    colour && friend === first?.friend ? [{ thing, colour }] : [],
  );
  const [one, second] = asked.flatMap((thing) => things.find((other) => other.thing === thing) ?? []);
  const isComplete = told.length === count && new Set(things.map(({ colour }) => colour)).size === count;
  if (!first?.friend || !one || !isComplete || (count === 2 && !second))
    throw new FormatError(
      spoken`the secret: expected “${asked.map((thing, at) => `Tell Anna: ${statement({ thing, colour: examples[at as 0 | 1].colour })}.`).join(' ')}”, with one of ${friends.join(', ')} and one of ${colours.join(', ')}, got ${quoted(secret)}.`,
    );
  return problemOf(level, { ...one, friend: first.friend, ...(second && { second }) });
}

/** The groups of a pattern in each sentence of a text; no groups in a sentence of another form. */
const sentencesOf = (text: string, pattern: RegExp): string[][] =>
  (text.match(/[^.?]+[.?]?/g) ?? [])
    .filter((sentence) => sentence.trim() !== '')
    .map((sentence) => pattern.exec(sentence.trim())?.slice(1) ?? []);

/**
 * The maximum accuracy. Every thing has all colours equally often, so the question gives no information about the
 * colours. The two things of a problem have different colours.
 */
export const ceiling = (level: number, sees: readonly string[]): number => {
  const guessed = levelIn([1, colours.length - 1], level) * colours.length;
  return sees.includes('secret') ? 1 : 1 / guessed;
};

/**
 * The share of the held-out problems with the most common answer. An agent that always gives this answer has this
 * accuracy.
 */
export function bestGuess(level: number, count: number): number {
  const answers = heldOutProblems(level, count).map(({ answer }) => answer);
  return Math.max(...answers.map((one) => answers.filter((other) => other === one).length)) / answers.length;
}
