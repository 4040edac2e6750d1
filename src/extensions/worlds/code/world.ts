// Code. The planner reads a description of a function without its numbers. The coder reads two examples that fit
// several functions, and writes a program. The program is run in the sandbox, and both see the outcome: the first
// example that fails, or the error. The dialogue ends when the planner ends it or after the third attempt. Hidden tests
// decide whether a program is right.
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
  // The full prompt is ` Leave out the first ones.[4,2,7]=[7];[1,6,8]=[8]f(xs)`; an agent sees it or a part of it.
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
