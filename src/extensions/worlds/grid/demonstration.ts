// Dialogues to imitate in the warm start: all of them well walked, but most of them to a cell beside the treasure. How
// many read the map well is a knob (`goodPlans`), so that reinforcement learning has something left to find.
import type { Draws } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import { terminated } from '../../../text/chatTemplate.ts';
import type { Demonstrated, World } from '../../../tasks/world.ts';
import { judge } from './answers.ts';
import {
  cellAt,
  cellName,
  cellsOf,
  directionNames,
  directions,
  groundOf,
  stepsBetween,
  type Ground,
} from './ground.ts';
import { levelOf } from './levels.ts';
import { talkThrough, wholeWay } from './solver.ts';
import { isFree, type WalkState } from './walk.ts';

/** Steps from the treasure at most to where a planner goes who reads the map badly. */
const astray = 2;
/** Aims tried where the treasure is not heeded, before it is after all. */
const tries = 8;

/** Messages in speaking order, each with its terminator; they always fit the limits of the level. */
export const demonstrate: World['demonstrate'] = (problem, draws, options, protocol) => {
  if (!protocol.hasSteps) return demonstrateAnswers(answerer, problem, draws, options, protocol);
  const ground = groundOf(problem);
  const isGood = draws.next() < options.goodPlans;
  const most = levelOf(problem.level).rounds + 1;
  const slip = (now: WalkState) => (draws.next() < options.resultNoise ? slipOf(ground, now, draws) : null);
  const talk = (aim: number) => talkThrough(ground, { aim, most, slip });
  const isDone = (found: ReturnType<typeof talk>) => found.standing.end !== null;
  const found = isGood ? talk(ground.treasure) : aimed(problem, draws, { talk, isDone });
  return found.rounds.flatMap(({ plan, reply }, round): Demonstrated[] =>
    [plan, reply].map((text, agent) => ({ agent, round, message: terminated({ text, isFinish: false }) })),
  );
};

/** The value found for an aim beside the treasure, if it is done; otherwise for the treasure. */
function aimed<Found>(
  problem: Problem,
  draws: Draws,
  { talk, isDone }: { talk: (aim: number) => Found; isDone: (found: Found) => boolean },
): Found {
  const ground = groundOf(problem);
  const cells = cellsOf(ground.size).filter((cell) => {
    const off = stepsBetween(ground.treasure, cell);
    return off >= 1 && off <= astray && cell !== ground.start && !ground.walls.has(cell);
  });
  for (let i = 0; i < tries; i++) {
    const found = talk(draws.pick(cells));
    if (isDone(found)) return found;
  }
  return talk(ground.treasure);
}

/** A step that is not as planned, onto some free cell; null where there is none. */
function slipOf(ground: Ground, now: WalkState, draws: Draws): string | null {
  const next = directionNames.map((name) => cellAt(now.cell, directions[name], ground.size));
  const free = next.filter((cell) => cell >= 0 && isFree(ground, now, cell));
  return free.length > 0 ? cellName(draws.pick(free)) : null;
}

const answerer: Answerer = {
  judge,
  solve: (problem, draws, { isGood, resultNoise }) => {
    const ground = groundOf(problem);
    const most = 2 * levelOf(problem.level).rounds;
    const talk = (aim: number) => wholeWay(ground, aim);
    const isDone = (way: string | null) => way !== null && way.length <= 2 * most;
    const way = (isGood ? talk(ground.treasure) : aimed(problem, draws, { talk, isDone })) ?? 'dig';
    return draws.next() < resultNoise ? way.replace(/^(wait|..)/, cellName(draws.pick(cellsOf(ground.size)))) : way;
  },
};
