// Determines which things and colours occur in problems. A thing occurs either only in training problems or only in
// held-out problems. Each thing has all six colours equally often, so an agent that receives no message gives the right
// answer in one of six cases, in training as well as on held-out problems. If only single pairs of a thing and a colour
// were held out, an agent could learn which colours the thing in the question cannot have.
import { FormatError } from '../../../base/errors.ts';
import { quoted } from '../../../base/quote.ts';
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { spoken } from '../../../base/spoken.ts';
import { colours, friends, keptThings, trainedThings, type Colour } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { levelIn } from '../../../tasks/levels.ts';
import { noneTwice } from '../../../tasks/splits.ts';
import type { Split, TypedProblem } from '../../../tasks/world.ts';

export interface ThingFacts {
  thing: string;
  colour: Colour;
  friend: string;
}

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as ThingFacts;

export const question = (thing: string) => `What colour is the ${thing}?`;
export const statement = ({ thing, colour }: Pick<ThingFacts, 'thing' | 'colour'>) => `the ${thing} is ${colour}`;

/** The problem with this content. */
function problemOf(level: number, given: ThingFacts): Problem {
  const secret = `Tell ${given.friend}: ${statement(given)}.`;
  return {
    ...{ id: secret, world: 'passItOn', level, shown: question(given.thing), hidden: { secret } },
    ...{ answer: given.colour, slice: given.colour, given },
  };
}

/** One problem of a split, with the given colour, or with any colour if none is given. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, slice?: Colour): Problem {
  levelIn([1], level);
  return problemOf(level, {
    thing: draws.pick<string>(split === 'training' ? trainedThings : keptThings),
    colour: slice ?? draws.pick(colours),
    friend: draws.pick(friends),
  });
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
  const asked = /^\s*What colour is the ([a-z]+)\?\s*$/i.exec(shown)?.[1]?.toLowerCase() ?? '';
  const thing = [...trainedThings, ...keptThings].find((one) => one === asked);
  if (!thing)
    throw new FormatError(
      spoken`the question: expected “What colour is the hat?”, with a thing such as ${trainedThings.slice(0, 3).join(', ')}, got ${quoted(shown)}.`,
    );
  const [, named = '', about = '', called = ''] =
    /^\s*Tell ([a-z]+): the ([a-z]+) is ([a-z]+)\.?\s*$/i.exec(hidden['secret'] ?? '') ?? [];
  const friend = friends.find((one) => one.toLowerCase() === named.toLowerCase());
  const colour = colours.find((one) => one === called.toLowerCase());
  if (!friend || !colour || about.toLowerCase() !== thing)
    throw new FormatError(
      spoken`the secret: expected “Tell Anna: the ${thing} is green.”, with one of ${friends.join(', ')} and one of ${colours.join(', ')}, got ${quoted(hidden['secret'] ?? '')}.`,
    );
  return problemOf(level, { thing, colour, friend });
}

/**
 * The maximum accuracy. Every thing has all colours equally often, so the question gives no information about the
 * colour.
 */
export const ceiling = (level: number, sees: readonly string[]): number =>
  levelIn([1], level) * (sees.includes('secret') ? 1 : 1 / colours.length);

/**
 * The share of the held-out problems with the most common colour. An agent that always gives this answer has this
 * accuracy.
 */
export function bestGuess(level: number, count: number): number {
  const problems = heldOutProblems(level, count);
  const times = colours.map((colour) => problems.filter(({ answer }) => answer === colour).length);
  return Math.max(...times) / problems.length;
}
