// Pass it on, the first world in plain words. Only the planner knows that the hat is green, and the reasoner is asked
// what colour the hat is. Our own small networks play it in a closed vocabulary. A third-party language model reads
// each turn as a chat (`inWords`), in the words of the reference run (SmolLM2-135M-Instruct, GRPO, one adapter).
import { colours, friends, form, things } from './form.ts';
import { promptText } from '../../../text/chatTemplate.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import type { World } from '../../../tasks/world.ts';
import { assess, judge } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { bestGuess, ceiling, drawProblem, heldOutProblems, readProblem } from './problems.ts';
import { inWords } from './words.ts';

const words = ['What', 'colour', 'is', 'the', 'Tell', ...friends, ...things, ...colours];

/** Number of tokens of the secret, the question, and the tokens around them. */
const promptWindow = 8 + 6 + 2;
/** Number of tokens of `the hat is green` with its terminator, and one spare token. */
const window = 6;

export const world: World = {
  ...form,
  tokenizers: { plain: tokenizerJsonOf([...'.?:', ...words.map((word) => ` ${word}`)], ' [A-Za-z]+|.') },
  splits: ['training', 'heldOut'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  bestGuess,
  read: readProblem,
  // ` Tell Anna: the hat is green. What colour is the hat?`
  view: ({ shown, hidden }, sees) => promptText(sees.map((name) => ` ${hidden[name] ?? ''}`).join(''), ` ${shown}`),
  limits: (_, { roles, rounds }) => ({ roundLimit: rounds, windows: roles.map(() => window), promptWindow }),
  demonstrate,
  judge: (...given) => Promise.resolve(judge(...given)),
  assess: (...given) => Promise.resolve(assess(...given)),
  inWords,
};
