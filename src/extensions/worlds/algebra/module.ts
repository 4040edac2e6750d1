// Algebra. Both agents see two equations, but only the meta-thinking agent knows which unknown is asked for. It writes
// a move to apply to both sides, and the reasoning agent rewrites the equation. Without the message at most half of the
// answers are right. If every turn is a whole answer, such as `(1)+4;3x=15;/3;x=5`, only some agents see which unknown
// is asked for.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { drawProblem, heldOutProblems } from './problems.ts';

export { demonstrate } from './demonstration.ts';
export { assess, judge } from './judge.ts';
export { limits } from './levels.ts';
export { ceiling, readProblem as read } from './problems.ts';

export const about = { ...form, hasHarder: true, random: 'shared' } as const satisfies WorldModule['about'];
export const tokenizers = { signs: tokenizerJsonOf([...'0123456789xy?+-*/=<>();']) };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.includes('asked') ? (hidden['asked'] ?? '') : ''}${shown}`;
