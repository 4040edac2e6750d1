// Determines the relations of problems. A hash of the relations determines whether the relations belong to training or
// are held out. The hash does not depend on the unknown for which the problem asks, so a held-out pair of relations
// never occurs in training, not even with the other unknown.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { unknowns, type Unknown } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { mostCommon } from '../../../tasks/answers/majority.ts';
import { splitOf } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { levelOf } from './levels.ts';
import { parseRelations, printRelation, type LinearRelation } from './linear.ts';
import { solve } from './solution.ts';

/** The number of pairs of relations from which the ceiling is computed. */
const ceilingSample = 512;

export const askedOf = ({ given }: Pick<Problem, 'given'>) => (given as { asked: Unknown }).asked;

/** The relations of a problem. */
export const relationsOf = ({ shown }: Pick<Problem, 'shown'>): readonly LinearRelation[] =>
  parseRelations(shown) ?? [];

/** The problem with these two relations that asks for this unknown. */
export function problemOf(level: number, shown: string, asked: Unknown): Problem {
  const answer = solve(relationsOf({ shown }), asked, { draws: null, noise: 0 }).at(-1)?.reply ?? '';
  return {
    ...{ id: `${shown}|${asked}`, world: 'algebra', level, shown, hidden: { asked: `${asked}?` } },
    ...{ answer, slice: asked, given: { asked } },
  };
}

/**
 * Reads two relations that a visitor has typed. Throws FormatError if the text does not consist of two relations, or if
 * the answer is not an integer.
 */
export function readProblem(
  { shown, hidden }: { shown: string; hidden: Readonly<Record<string, string>> },
  level: number,
): Problem {
  const text = shown.replaceAll(/\s/g, '').replaceAll('−', '-');
  const refuse = (why: string) => new FormatError(`${spoken`the equations`}: ${why}`);
  const relations = parseRelations(text);
  if (relations?.length !== 2)
    throw refuse(
      spoken`expected two equations separated by a semicolon, such as 3x-4=11;2y+5=9, got “${shown.trim()}”.`,
    );
  const { shownLength } = levelOf(level);
  if (text.length > shownLength)
    throw refuse(
      spoken`level ${level} allows at most ${shownLength} characters, got ${text.length}; shorten the equations.`,
    );
  const asked = unknowns.find((unknown) => hidden['asked'] === `${unknown}?`);
  if (!asked) throw refuse(spoken`expected x or y as the unknown; choose one.`);
  const problem = problemOf(level, text, asked);
  if (!problem.answer.startsWith(asked))
    throw refuse(spoken`the moves of this level give no whole number for ${asked}; change the equations.`);
  return problem;
}

function drawPair(level: number, draws: RandomNumbers, split: Split): string {
  for (;;) {
    const shown = levelOf(level)
      .draw(draws, split === 'harder')
      .map(printRelation)
      .join(';');
    if (split === 'harder' || splitOf(shown) === split) return shown;
  }
}

/** Draws a problem of a split; both unknowns have the same probability. */
export const drawProblem = (level: number, draws: RandomNumbers, split: Split): Problem =>
  problemOf(level, drawPair(level, draws, split), draws.pick(unknowns));

/** Different held-out pairs, which are the same in every run. */
function heldOutPairs(level: number, count: number): string[] {
  const draws = new Draws(1, streams.heldOut, level);
  const pairs = new Set<string>();
  while (pairs.size < count) pairs.add(drawPair(level, draws, 'heldOut'));
  return [...pairs];
}

/** The fixed problems for evaluation, which ask for both unknowns equally often. */
export const heldOutProblems = (level: number, count: number): Problem[] =>
  heldOutPairs(level, count).map((shown, i) => problemOf(level, shown, unknowns[i % unknowns.length] as Unknown));

const ceilings = new Map<number, number>();

/**
 * The maximum accuracy. The maximum is 1 for an agent that sees for which unknown the problem asks. Otherwise, the
 * maximum is computed from a fixed sample of pairs of relations, for an agent that gives, for each pair, the answer
 * that is right for most of the unknowns.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  if (sees.includes('asked')) return 1;
  const known = ceilings.get(level);
  if (known !== undefined) return known;
  const shared = heldOutPairs(level, ceilingSample).map((shown) => {
    const answers = unknowns.map((asked) => problemOf(level, shown, asked).answer);
    return mostCommon(answers).count / unknowns.length;
  });
  const found = shared.reduce((sum, share) => sum + share, 0) / shared.length;
  ceilings.set(level, found);
  return found;
}
