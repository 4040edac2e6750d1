// The world “Count the legs”, in which problems and messages are plain English sentences. Only the planner knows which
// animals somebody has, and the reasoner is asked how many legs these animals have together.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { animals, answersAt, form, owners } from './form.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { assess, judge } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { bestGuess, ceiling, readProblem as read } from './problems.ts';

const words = ['How', 'many', 'legs', 'do', 'the', 'animals', 'of', 'have', 'has', 'a', 'an', 'and'];

/** The number of tokens of the secret, plus the number of tokens of the question, plus two. */
const promptWindow = 8 + 10 + 2;
/** The number of tokens of `Anna has a hen and a cow` and of the token that ends a turn, plus one spare token. */
const window = 9;

export const about = { ...form, random: 'shared' } as const satisfies WorldModule['about'];
export const tokenizers = {
  animals: tokenizerJsonOf(
    [
      ...'.?',
      ...[...words, ...owners, ...animals, ...answersAt[1], ...answersAt[2].slice(3)].map((word) => ` ${word}`),
    ],
    ' [A-Za-z]+| [0-9]+|.',
  ),
};

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

/** The text that an agent sees at the start, such as ` Anna has a hen and a cow. How many legs do …`. */
export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.map((name) => ` ${hidden[name] ?? ''}`).join('')} ${shown}`;

export const limits: WorldModule['limits'] = (_, { roles, rounds }) => ({
  ...{ roundLimit: rounds, windows: roles.map(() => window), promptWindow },
});
