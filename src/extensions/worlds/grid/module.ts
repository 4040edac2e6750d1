// Grid planning. Only the planner has a map, which shows where the treasure is. Only the walker sees obstacles that are
// not on the map, in the eight cells around it. The planner writes a few steps. The walker follows the plan as far as
// possible, and writes the cells that it has reached or the obstacle that has stopped it. Each agent thus receives
// information from the other that it cannot see itself.
import { form } from './form.ts';
import type { WorldModule } from '../../../tasks/contract/worldModule.ts';
import { groundOf } from './ground.ts';
import { drawProblem, heldOutProblems } from './problems.ts';
import { gridTokenizerJson } from './vocabulary.ts';
import { isStanding, sight, standing, walk } from './walk.ts';

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
export const tokenizers = { lexemes: gridTokenizerJson };

export const draw: WorldModule['draw'] = (random, level, split) => drawProblem(level, random, split);
export const heldOut: WorldModule['heldOut'] = (_, level, count) => heldOutProblems(level, count);

export const view: WorldModule['view'] = ({ shown, hidden }, sees) =>
  `${sees.map((name) => hidden[name] ?? '').join('')}${shown}`;

/**
 * After a plan, the walker receives an observation of the cells around it. In a protocol without a planner, a path is
 * an answer, and the walker receives no observations.
 */
export const react: WorldModule['react'] = (problem, state, { role, text, isTruncated }) => {
  const ground = groundOf(problem);
  if (role === 'metaThinking') {
    const now = isStanding(state) ? state : standing(ground);
    const observation = { source: 'sight', text: sight(ground, now), readers: [1] };
    return { state: now, observation };
  }
  if (!isStanding(state) || isTruncated) return { state };
  const { standing: next } = walk(ground, state, text);
  return { state: next, ...(next.end !== null && { isOver: true }) };
};
