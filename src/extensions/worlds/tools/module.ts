// Tool use. A planner reads the question and plans step by step what to do. An executor, who has the tools but never
// sees the question, makes the calls and reads the results. Alternatively, a single agent reads the question, has the
// tools, and makes one call per turn until it gives the answer. The answers are in knowledge bases and files that
// agents see only through calls, so an agent that makes no call can only guess.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { drawProblem, heldOutProblems } from './problems.ts';
import { toolsTokenizerJson } from './vocabulary.ts';

export { assess, judge, react } from './assessment.ts';
export { demonstrate } from './demonstration.ts';
export { limits } from './levels.ts';
export { readProblem as read } from './reading.ts';
export { ceiling } from './tasks.ts';

export const about = {
  ...form,
  hasHarder: true,
  random: 'shared',
} as const satisfies WorldModule['about'];
export const tokenizers = { words: toolsTokenizerJson };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

/** The text that an agent sees at the start: ` Where does Ann live?<search>17<read>2 calls`, or a part of it. */
export const view: WorldModule['view'] = ({ shown, hidden }, sees) => {
  const seen = sees.map((name) => (name === 'question' ? ` ${hidden[name]}` : (hidden[name] ?? '')));
  return `${seen.join('')}${shown}`;
};
