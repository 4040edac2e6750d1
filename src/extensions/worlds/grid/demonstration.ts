// Dialogues to imitate in the warm start. In all of these dialogues, the walker follows its path correctly, but most
// paths lead to a cell near the treasure. The setting `goodPlans` determines how many paths lead to the treasure
// itself, so there is something left for reinforcement learning to improve.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Problem } from '../../../records/problem.ts';
import { demonstrateAnswers, type Answerer } from '../../../tasks/answers/demonstratedAnswers.ts';
import type { Demonstrate, ShownMessage } from '../../../tasks/contract/worldModule.ts';
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
import { solvedTogether, wholeWay } from './solver.ts';
import { isFree, type WalkState } from './walk.ts';

/** A plan that is not a good one leads to a cell that is at most this many steps away from the treasure. */
const astray = 2;
/** The number of wrong target cells that are tried before the treasure itself becomes the target. */
const tries = 8;

/** The messages in speaking order. The messages never exceed the limits of the level. */
export const demonstrate: Demonstrate = (draws, problem, options, protocol) => {
  if (!protocol.hasSteps) return demonstrateAnswers(answerer, draws, problem, options, protocol);
  const ground = groundOf(problem);
  const isGood = draws.next() < options.goodPlans;
  const most = levelOf(problem.level).rounds + 1;
  const slip = (now: WalkState) => (draws.next() < options.resultNoise ? slipOf(ground, now, draws) : null);
  const attempt = (aim: number) => solvedTogether(ground, { aim, most, slip });
  const isDone = (found: ReturnType<typeof attempt>) => found.standing.end !== null;
  const found = isGood ? attempt(ground.treasure) : aimed(problem, draws, { attempt, isDone });
  return found.rounds.flatMap(({ plan, reply }, round): ShownMessage[] =>
    [plan, reply].map((text, agent) => ({ agent, round, text })),
  );
};

/**
 * The dialogue with a target cell near the treasure, if the walker can reach that cell; otherwise the dialogue with the
 * treasure as its target.
 */
function aimed<Found>(
  problem: Problem,
  draws: RandomNumbers,
  { attempt, isDone }: { attempt: (aim: number) => Found; isDone: (found: Found) => boolean },
): Found {
  const ground = groundOf(problem);
  const cells = cellsOf(ground.size).filter((cell) => {
    const off = stepsBetween(ground.treasure, cell);
    return off >= 1 && off <= astray && cell !== ground.start && !ground.walls.has(cell);
  });
  for (let i = 0; i < tries; i++) {
    const found = attempt(draws.pick(cells));
    if (isDone(found)) return found;
  }
  return attempt(ground.treasure);
}

/** A step to any free cell that the plan does not contain; null if there is no such cell. */
function slipOf(ground: Ground, now: WalkState, draws: RandomNumbers): string | null {
  const next = directionNames.map((name) => cellAt(now.cell, directions[name], ground.size));
  const free = next.filter((cell) => cell >= 0 && isFree(ground, now, cell));
  return free.length > 0 ? cellName(draws.pick(free)) : null;
}

const answerer: Answerer = {
  judge,
  solve: (problem, draws, { isGood, resultNoise }) => {
    const ground = groundOf(problem);
    const most = 2 * levelOf(problem.level).rounds;
    const attempt = (aim: number) => wholeWay(ground, aim);
    const isDone = (way: string | null) => way !== null && way.length <= 2 * most;
    const way = (isGood ? attempt(ground.treasure) : aimed(problem, draws, { attempt, isDone })) ?? 'dig';
    return draws.next() < resultNoise ? way.replace(/^(wait|..)/, cellName(draws.pick(cellsOf(ground.size)))) : way;
  },
};
