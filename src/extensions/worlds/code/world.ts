// Code. The planner reads what a function does, without its numbers; the coder reads two examples that several
// functions fit, and writes. The program is run in the sandbox, and both see the outcome: the first example that fails,
// or the error. The planner ends the dialogue, or the third attempt does. Hidden tests decide.
import { form } from './form.ts';
import { promptText } from '../../../text/chatTemplate.ts';
import type { World } from '../../../tasks/world.ts';
import { demonstrate } from './demonstration.ts';
import { assess, judge, react } from './judge.ts';
import { limits } from './levels.ts';
import { ceiling, drawProblem, heldOutProblems } from './problems.ts';
import { readProblem } from './reading.ts';
import { codeTokenizerJson } from './vocabulary.ts';

export const world: World = {
  ...form,
  tokenizers: { lexemes: codeTokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  read: readProblem,
  // ` Leave out the first ones.[4,2,7]=[7];[1,6,8]=[8]f(xs)`, or less.
  view: ({ shown, hidden }, sees) =>
    promptText(
      sees.map((name) => (name === 'description' ? ` ${hidden[name]}` : (hidden[name] ?? ''))).join(''),
      shown,
    ),
  limits,
  demonstrate,
  judge,
  react,
  assess,
};
