// Determines the maps of problems. The solver must be able to reach the treasure within the rounds of the level, and in
// half of the problems there is an obstacle that is not on the map. A hash of the start and the map, but not of
// obstacles that are not on the map, decides whether a problem belongs to training or is held out.
import { Draws, streams, type RandomNumbers } from '../../../base/random.ts';
import { widest } from './form.ts';
import type { Problem } from '../../../records/problem.ts';
import { noneTwice, splitOf } from '../../../tasks/splits.ts';
import type { Split } from '../../../tasks/world.ts';
import { cellAt, cellName, cellsOf, directionNames, directions, givenOf, stepsBetween, type Ground } from './ground.ts';
import { levelOf, type GridLevel } from './levels.ts';
import { marks, type Heading } from './vocabulary.ts';
import { isReached, solvedTogether } from './solver.ts';

/** The slices of problems for which accuracy is reported separately, with the names that form.ts uses. */
const slices = ['clear', 'hindered'] as const;
type Slice = (typeof slices)[number];

/** The minimum number of steps from the start to the treasure. */
const nearest = 2;
/** The number of problems from which the ceiling is computed. */
const ceilingSample = 500;

const inOrder = (cells: Iterable<number>) => [...cells].sort((a, b) => a - b);

/**
 * A random map with obstacles on the ground, which may not be suitable for a problem. Null if something does not fit on
 * the map or the treasure is too far away.
 */
function drawGround(
  { size, walls, rocks, hasDoor, hasGuard, farthest }: GridLevel,
  draws: RandomNumbers,
): Ground | null {
  const cells = cellsOf(size);
  const taken = new Set<number>();
  const take = (isFit: (cell: number) => boolean = () => true): number => {
    for (let tries = 0; tries < cells.length; tries++) {
      const cell = draws.pick(cells);
      if (taken.has(cell) || !isFit(cell)) continue;
      taken.add(cell);
      return cell;
    }
    taken.add(-1);
    return -1;
  };
  const wall = hasDoor ? drawWall(size, draws) : null;
  for (const cell of wall?.cells ?? []) taken.add(cell);
  const start = take(wall?.isNear);
  const treasure = take((cell) => stepsBetween(start, cell) >= nearest && wall?.isNear(cell) !== true);
  const key = wall ? take(wall.isNear) : -1;
  const beat = hasGuard ? drawBeat(take(), { size, taken, draws }) : [];
  const more = (count: number) => Array.from({ length: count }, () => take());
  const free = more(walls);
  const all = [...(wall?.cells.filter((cell) => cell !== wall.door) ?? []), ...free];
  const sets = { walls: new Set(inOrder(all)), rocks: new Set(inOrder(more(rocks))) };
  const ground = { size, start, treasure, ...sets, key, door: wall?.door ?? -1, beat };
  const isWhole = !taken.has(-1) && (!hasGuard || beat.length > 0);
  return isWhole && directSteps(ground) <= farthest ? ground : null;
}

/**
 * A wall across the whole map, with a door in it. The side on which the walker starts has fewer cells than the other
 * side.
 */
function drawWall(size: number, draws: RandomNumbers) {
  const across = draws.below(2);
  const at = 2 + draws.below(size - 4);
  const line = (cell: number) => (across === 1 ? Math.floor(cell / widest) : cell % widest);
  const cells = cellsOf(size).filter((cell) => line(cell) === at);
  const isNear = (cell: number) => (at < size / 2 ? line(cell) < at : line(cell) > at);
  return { cells, door: draws.pick(cells), isNear };
}

/** The three cells of a guard, starting with this cell; empty if one of them is not free. */
function drawBeat(
  first: number,
  { size, taken, draws }: { size: number; taken: Set<number>; draws: RandomNumbers },
): number[] {
  const [dx, dy] = directions[draws.pick(directionNames)];
  const others = first < 0 ? [-1] : [1, 2].map((far) => cellAt(first, [far * dx, far * dy], size));
  if (others.some((cell) => cell < 0 || taken.has(cell))) return [];
  for (const cell of others) taken.add(cell);
  return [first, ...others];
}

/** The number of steps of the path if there were no obstacles. */
function directSteps({ start, key, door, treasure }: Ground): number {
  const stops = [start, ...(key < 0 ? [] : [key, door]), treasure];
  return stops.slice(1).reduce((sum, stop, i) => sum + stepsBetween(stops[i] as number, stop), 0);
}

/**
 * The slice of a ground: whether the solver met an obstacle that is not on the map. Null if the solver does not reach
 * the treasure within this many rounds.
 */
export function sliceOf(ground: Ground, most: number): Slice | null {
  const { standing, isHindered } = solvedTogether(ground, { aim: ground.treasure, most });
  if (standing.end !== 'dug') return null;
  return isHindered ? 'hindered' : 'clear';
}

const named = (cells: Iterable<number>) => inOrder(cells).map(cellName);
const under = (heading: Heading, names: readonly string[]) => (names.length > 0 ? `<${heading}>${names.join('')}` : '');
const one = (heading: Heading, cell: number) => under(heading, cell < 0 ? [] : [cellName(cell)]);

/** The problem with this ground. */
export function problemOf(level: number, ground: Ground, slice: Slice): Problem {
  const { size, start, treasure, walls, rocks, key, door, beat } = ground;
  const marked = `${marks.treasure}${cellName(treasure)}${named(walls)
    .map((name) => marks.wall + name)
    .join('')}`;
  const map = marked + one('key', key) + one('door', door);
  // The cells of a guard are in order, starting with the cell in which the guard starts.
  const hidden = { map, ground: under('rock', named(rocks)) + under('guard', beat.map(cellName)) };
  const [shown, answer] = [cellName(start), cellName(treasure)];
  return {
    ...{ id: `${size}|${shown}|${map}|${hidden.ground}`, world: 'grid', level, shown, hidden },
    ...{ answer, slice, given: givenOf(ground) },
  };
}

/** The split to which a map belongs, which does not depend on obstacles that are not on the map. */
const splitOfMap = ({ shown, hidden }: Problem) => splitOf(`${shown}|${hidden['map']}`);

/** Draws a problem of a split. Both slices have the same probability. */
export function drawProblem(level: number, draws: RandomNumbers, split: Split): Problem {
  return drawOf(level, draws, { split, slice: draws.pick(slices) });
}

function drawOf(level: number, draws: RandomNumbers, { split, slice }: { split: Split; slice: Slice }): Problem {
  const asked = levelOf(level, split);
  for (;;) {
    const ground = drawGround(asked, draws);
    if (!ground) continue;
    const problem = problemOf(level, ground, slice);
    if (split !== 'harder' && splitOfMap(problem) !== split) continue;
    if (sliceOf(ground, asked.rounds) === slice) return problem;
  }
}

/**
 * The fixed problems for evaluation. The problems are the same in every run, belong to both slices equally often, and
 * do not repeat.
 */
export function heldOutProblems(level: number, count: number): Problem[] {
  const draws = new Draws(0, streams.heldOut, level);
  return noneTwice(count, (at) => drawOf(level, draws, { split: 'heldOut', slice: slices[at % 2] as Slice }));
}

const blind = new Map<number, number>();

/**
 * The maximum accuracy. The maximum is 1 for an agent that sees the map, because every walker sees the obstacles around
 * it. Without the map, an agent knows only the start and what it sees on the ground, and digs once, in the cell that
 * most probably contains the treasure. This probability is computed from all cells that may contain the treasure, for a
 * fixed sample of 500 problems.
 */
export function ceiling(level: number, sees: readonly string[]): number {
  if (sees.includes('map')) return 1;
  const found = blind.get(level) ?? blindCeiling(level);
  blind.set(level, found);
  return found;
}

function blindCeiling(level: number): number {
  const draws = new Draws(2, streams.heldOut, level);
  const asked = levelOf(level);
  const sample = Array.from({ length: ceilingSample }, () => drawAny(level, draws));
  // Among random maps one slice is rarer, but in problems both slices are equally frequent. Therefore the sampled maps
  // of the rarer slice get a larger weight.
  const shares = slices.map((slice) => sample.filter((drawn) => drawn.slice === slice).length / sample.length);
  const weightOf = (slice: Slice | null) => (slice === null ? 0 : 0.5 / (shares[slices.indexOf(slice)] as number));
  const chances = sample.map(({ ground, slice }) => {
    const weights = placesOfTreasure(ground, asked).map((treasure) =>
      weightOf(sliceOf({ ...ground, treasure }, asked.rounds)),
    );
    return (weightOf(slice) * Math.max(...weights)) / weights.reduce((sum, weight) => sum + weight, 0);
  });
  return chances.reduce((sum, chance) => sum + chance, 0) / sample.length;
}

/** A random ground that is suitable for a problem, with its slice. */
function drawAny(level: number, draws: RandomNumbers): { ground: Ground; slice: Slice } {
  const asked = levelOf(level);
  for (;;) {
    const ground = drawGround(asked, draws);
    const slice = ground && sliceOf(ground, asked.rounds);
    if (ground && slice) return { ground, slice };
  }
}

/** The cells that may contain the treasure, given what an agent without the map can see. */
function placesOfTreasure(ground: Ground, { farthest }: GridLevel): number[] {
  const { size, start, walls, rocks, key, door, beat } = ground;
  const taken = new Set([start, key, door, ...walls, ...rocks, ...beat]);
  const isFit = (cell: number) =>
    !taken.has(cell) && stepsBetween(start, cell) >= nearest && directSteps({ ...ground, treasure: cell }) <= farthest;
  return cellsOf(size).filter((cell) => isFit(cell) && (door < 0 || !isReached(ground, cell)));
}
