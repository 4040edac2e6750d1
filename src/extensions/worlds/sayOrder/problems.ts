// Draws the problems. Three runners that are held out together never occur together in training, but each of them occurs
// there with other runners. All six orders are equally likely.
import { FormatError } from '../../../base/errors.ts';
import { quoted } from '../../../base/quote.ts';
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { spoken } from '../../../base/spoken.ts';
import type { Problem } from '../../../records/problem.ts';
import { levelIn } from '../../../tasks/levels.ts';
import { noneTwice } from '../../../tasks/splits.ts';
import type { Split, TypedProblem } from '../../../tasks/world.ts';
import { runners, winnerPlaces, type Runner } from './form.ts';

export interface OrderFacts {
  arrived: readonly Runner[];
  /** The sentences from which the order follows; only at level 2. */
  sentences?: readonly string[];
}
export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as OrderFacts;

/** All sets of three runners, in alphabetical order. One in four is held out. */
const sets = runners.flatMap((a, i) =>
  runners.slice(i + 1).flatMap((b, j) => runners.slice(i + j + 2).map((c): Runner[] => [a, b, c])),
);
const setsOf = {
  training: sets.filter((_, at) => at % 4 !== 1),
  heldOut: sets.filter((_, at) => at % 4 === 1),
};

/** The six orders of three runners, as indices into the alphabetical order. Three in a row have different winners. */
const orders = [
  ...[[0, 1, 2] as const, [1, 0, 2] as const, [2, 0, 1] as const],
  ...[[0, 2, 1] as const, [1, 2, 0] as const, [2, 1, 0] as const],
];

const listed = ([a = '', b = '', c = '']: readonly string[]) => `${a}, ${b} and ${c}`;
const question = (arrived: readonly string[]) => `In which order did ${listed(arrived.toSorted())} arrive?`;

/** The secret as sentences. */
const sentencesOf = ({ arrived: [a, b, c], sentences }: OrderFacts): readonly string[] =>
  sentences ?? [`${a} came first, ${b} second and ${c} third.`];
export const secretOf = (given: OrderFacts) => sentencesOf(given).join(' ');

/** A message that tells an order. */
export const statement = (arrived: readonly string[]) => arrived.join(', ');

function problemOf(level: number, given: OrderFacts): Problem {
  const { arrived } = given;
  const secret = secretOf(given);
  const slice = winnerPlaces[arrived.toSorted().indexOf(arrived[0] as Runner)] as string;
  return {
    ...{ id: secret, world: 'sayOrder', level, shown: question(arrived), hidden: { secret } },
    ...{ answer: arrived.join(' '), slice, given },
  };
}

/** Two sentences about neighbours in the order, in random sequence and each in one of two forms. */
function drawSentences(draws: RandomNumbers, [a, b, c]: readonly Runner[]): string[] {
  const about = (earlier = '', later = '') =>
    draws.below(2) === 0 ? `${earlier} came before ${later}.` : `${later} came after ${earlier}.`;
  return draws.shuffle([about(a, b), about(b, c)]);
}

/** One problem of a split, with an order, or with any order if none is given. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, order = draws.pick(orders)): Problem {
  const set = draws.pick(setsOf[split === 'training' ? split : 'heldOut']);
  const arrived = order.map((at) => set[at] as Runner);
  return problemOf(level, {
    arrived,
    ...(levelIn([1, 2], level) === 2 && { sentences: drawSentences(draws, arrived) }),
  });
}

/** The fixed problems of the evaluation. They are the same in every run, and have all orders equally often. */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  return noneTwice(count, (at) => drawProblem(level, draws, 'heldOut', orders[at % orders.length]));
}

/** The order that follows from the sentences of a typed secret; null if it does not follow. */
function orderFrom(level: number, secret: string, asked: readonly Runner[]): OrderFacts | null {
  const known = (word = '') => asked.find((runner) => runner.toLowerCase() === word.toLowerCase());
  const arrivals = (found: readonly (Runner | undefined)[]): readonly Runner[] | null =>
    found.every((runner) => runner !== undefined) && new Set(found).size === 3 ? found : null;
  if (levelIn([1, 2], level) === 1) {
    const [, ...found] = /^\s*(\w+) came first, (\w+) second,? and (\w+) third\.?\s*$/i.exec(secret) ?? [];
    const arrived = arrivals(found.length === 3 ? found.map(known) : [undefined]);
    return arrived && { arrived };
  }
  const said = (secret.match(/[^.]+/g) ?? []).map((sentence) => sentence.trim()).filter((sentence) => sentence !== '');
  const pairs = said.map((sentence) => {
    const [, one, how = '', other] = /^(\w+) came (before|after) (\w+)$/i.exec(sentence) ?? [];
    const pair = [known(one), known(other)] as const;
    return how.toLowerCase() === 'after' ? ([pair[1], pair[0]] as const) : pair;
  });
  const [first, second] = pairs;
  if (!first || !second || pairs.length !== 2) return null;
  const sentences = pairs.map(([earlier, later], i) =>
    / after /i.test(said[i] as string) ? `${later} came after ${earlier}.` : `${earlier} came before ${later}.`,
  );
  const chain = first[1] === second[0] ? [...first, second[1]] : second[1] === first[0] ? [...second, first[1]] : [];
  const arrived = arrivals(chain);
  return arrived && { arrived, sentences };
}

/** A problem that a user typed. Throws FormatError if the question or the secret does not belong to this world. */
export function readProblem({ shown, hidden }: TypedProblem, level: number): Problem {
  const words = /^\s*In which order did (\w+), (\w+),? and (\w+) arrive\?\s*$/i.exec(shown)?.slice(1) ?? [];
  const asked = runners.filter((runner) => words.some((word) => word.toLowerCase() === runner.toLowerCase()));
  if (asked.length !== 3)
    throw new FormatError(
      spoken`the question: expected “${question(['Anna', 'Ben', 'Tom'])}”, with three of ${runners.join(', ')}, got ${quoted(shown)}.`,
    );
  const given = orderFrom(level, hidden['secret'] ?? '', asked);
  if (given === null) {
    const example: OrderFacts = {
      arrived: ['Tom', 'Anna', 'Ben'],
      ...(level === 2 && { sentences: ['Anna came before Ben.', 'Anna came after Tom.'] }),
    };
    throw new FormatError(
      spoken`the secret: expected the order of ${asked.join(', ')}, such as “${secretOf(example)}”, got ${quoted(hidden['secret'] ?? '')}.`,
    );
  }
  return problemOf(level, given);
}

/** The maximum accuracy. All orders are equally likely, so the question gives no information about the order. */
export const ceiling = (_: number, sees: readonly string[]): number =>
  sees.includes('secret') ? 1 : 1 / orders.length;

/**
 * The share of the held-out problems with the most common order of the names in the question. An agent that always gives
 * this order has this accuracy.
 */
export function bestGuess(level: number, count: number): number {
  const given = heldOutProblems(level, count).map(({ given }) => (given as OrderFacts).arrived);
  const times = orders.map(
    (order) => given.filter((arrived) => order.every((at, i) => arrived.toSorted()[at] === arrived[i])).length,
  );
  return Math.max(...times) / given.length;
}
