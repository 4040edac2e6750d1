// Word problems. The planner reads a story and writes the next operation, such as `7*3`. The reasoner sees no numbers
// except those in the messages, and replies with the result, `21`. This repeats until the planner has the answer to the
// story. If every turn is a whole answer, only some agents read the story.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { tokenizerJson } from '../../../tasks/everydayWords.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { judge } from './answers.ts';
export { assess } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { limits } from './levels.ts';
export { ceiling } from './problems.ts';
export { readProblem as read } from './reading.ts';

export const about = {
  ...form,
  hasHarder: true,
  random: 'shared',
} as const satisfies WorldModule['about'];
export const tokenizers = { words: tokenizerJson };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

/**
 * The text that an agent sees at the start: ` Ann has seven apples. Tom gives Ann three. How many apples does Ann
 * have?`, or only the question.
 */
export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.includes('story') ? ` ${hidden['story'] ?? ''}` : ''} ${shown}`;
