// Draws the problems. At level 2, two animals that are held out together never occur together in training. At level 1, an
// animal that is held out with one owner occurs in training with other owners only.
import { FormatError } from '../../../base/errors.ts';
import { quoted } from '../../../base/quote.ts';
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { spoken } from '../../../base/spoken.ts';
import type { Problem } from '../../../records/problem.ts';
import { levelIn } from '../../../tasks/levels.ts';
import { noneTwice } from '../../../tasks/splits.ts';
import type { Split, TypedProblem } from '../../../tasks/world.ts';
import { animals, answersAt, legsOf, owners, type Animal, type LegsLevel, type LegsCount } from './form.ts';

export interface LegsFacts {
  owner: string;
  animals: readonly Animal[];
}
export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as LegsFacts;

/** The owners and animals of a level with one number of legs, by split. One in four is held out. */
type Pool = Record<'training' | 'heldOut', LegsFacts[]>;

const isKept = (at: number) => at % 4 === 1;
const legs = (of: readonly Animal[]) => of.reduce<number>((sum, animal) => sum + legsOf[animal], 0);
const pairs = animals.flatMap((one, i) => animals.slice(i + 1).map((other): Animal[] => [one, other]));

/** At level 1, an owner and an animal are held out together; at level 2, two animals are. */
const known: Record<LegsLevel, { given: LegsFacts; isHeldOut: boolean }[]> = {
  1: animals.flatMap((animal, i) =>
    owners.map((owner, at) => ({ given: { owner, animals: [animal] }, isHeldOut: isKept(i + at) })),
  ),
  2: answersAt[2].flatMap((sum) =>
    pairs
      .filter((pair) => legs(pair) === Number(sum))
      .flatMap((pair, at) =>
        owners.flatMap((owner) =>
          [pair, pair.toReversed()].map((animals) => ({ given: { owner, animals }, isHeldOut: isKept(at) })),
        ),
      ),
  ),
};

const pools = new Map<string, Pool>();
function poolOf(level: LegsLevel, sum: LegsCount): Pool {
  const key = `${level} ${sum}`;
  const found = pools.get(key);
  if (found) return found;
  const all = known[level].filter(({ given }) => legs(given.animals) === Number(sum));
  const split = (isHeldOut: boolean) => all.filter((one) => one.isHeldOut === isHeldOut).map(({ given }) => given);
  const pool = { training: split(false), heldOut: split(true) };
  pools.set(key, pool);
  return pool;
}

const levelOf = (level: number) => levelIn([1, 2] as const, level);

const withArticle = (animal: Animal) => `${/^[aeiou]/.test(animal) ? 'an' : 'a'} ${animal}`;
export const question = (owner: string) => `How many legs do the animals of ${owner} have?`;
export const statement = ({ owner, animals: own }: LegsFacts) => `${owner} has ${own.map(withArticle).join(' and ')}`;

/** The problem with this content. */
function problemOf(level: number, given: LegsFacts): Problem {
  const answer = `${legs(given.animals)}`;
  const secret = `${statement(given)}.`;
  return {
    ...{ id: secret, world: 'legs', level, shown: question(given.owner), hidden: { secret } },
    ...{ answer, slice: answer, given },
  };
}

/** One problem of a split, with the given number of legs, or with any number if none is given. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split, slice?: LegsCount): Problem {
  const asked = levelOf(level);
  const pool = poolOf(asked, slice ?? draws.pick<LegsCount>(answersAt[asked]));
  return problemOf(level, draws.pick(pool[split === 'training' ? split : 'heldOut']));
}

/**
 * The fixed problems of the evaluation. The problems are the same in every run, all different, and have all numbers of
 * legs equally often.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  const answers = answersAt[levelOf(level)];
  return noneTwice(count, (at) => drawProblem(level, draws, 'heldOut', answers[at % answers.length]));
}

/** A problem that a user typed. Throws FormatError if the question or the secret does not belong to this world. */
export function readProblem({ shown, hidden }: TypedProblem, level: number): Problem {
  const asked = /^\s*How many legs do the animals of ([a-z]+) have\?\s*$/i.exec(shown)?.[1]?.toLowerCase();
  const owner = owners.find((one) => one.toLowerCase() === asked);
  if (!owner)
    throw new FormatError(
      spoken`the question: expected “How many legs do the animals of Anna have?”, with one of ${owners.join(', ')}, got ${quoted(shown)}.`,
    );
  const [, who = '', first = '', , second] =
    /^\s*([a-z]+) has an? ([a-z]+)( and an? ([a-z]+))?\.?\s*$/i.exec(hidden['secret'] ?? '') ?? [];
  const named = [first, ...(second === undefined ? [] : [second])].map((word) => word.toLowerCase());
  const told = named.flatMap((word) => animals.filter((animal) => animal === word));
  if (new Set(told).size !== levelOf(level) || told.length < named.length || who.toLowerCase() !== owner.toLowerCase())
    throw new FormatError(
      spoken`the secret: expected “${statement({ owner, animals: level === 1 ? ['hen'] : ['hen', 'cow'] })}.”, with animals such as ${animals.slice(0, 6).join(', ')}, got ${quoted(hidden['secret'] ?? '')}.`,
    );
  return problemOf(level, { owner, animals: told });
}

/** The maximum accuracy. All numbers of legs are equally likely, so the question gives no information about them. */
export const ceiling = (level: number, sees: readonly string[]): number =>
  sees.includes('secret') ? 1 : 1 / answersAt[levelOf(level)].length;

/**
 * The share of the held-out problems with the most common number of legs. An agent that always gives this answer has this
 * accuracy.
 */
export function bestGuess(level: number, count: number): number {
  const problems = heldOutProblems(level, count);
  const times = answersAt[levelOf(level)].map((sum) => problems.filter(({ answer }) => answer === sum).length);
  return Math.max(...times) / problems.length;
}
