// Tool use. A planner reads the question and says step by step what to do. An executor, who has the tools but never
// sees the question, makes the calls and reads the results. Alternatively, a single agent reads the question, has the
// tools, and makes one call per turn until it answers. The answers are in knowledge bases and files that no agent sees,
// so in a single turn an agent can only guess.
import { form } from './form.ts';
import { promptText } from '../../../text/chatTemplate.ts';
import type { World } from '../../../tasks/world.ts';
import { assess, judge, react } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { limits } from './levels.ts';
import { drawProblem, heldOutProblems } from './problems.ts';
import { readProblem } from './reading.ts';
import { ceiling } from './tasks.ts';
import { toolsTokenizerJson } from './vocabulary.ts';

export const world: World = {
  ...form,
  tokenizers: { words: toolsTokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: (level, draws, split) => drawProblem(level, draws, split),
  heldOut: heldOutProblems,
  ceiling,
  read: readProblem,
  // The full prompt is ` Where does Ann live?<search>17<read>2 calls`; an agent sees it or a part of it.
  view: ({ shown, hidden }, sees) =>
    promptText(sees.map((name) => (name === 'question' ? ` ${hidden[name]}` : (hidden[name] ?? ''))).join(''), shown),
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judge(...given)),
  react,
  assess,
};
