// A solver, which can play both roles. As a planner, the solver has the map and the walker's messages, and plans the
// next steps of a shortest path. A plan has two steps only if the steps go round a corner, because a walker sees only
// the cells around its own cell. As a walker, the solver follows the plan as far as it sees a free path. If there is no
// other agent, the solver has all information and walks the whole path. It waits if a guard is in the way.
import { widest } from './form.ts';
import {
  cellAt,
  cellName,
  directionNames,
  directions,
  isAcross,
  isClosed,
  neighboursOn,
  type Direction,
  type Ground,
} from './ground.ts';
import { guardCell, isFree, readWalk, standing, stepTo, walk, type WalkState } from './walk.ts';

/** The knowledge of a planner about a map. */
interface Known {
  ground: Ground;
  /** Cells that the walker has reported as blocked. */
  blocked: ReadonlySet<number>;
}

/** For every cell, the number of steps to one target cell; −1 if there is no path. */
type Field = Int8Array;

function fieldOf({ ground, blocked }: Known, aim: number, hasKey: boolean): Field {
  const field = new Int8Array(widest * widest).fill(-1);
  const around = neighboursOn(ground.size);
  const reached = [aim];
  field[aim] = 0;
  for (const cell of reached) {
    for (const next of around[cell] as readonly number[]) {
      if (field[next] !== -1 || isClosed(ground, next, hasKey) || blocked.has(next)) continue;
      field[next] = (field[cell] as number) + 1;
      reached.push(next);
    }
  }
  return field;
}

/** The number of steps that remain from a cell, including the detour to the key; −1 if there is no path on the map. */
type Distance = (cell: number, hasKey: boolean) => number;

/** Makes a function that computes the distance to a target cell on the map. Cells in `blocked` cannot be entered. */
export function distanceTo(ground: Ground, aim: number, blocked: ReadonlySet<number> = new Set()): Distance {
  const known = { ground, blocked };
  const open = fieldOf(known, aim, true);
  if (ground.key < 0) return (cell) => open[cell] as number;
  const closed = fieldOf(known, aim, false);
  const toKey = fieldOf(known, ground.key, false);
  const onward = open[ground.key] as number;
  return (cell, hasKey) => {
    if (hasKey) return open[cell] as number;
    const byKey = onward < 0 || (toKey[cell] as number) < 0 ? -1 : (toKey[cell] as number) + onward;
    const direct = aim === ground.door ? -1 : (closed[cell] as number);
    return byKey < 0 || direct < 0 ? Math.max(byKey, direct) : Math.min(byKey, direct);
  };
}

/** Whether there is a path on the map from the start to a cell, without using the key. */
export const isReached = (ground: Ground, cell: number): boolean =>
  (fieldOf({ ground, blocked: new Set() }, cell, false)[ground.start] as number) >= 0;

/** A plan: steps, and whether the walker should dig after them. */
export interface Plan {
  steps: Direction[];
  digs: boolean;
}

/** Reads a plan; null if the text is not a plan. */
export function readPlan(text: string): Plan | null {
  const found = text === '' ? null : /^([NESW]{0,4})(dig)?$/.exec(text);
  return found && { steps: [...(found[1] as string)] as Direction[], digs: found[2] !== undefined };
}

export const planText = ({ steps, digs }: Plan): string => `${steps.join('')}${digs ? 'dig' : ''}`;

/**
 * The next plan for a walker in this state, given the distances to the cell in which it should dig; null if there is no
 * path.
 */
export function nextPlan(
  ground: Ground,
  distance: Distance,
  { cell, hasKey }: Pick<WalkState, 'cell' | 'hasKey'>,
): Plan | null {
  const left = distance(cell, hasKey);
  if (left < 0) return null;
  const around = neighboursOn(ground.size);
  const nearer = (from: number, has: boolean, at: number) =>
    directionNames.flatMap((name, i) => {
      const next = around[from]?.[i] ?? -1;
      const hasNow = has || next === ground.key;
      const isNearer = !isClosed(ground, next, has) && distance(next, hasNow) === at;
      return isNearer ? [{ name, cell: next, hasKey: hasNow }] : [];
    });
  const firsts = left > 0 ? nearer(cell, hasKey, left - 1) : [];
  const ways = firsts.flatMap((first) =>
    (left > 1 ? nearer(first.cell, first.hasKey, left - 2) : [])
      .filter(({ name }) => isAcross(first.name, name))
      .map((second) => [first, second]),
  );
  const way = ways[0] ?? firsts.slice(0, 1);
  return { steps: way.map(({ name }) => name), digs: left === way.length };
}

/** The maximum number of steps whose cells a walker can see before it takes these steps. */
const farthestSeen = 2;

/**
 * The reply of a walker that has looked around and may have received a plan. The reply depends only on the plan and on
 * what the walker sees.
 */
export function replyTo(ground: Ground, from: WalkState, plan: Plan | null): string {
  if (!plan) return 'wait';
  let now = from;
  let said = '';
  for (const [i, name] of plan.steps.entries()) {
    const next = cellAt(now.cell, directions[name], ground.size);
    const isSeen = i < farthestSeen && (i === 0 || isAcross(plan.steps[0] as Direction, name));
    if (!isSeen) return said;
    if (next >= 0 && next === guardCell(ground, now.paces)) return `${said}guard`;
    if (next < 0 || !isFree(ground, now, next)) return `${said}blocked`;
    said += cellName(next);
    now = stepTo(ground, now, next);
  }
  return plan.digs ? `${said}dig` : said;
}

/** A round of a dialogue in which the solver plays both roles. */
interface Round {
  plan: string;
  reply: string;
}

interface Solved {
  rounds: Round[];
  standing: WalkState;
  /** Whether the walker met an obstacle that is not on the map. */
  isHindered: boolean;
}

/**
 * The dialogue about a target cell in which the solver plays both roles. `slip` may replace a reply of the walker by
 * another reply.
 */
export function solvedTogether(
  ground: Ground,
  { aim, most, slip }: { aim: number; most: number; slip?: (now: WalkState) => string | null },
): Solved {
  const blocked = new Set<number>();
  const rounds: Round[] = [];
  let distance = distanceTo(ground, aim);
  let now = standing(ground);
  let isHindered = false;
  while (rounds.length < most && now.end === null) {
    const plan = nextPlan(ground, distance, now);
    if (!plan) break;
    const own = replyTo(ground, now, plan);
    const reply = slip?.(now) ?? own;
    const next = walk(ground, now, reply).standing;
    const stopped = reply === own ? readWalk(own) : null;
    if (stopped?.end === 'blocked') {
      const name = plan.steps[stopped.steps.length] as Direction;
      blocked.add(cellAt(next.cell, directions[name], ground.size));
      distance = distanceTo(ground, aim, blocked);
    }
    isHindered ||= stopped?.end === 'blocked' || stopped?.end === 'guard';
    rounds.push({ plan: planText(plan), reply });
    now = next;
  }
  return { rounds, standing: now, isHindered };
}

/**
 * The shortest path of a solver that has all information, as one message that ends with `dig`; null if there is no
 * path.
 */
export function wholeWay(ground: Ground, aim: number): string | null {
  const codeOf = ({ cell, hasKey, paces }: WalkState) => (cell * 2 + Number(hasKey)) * 4 + paces;
  const first = standing(ground);
  const reached = [{ now: first, said: '' }];
  const seen = new Set([codeOf(first)]);
  for (const { now, said } of reached) {
    if (now.cell === aim) return `${said}dig`;
    for (const name of [...directionNames, null]) {
      const cell = name === null ? now.cell : cellAt(now.cell, directions[name], ground.size);
      if (name !== null && (cell < 0 || !isFree(ground, now, cell))) continue;
      const next = stepTo(ground, now, cell);
      if (seen.has(codeOf(next))) continue;
      seen.add(codeOf(next));
      reached.push({ now: next, said: `${said}${name === null ? 'wait' : cellName(cell)}` });
    }
  }
  return null;
}
