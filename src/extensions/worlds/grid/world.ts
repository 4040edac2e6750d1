// Grid planning. Only the planner has a map, which shows where the treasure lies. Only the walker sees things that the
// map does not show, within the eight cells around it. The planner names a few steps. The walker goes as far as it sees
// that this is possible, and names the cells it has reached or what stopped it. So each learns from the other what it
// cannot see itself.
import { form } from './form.ts';
import { promptText } from '../../../text/chatTemplate.ts';
import type { World } from '../../../tasks/world.ts';
import { judge } from './answers.ts';
import { assess } from './assessment.ts';
import { demonstrate } from './demonstration.ts';
import { groundOf } from './ground.ts';
import { limits } from './levels.ts';
import { ceiling, drawProblem, heldOutProblems } from './problems.ts';
import { readProblem } from './reading.ts';
import { gridTokenizerJson } from './vocabulary.ts';
import { isStanding, sight, standing, walk } from './walk.ts';

export const world: World = {
  ...form,
  tokenizers: { lexemes: gridTokenizerJson },
  splits: ['training', 'heldOut', 'harder'],
  draw: drawProblem,
  heldOut: heldOutProblems,
  ceiling,
  read: readProblem,
  view: ({ shown, hidden }, sees) => promptText(sees.map((name) => hidden[name] ?? '').join(''), shown),
  limits,
  demonstrate,
  judge: (...given) => Promise.resolve(judge(...given)),
  // After a plan, the walker looks around. In a protocol without a planner, a path is an answer, and the walker sees
  // nothing along it.
  react: (problem, state, { role, text, isTruncated }) => {
    const ground = groundOf(problem);
    if (role === 'metaThinking') {
      const now = isStanding(state) ? state : standing(ground);
      const observation = { source: 'sight', text: sight(ground, now), readers: [1] };
      return Promise.resolve({ state: now, observation });
    }
    if (!isStanding(state) || isTruncated) return Promise.resolve({ state });
    const { standing: next } = walk(ground, state, text);
    return Promise.resolve({ state: next, ...(next.end !== null && { isOver: true }) });
  },
  assess: (...given) => Promise.resolve(assess(...given)),
};
