// Determines for which functions problems ask. A hash of the examples determines whether the examples belong to
// training or are held out, so held-out examples never occur in training, not even with another function that fits
// them.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { noneTwice, splitOf } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { describe } from './descriptions.ts';
import { lengthOf, levelOf } from './levels.ts';
import { poolOf, type Examples } from './pools.ts';
import { planOf, sourceOf, valueOf, type CodeProgram } from './programs.ts';

export const sliceNames = ['three', 'more'] as const;
type Slice = (typeof sliceNames)[number];

/** The data of a problem that only this world reads. */
interface Given {
  plan: string;
  /** The lists for which the examples show results. */
  examples: readonly [readonly number[], readonly number[]];
}

export const givenOf = ({ given }: Pick<Problem, 'given'>) => given as Given;

/** One example, such as `[4,2,7]=[7]`. */
const written = (xs: readonly number[], value: readonly number[]) => `${JSON.stringify(xs)}=${JSON.stringify(value)}`;

/**
 * The problem that asks for a program. The agents see two examples that fit the program, and its description in words.
 */
export function problemOf(
  level: number,
  { lists, programs }: Examples,
  { program, description }: { program: CodeProgram; description: string },
): Problem {
  const examples = lists.map((xs) => written(xs, valueOf(program, xs))).join(';');
  return {
    ...{ id: `${description} ${examples}`, world: 'code', level, shown: 'f(xs)', hidden: { description, examples } },
    ...{ answer: sourceOf(program), slice: sliceOf({ programs }), given: { plan: planOf(program), examples: lists } },
  };
}

const sliceOf = ({ programs }: Pick<Examples, 'programs'>): Slice => (programs.length <= 3 ? 'three' : 'more');

const isOf = ({ lists }: Examples, split: Split) => split === 'harder' || splitOf(JSON.stringify(lists)) === split;

const sorted = new Map<string, Readonly<Record<Slice, readonly Examples[]>>>();

/** The examples of a split, grouped by the number of functions that fit them. */
function examplesOf(level: number, split: Split): Readonly<Record<Slice, readonly Examples[]>> {
  const key = `${level} ${split}`;
  const known = sorted.get(key);
  if (known) return known;
  const all = poolOf(levelOf(level).form, lengthOf(split)).filter((examples) => isOf(examples, split));
  const of = (slice: Slice) => all.filter((examples) => sliceOf(examples) === slice);
  const found = { three: of('three'), more: of('more') };
  sorted.set(key, found);
  return found;
}

/**
 * Draws a problem of a split: first the number of functions that fit the examples, then the examples, then one of these
 * functions.
 */
export function drawProblem(
  level: number,
  draws: RandomNumbers,
  split: Split,
  slice: Slice = draws.pick(sliceNames),
): Problem {
  const examples = draws.pick(examplesOf(level, split)[slice]);
  const program = draws.pick(examples.programs);
  return problemOf(level, examples, { program, description: describe(program, draws) });
}

/**
 * The fixed problems for evaluation. The problems are the same in every run, belong to all slices equally often, and do
 * not repeat.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(1, streams.heldOut, level);
  const draw = (at: number) => drawProblem(level, draws, 'heldOut', sliceNames[at % sliceNames.length]);
  return noneTwice(count, draw);
}

const ceilings = new Map<string, number>();

/**
 * The maximum accuracy. The maximum is 1 for an agent that sees the description and the examples. Otherwise, the
 * maximum is the mean, over all held-out problems, of the probability of the most likely function, given what the agent
 * sees.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  const [readsWords, readsExamples] = ['description', 'examples'].map((name) => sees.includes(name));
  if (readsWords && readsExamples) return 1;
  const key = `${level} ${readsWords} ${readsExamples}`;
  const known = ceilings.get(key);
  if (known !== undefined) return known;
  /** For each text that an agent may see, the probability of each function. */
  const chances = new Map<unknown, Map<string, number>>();
  for (const all of Object.values(examplesOf(level, 'heldOut'))) {
    for (const examples of all) {
      const chance = 1 / (sliceNames.length * all.length * examples.programs.length);
      for (const program of examples.programs) {
        const read = readsExamples ? examples : readsWords ? planOf(program) : null;
        const functions = chances.get(read) ?? new Map<string, number>();
        functions.set(sourceOf(program), (functions.get(sourceOf(program)) ?? 0) + chance);
        chances.set(read, functions);
      }
    }
  }
  const found = [...chances.values()].reduce((sum, functions) => sum + Math.max(...functions.values()), 0);
  ceilings.set(key, found);
  return found;
}
