// The world “Say the order”, in which problems and messages are plain English sentences. Only the planner knows in which
// order three runners arrived, and the reasoner is asked for this order.
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { form, runners } from './form.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { assess, judge } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { bestGuess, ceiling, readProblem as read } from './problems.ts';

const words = [
  ...['In', 'which', 'order', 'did', 'and', 'arrive'],
  ...['came', 'before', 'after', 'first', 'second', 'third'],
];

/** The number of tokens of the secret, plus the number of tokens of the question, plus two. */
const promptWindow = 10 + 11 + 2;
/** The number of tokens of `Tom, Anna, Ben` and of the token that ends a turn, plus one spare token. */
const window = 7;

export const about = { ...form, random: 'shared' } as const satisfies WorldModule['about'];
export const tokenizers = {
  names: tokenizerJsonOf([...',.?', ...[...words, ...runners].map((word) => ` ${word}`)], ' [A-Za-z]+|.'),
};

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

/** The text that an agent sees at the start, such as ` Tom came first, Anna second and Ben third. In which order …`. */
export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.map((name) => ` ${hidden[name] ?? ''}`).join('')} ${shown}`;

export const limits: WorldModule['limits'] = (_, { roles, rounds }) => ({
  ...{ roundLimit: rounds, windows: roles.map(() => window), promptWindow },
});
