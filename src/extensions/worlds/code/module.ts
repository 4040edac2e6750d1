// Code. The planner sees a description of a function without its numbers. The coder sees two examples that fit several
// functions, and writes a program. The program is run in the sandbox, and both agents see the result: the first example
// that fails, or the error. The dialogue ends when the planner ends it, or after the third attempt. Hidden tests decide
// whether a program is right.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { drawProblem, heldOutProblems } from './problems.ts';
import { codeTokenizerJson } from './vocabulary.ts';

export { demonstrate } from './demonstration.ts';
export { assess, judge, react } from './judge.ts';
export { limits } from './levels.ts';
export { ceiling } from './problems.ts';
export { readProblem as read } from './reading.ts';

export const about = {
  ...form,
  hasHarder: true,
  random: 'shared',
} as const satisfies WorldModule['about'];
export const tokenizers = { lexemes: codeTokenizerJson };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

/**
 * For example, an agent that sees everything reads ` Leave out the first ones.[4,2,7]=[7];[1,6,8]=[8]f(xs)`. Other
 * agents read a part of this text.
 */
export const view: WorldModule['view'] = ({ shown, hidden }, sees) => {
  const seen = sees.map((name) => (name === 'description' ? ` ${hidden[name]}` : (hidden[name] ?? '')));
  return `${seen.join('')}${shown}`;
};
