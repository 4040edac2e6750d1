// Reads questions that a user types in the words of a level, together with the number of the knowledge base to search.
// The contents of the files are random, with this number as the seed. Agents do not see the contents of a file before
// they read the file, so users do not type these contents either.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import { Draws, streams } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { quote } from '../../../tasks/words.ts';
import type { TypedProblem } from '../../../tasks/world.ts';
import { baseCount } from './knowledge.ts';
import { levelOf } from './levels.ts';
import { problemOf } from './problems.ts';
import { examplesOf, taskOf } from './tasks.ts';
import { signOf } from './vocabulary.ts';

const parts = {
  question: () => spoken`the question`,
  tools: () => spoken`the tools`,
};
const refuse = (what: keyof typeof parts, why: string) => new FormatError(`${parts[what]()}: ${why}.`);

/**
 * Reads a question and tools. Throws FormatError if the question or the tools are not possible on this level; the
 * message says why.
 */
export function readProblem({ hidden }: TypedProblem, level: number): Problem {
  const asked = (hidden['question'] ?? '').trim().replaceAll(/\s+/g, ' ');
  const text = (hidden['tools'] ?? '').replaceAll(/\s/g, '');
  const sets = levelOf(level).others;
  const [, number = ''] = /^<search>(\d{1,3})</.exec(text) ?? [];
  const base = Number(number);
  const others = sets.find(
    (set) => text === `${signOf('search')}${number}${signOf('read')}${set.map(signOf).join('')}`,
  );
  if (number === '' || !others) {
    const written = sets.map((set) => `<search>17<read>${set.map(signOf).join('')}`);
    throw refuse(
      'tools',
      spoken`expected ${written.join(spoken` or `)} with the number of a knowledge base, got “${quote(text)}”`,
    );
  }
  if (`${base}` !== number || base >= baseCount)
    throw refuse('tools', spoken`knowledge bases are numbered from 0 to ${baseCount - 1}, got ${number}`);
  const task = taskOf(level, asked, new Draws(base, streams.knowledge, 1));
  if (!task)
    throw refuse('question', spoken`expected a question such as ${examplesOf(level).join(' ')}, got “${quote(asked)}”`);
  return problemOf(level, { base, others }, task);
}
