// The world “Pass it on”, in which problems and messages are plain English sentences. Only the planner knows that the
// hat is green, and the reasoner is asked what colour the hat is. Our own small networks use a small vocabulary of
// whole words. An imported language model reads the dialogue as a chat, in the words of the reference run
// (SmolLM2-135M-Instruct, GRPO, one adapter).
import { colours, friends, form, things } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { levelIn } from '../../../tasks/levels.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { assess, judge } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { bestGuess, ceiling, readProblem as read } from './problems.ts';

const words = ['What', 'colour', 'is', 'the', 'Tell', ...friends, ...things, ...colours];

/**
 * By level: in `promptWindow`, the number of tokens of the secret, plus the number of tokens of the question, plus two for
 * the begin token and the end token; in `window`, the number of tokens of `the hat is green` and of the token that ends a
 * turn, plus one spare token.
 */
const room = [
  { promptWindow: 8 + 6 + 2, window: 6 },
  { promptWindow: 16 + 12 + 2, window: 11 },
];

export const about = { ...form, random: 'shared' } as const satisfies WorldModule['about'];
export const tokenizers = { plain: tokenizerJsonOf([...'.?:', ...words.map((word) => ` ${word}`)], ' [A-Za-z]+|.') };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

/** The text that an agent sees at the start, such as ` Tell Anna: the hat is green. What colour is the hat?`. */
export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.map((name) => ` ${hidden[name] ?? ''}`).join('')} ${shown}`;

export const limits: WorldModule['limits'] = (level, { roles, rounds }) => {
  const { promptWindow, window } = levelIn(room, level);
  return { roundLimit: rounds, windows: roles.map(() => window), promptWindow };
};
