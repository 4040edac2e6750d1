// Reads problems that a visitor types. A problem consists of a start, a map, and the obstacles on the ground that are
// not on the map.
import { FormatError } from '../../../base/errors.ts';
import { spoken } from '../../../base/spoken.ts';
import type { Problem } from '../../../records/problem.ts';
import { quote } from '../../../tasks/words.ts';
import type { TypedProblem } from '../../../tasks/world.ts';
import { cellName, cellOf, cellsOf, stepsBetween, type Ground } from './ground.ts';
import { levelOf, type GridLevel } from './levels.ts';
import { problemOf, sliceOf } from './problems.ts';
import { headings, marks, type Heading } from './vocabulary.ts';

const parts = {
  start: () => spoken`the start`,
  map: () => spoken`the map`,
  ground: () => spoken`the ground`,
};
const refuse = (what: keyof typeof parts, why: string) => new FormatError(`${parts[what]()}: ${why}.`);
const plain = (text: string | undefined) => (text ?? '').replaceAll(/\s/g, '');

const cell = '[a-g][1-7]';
const mapText = new RegExp(`^${marks.treasure}(${cell})((?:${marks.wall}${cell})*)(?:<key>(${cell})<door>(${cell}))?$`);
const under = (heading: Heading) => `(?:<${heading}>((?:${cell})+))?`;
const groundText = new RegExp(`^${under('rock')}${under('guard')}$`);
const cellsIn = (text = '') => (text.match(new RegExp(cell, 'g')) ?? []).map(cellOf).sort((a, b) => a - b);

/**
 * Reads the start, the map and the ground. Throws FormatError with an explanation if the problem is not possible on
 * this level.
 */
export function readProblem({ shown, hidden }: TypedProblem, level: number): Problem {
  const room = levelOf(level, 'harder');
  const [start, map, lies] = [plain(shown), plain(hidden['map']), plain(hidden['ground'])];
  if (!new RegExp(`^${cell}$`).test(start))
    throw refuse('start', spoken`expected a cell, such as b1, got “${quote(start)}”`);
  const [, treasure, walls, key, door] = mapText.exec(map) ?? [];
  if (treasure === undefined)
    throw refuse(
      'map',
      spoken`expected the treasure and walls${room.hasDoor ? spoken`, a key and a door` : ''}, such as Xd3#c1#d2${room.hasDoor ? '<key>a2<door>c4' : ''}, got “${quote(map)}”`,
    );
  if ((key !== undefined) !== room.hasDoor)
    throw refuse(
      'map',
      room.hasDoor
        ? spoken`this level has a key and a door; add both, such as <key>a2<door>c4`
        : spoken`this level has no key and no door; remove the key and the door`,
    );
  const found = groundText.exec(lies);
  if (!found)
    throw refuse(
      'ground',
      spoken`expected ${headings
        .slice(2)
        .map((heading) => `<${heading}>b4`)
        .join(spoken` and `)}, each with its cells, got “${quote(lies)}”`,
    );
  const [, rocks, guard] = found;
  const beat = (guard?.match(/../g) ?? []).map(cellOf);
  const ground: Ground = {
    ...{ size: room.size, start: cellOf(start), treasure: cellOf(treasure), beat },
    ...{ walls: new Set(cellsIn(walls)), rocks: new Set(cellsIn(rocks)) },
    ...{ key: key === undefined ? -1 : cellOf(key), door: door === undefined ? -1 : cellOf(door) },
  };
  checkRoom(ground, room);
  const slice = sliceOf(ground, room.rounds);
  if (slice === null)
    throw refuse(
      'map',
      spoken`from the start ${start}, the treasure at ${treasure} cannot be reached in ${room.rounds} rounds; move the two cells closer together, or open a path`,
    );
  return problemOf(level, ground, slice);
}

/**
 * Throws FormatError if a cell is outside the map or contains two things, or if there are more things than the level
 * allows.
 */
function checkRoom(ground: Ground, { size, walls, rocks, hasDoor, hasGuard }: GridLevel): void {
  const { start, treasure, key, door, beat } = ground;
  const all = [start, treasure, ...[key, door].filter((one) => one >= 0), ...ground.walls, ...ground.rocks, ...beat];
  const cells = new Set(cellsOf(size));
  const beyond = all.find((one) => !cells.has(one));
  if (beyond !== undefined)
    throw refuse(
      'map',
      spoken`the cells of this level, ${size} × ${size}, are numbered a1 to ${cellName(Math.max(...cells))}, got ${cellName(beyond)}`,
    );
  const twice = all.find((one, i) => all.indexOf(one) !== i);
  if (twice !== undefined) throw refuse('map', spoken`two things are on ${cellName(twice)}; move one of the two`);
  const mostWalls = walls + (hasDoor ? size - 1 : 0);
  if (ground.walls.size > mostWalls)
    throw refuse('map', spoken`this level allows at most ${mostWalls} walls, got ${ground.walls.size}`);
  if (ground.rocks.size > rocks)
    throw refuse('ground', spoken`this level allows at most ${rocks} rocks, got ${ground.rocks.size}`);
  if (beat.length === 0 && !hasGuard) return;
  if (!hasGuard) throw refuse('ground', spoken`this level has no guard; remove the guard`);
  const isRow =
    beat.length === 3 &&
    stepsBetween(beat[0] as number, beat[2] as number) === 2 &&
    (beat[0] as number) + (beat[2] as number) === 2 * (beat[1] as number);
  if (!isRow)
    throw refuse(
      'ground',
      spoken`the path of a guard must consist of three adjacent cells in one line, such as <guard>b2b3b4`,
    );
}
