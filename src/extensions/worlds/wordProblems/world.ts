// Word problems. The planner reads a story and says which operation to calculate, such as `7*3`. The reasoner sees no
// numbers except those in the messages, and replies with the result, `21`. This repeats until the planner has the
// answer to the story. If every turn is a whole answer, only some agents read the story.
import { form } from './form.ts';
import { promptText } from '../../../text/chatTemplate.ts';
import type { World } from '../../../tasks/world.ts';
import { judge } from './answers.ts';
import { assess } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { limits } from './levels.ts';
import { ceiling, drawProblem, heldOutProblems } from './problems.ts';
import { readProblem } from './reading.ts';
import { tokenizerJson } from '../../../tasks/everydayWords.ts';

export const world: World = {
  ...form,
  tokenizers: { words: tokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  read: readProblem,
  // ` Ann has seven apples. Tom gives Ann three. How many apples does Ann have?`, or the question alone.
  view: ({ shown, hidden }, sees) =>
    promptText(sees.includes('story') ? ` ${hidden['story'] ?? ''}` : null, ` ${shown}`),
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judge(...given)),
  assess: (...given) => Promise.resolve(assess(...given)),
};
