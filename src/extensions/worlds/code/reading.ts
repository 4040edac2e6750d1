// Reads problems that a visitor types: a description of the function in one of the known wordings, and two examples
// from which the numbers of the function follow.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import type { Problem } from '../../../records/problem.ts';
import { quote } from '../../../tasks/words.ts';
import type { TypedProblem } from '../../../tasks/world.ts';
import { describes, wordings } from './descriptions.ts';
import { lengthOf, levelOf } from './levels.ts';
import { alone } from './pools.ts';
import { problemOf } from './problems.ts';
import { programsOf, sourceOf, valueOf } from './programs.ts';

const parts = {
  description: () => spoken`the description`,
  examples: () => spoken`the examples`,
};
const refuse = (what: keyof typeof parts, why: string) => new FormatError(`${parts[what]()}: ${why}.`);
const example = /^\[([1-9](?:,[1-9])*)\]=\[(\d{1,2}(?:,\d{1,2})*)\]$/;
const numbersIn = (text = '') => text.split(',').map(Number);
const same = (a: readonly number[], b: readonly number[]) => a.length === b.length && a.every((x, i) => x === b[i]);

/**
 * Reads a description and two examples. Throws FormatError with an explanation if problems of this level cannot ask for
 * this function.
 */
export function readProblem({ hidden }: TypedProblem, level: number): Problem {
  const { form, examplesLength } = levelOf(level);
  const description = (hidden['description'] ?? '').trim().replaceAll(/\s+/g, ' ');
  const text = (hidden['examples'] ?? '').replaceAll(/\s/g, '');
  const read = text.split(';').map((one) => example.exec(one));
  const [first, second] = read.map((found) => found && { xs: numbersIn(found[1]), value: numbersIn(found[2]) });
  if (read.length !== 2 || !first || !second)
    throw refuse(
      'examples',
      spoken`expected two lists with their results, such as [4,2,7]=[7];[1,6,8]=[8], got “${quote(text)}”`,
    );
  const longest = lengthOf('harder');
  if (first.xs.length > longest || second.xs.length > longest)
    throw refuse('examples', spoken`a list can have at most ${longest} numbers; leave some out`);
  const length = text.match(/xs|\D|\d/g)?.length ?? 0;
  if (length > examplesLength)
    throw refuse('examples', spoken`this level allows at most ${examplesLength} digits and symbols, got ${length}`);

  const all = programsOf(form);
  const described = all.filter((program) => describes(description, program));
  if (described.length === 0)
    throw refuse(
      'description',
      spoken`expected a sentence such as ${wordings(all).join(' ')}, got “${quote(description)}”`,
    );
  const fits = (program: (typeof all)[number]) =>
    [first, second].every(({ xs, value }) => same(valueOf(program, xs), value));
  const [program, other] = described.filter(fits);
  if (!program)
    throw refuse(
      'examples',
      spoken`no function that fits the description gives both results; change one of the results`,
    );
  if (other)
    throw refuse(
      'examples',
      spoken`both ${sourceOf(program)} and ${sourceOf(other)} give these results; change one of the results`,
    );
  const programs = alone(all.filter(fits));
  return problemOf(level, { lists: [first.xs, second.xs], programs }, { program, description });
}
