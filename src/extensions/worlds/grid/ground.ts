// The ground of a problem: which cells exist, what the cells contain, and where a guard walks. A cell is represented by
// its index in `cellNames`; the south-western cell is a1.
import type * as v from 'valibot';
import { cellNames, widest, type form as grid } from './form.ts';
import type { Problem } from '../../../records/problem.ts';

type Given = v.InferOutput<typeof grid.given>;

export interface Ground {
  size: number;
  start: number;
  treasure: number;
  walls: ReadonlySet<number>;
  rocks: ReadonlySet<number>;
  /** The cells of the key and the door; −1 if there are none. */
  key: number;
  door: number;
  /** Three cells in a row, along which a guard walks back and forth; empty if there is no guard. */
  beat: readonly number[];
}

/** The steps, by the letters that are used for them in plans. */
export const directions = { N: [0, 1], E: [1, 0], S: [0, -1], W: [-1, 0] } as const;
export type Direction = keyof typeof directions;
export const directionNames = Object.keys(directions) as Direction[];

/** Whether two directions are at a right angle. */
export const isAcross = (a: Direction, b: Direction): boolean => (directions[a][0] === 0) !== (directions[b][0] === 0);

export const cellName = (cell: number): string => cellNames[cell] as string;
export const cellOf = (name: string): number => cellNames.indexOf(name);

/** The cell at this offset from another one; −1 if it would be outside a map of this size. */
export function cellAt(cell: number, [dx, dy]: readonly [number, number], size: number): number {
  const [x, y] = [(cell % widest) + dx, Math.floor(cell / widest) + dy];
  return x >= 0 && y >= 0 && x < size && y < size ? y * widest + x : -1;
}

const steps = Object.values(directions);
const neighbours = new Map<number, readonly (readonly number[])[]>();

/** For each cell, the cells to the north, east, south and west; −1 for those outside a map of this size. */
export function neighboursOn(size: number): readonly (readonly number[])[] {
  const found = neighbours.get(size) ?? cellNames.map((_, cell) => steps.map((step) => cellAt(cell, step, size)));
  neighbours.set(size, found);
  return found;
}

/** The number of steps between two cells if there are no obstacles. */
export const stepsBetween = (a: number, b: number): number =>
  Math.abs((a % widest) - (b % widest)) + Math.abs(Math.floor(a / widest) - Math.floor(b / widest));

/** Every cell of a map of this size. */
export const cellsOf = (size: number): number[] =>
  Array.from({ length: size * size }, (_, i) => Math.floor(i / size) * widest + (i % size));

const named = (name: string | null) => (name === null ? -1 : cellOf(name));

export function groundOf({ given, answer }: Pick<Problem, 'given' | 'answer'>): Ground {
  const { size, start, walls, rocks, key, door, beat } = given as Given;
  return {
    ...{ size, start: cellOf(start), treasure: cellOf(answer), key: named(key), door: named(door) },
    ...{ walls: new Set(walls.map(cellOf)), rocks: new Set(rocks.map(cellOf)), beat: beat.map(cellOf) },
  };
}

/** The data of a problem that only this world reads. */
export function givenOf({ size, start, walls, rocks, key, door, beat }: Ground): Given {
  const name = (cell: number) => (cell < 0 ? null : cellName(cell));
  return {
    ...{ size, start: cellName(start), key: name(key), door: name(door) },
    ...{ walls: [...walls].map(cellName), rocks: [...rocks].map(cellName), beat: beat.map(cellName) },
  };
}

/** Whether the map shows that a cell cannot be entered. Obstacles that are not on the map are ignored here. */
export const isClosed = ({ walls, door }: Pick<Ground, 'walls' | 'door'>, cell: number, hasKey: boolean): boolean =>
  cell < 0 || walls.has(cell) || (cell === door && !hasKey);
