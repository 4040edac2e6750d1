// Algebra. Both agents see two relations, but only the planner knows for which unknown the problem asks. The planner
// writes a move that is to be applied to both sides, and the reasoner writes the resulting relation. Without the
// planner's message, at most half of the answers are right. If every turn is a whole answer, such as
// `(1)+4;3x=15;/3;x=5`, only some agents see for which unknown the problem asks.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { demonstrate } from './demonstration.ts';
export { assess, judge } from './judge.ts';
export { limits } from './levels.ts';
export { ceiling, readProblem as read } from './problems.ts';

export const about = {
  ...form,
  hasHarder: true,
  random: 'shared',
} as const satisfies WorldModule['about'];
export const tokenizers = { signs: tokenizerJsonOf([...'0123456789xy?+-*/=<>();']) };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.includes('asked') ? (hidden['asked'] ?? '') : ''}${shown}`;
