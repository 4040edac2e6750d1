// Prepares a map for display: its texts in words, and the position of everything in the figure. Positions are in cells,
// counted from the upper left corner of the map, so the centre of the first cell is at 0.5.
import * as v from 'valibot';
import { cellNames, form, widest } from '../form.ts';
import type { Problem } from '../../../../records/problem.ts';
import type { Trajectory, Turn } from '../../../../records/trajectory.ts';
import { say } from '../../../../state/visitor/language.svelte.ts';

/** The tokens of a text: marks and headings, cells, steps and words. Any other text is split into characters. */
export const gridTokens = (text: string): string[] =>
  text.match(/<[^<>\s]+>|[X#]?[a-g][1-7]|[!@]?(?:[NS][EW]?|[EW][NS]?)|dig|blocked|guard|wait|\S/gu) ?? [];

/** The meaning of each mark in words. */
const groups: Readonly<Record<string, string>> = { X: 'treasure', '#': 'walls', '!': 'closed', '@': 'guard' };

/**
 * A text in words: `Xd3#c1#d2<key>e5` becomes `treasure d3 · walls c1 d2 · key e5`, and `b1!E!WS@N` becomes `b1 ·
 * closed E WS · guard N`.
 */
export function gridText(text: string): string {
  const parts = new Map<string, string[]>();
  let heading = '';
  for (const token of gridTokens(text)) {
    if (token.startsWith('<')) heading = token.slice(1, -1);
    else {
      const marked = token.length > 1 ? groups[token.charAt(0)] : undefined;
      const name = marked ?? heading;
      parts.set(name, [...(parts.get(name) ?? []), marked ? token.slice(1) : token]);
    }
  }
  return [...parts].map(([name, tokens]) => [name, ...tokens].join(' ').trim()).join(' · ');
}

export interface Spot {
  /** The name of the cell: `d3`. */
  name: string;
  x: number;
  y: number;
}

/** Everything that the figure shows. */
export interface DrawnMap {
  size: number;
  start: Spot;
  treasure: Spot;
  walls: Spot[];
  rocks: Spot[];
  key: Spot | null;
  door: Spot | null;
  beat: Spot[];
  /** The path from the start: the cells that the walker wrote, up to the last one that it reached. */
  way: Spot[];
  /** The cell that the walker wrote after this path but could not enter; null if there is none. */
  blocked: Spot | null;
  /** Whether the walker has dug in the last cell of the path. */
  isDug: boolean;
}

type Given = v.InferOutput<typeof form.given>;

/** The figure of a problem, with the path of the walker; null if the problem is not a grid problem. */
export function drawnMap({ given, answer }: Problem, trajectory: Pick<Trajectory, 'turns'> | null): DrawnMap | null {
  const read = v.safeParse(form.given, given);
  if (!read.success || !cellNames.includes(answer)) return null;
  const { size, start, walls, rocks, key, door, beat } = read.output;
  const spot = (name: string): Spot => ({ name, ...placeOf(name, size) });
  const orNone = (name: string | null | undefined) => (name == null ? null : spot(name));
  const walks = walksIn(trajectory);
  const cells = walks.flatMap(cellsIn);
  const gone = stillGone(cells, read.output) ?? goneBeforeGuard(walks, start) ?? cells.length;
  const blocked = orNone(cells[gone]);
  return {
    ...{ size, start: spot(start), treasure: spot(answer), walls: walls.map(spot), rocks: rocks.map(spot) },
    ...{ key: orNone(key), door: orNone(door), beat: beat.map(spot), blocked },
    way: [start, ...cells.slice(0, gone)].map(spot),
    isDug: blocked === null && walks.at(-1)?.text.endsWith('dig') === true,
  };
}

function placeOf(name: string, size: number): Pick<Spot, 'x' | 'y'> {
  const cell = cellNames.indexOf(name);
  return { x: (cell % widest) + 0.5, y: size - Math.floor(cell / widest) - 0.5 };
}

const cellsIn = ({ text }: Pick<Turn, 'text'>): string[] => text.match(/[a-g][1-7]/g) ?? [];

/**
 * The number of cells up to the first one that is not next to the previous cell or contains an obstacle that never
 * moves; null if there is no such cell.
 */
function stillGone(cells: readonly string[], { size, start, walls, rocks, key, door }: Given): number | null {
  const isOpen = (cell: string, i: number) => {
    const [from, to] = [placeOf(cells[i - 1] ?? start, size), placeOf(cell, size)];
    const isOnMap = to.x < size && to.y > 0;
    const isClosed = cell === door && (key === null || !cells.slice(0, i).includes(key));
    const isNear = Math.abs(from.x - to.x) + Math.abs(from.y - to.y) <= 1;
    return isNear && isOnMap && !isClosed && !walls.includes(cell) && !rocks.includes(cell);
  };
  const found = cells.findIndex((cell, i) => !isOpen(cell, i));
  return found < 0 ? null : found;
}

const lost = v.object({ cell: v.number(), end: v.literal('lost') });

/**
 * The number of cells that the walker had passed when a guard stopped it, derived from the cell in the observation of
 * the world; null if no guard stopped the walker.
 */
function goneBeforeGuard(walks: readonly Walk[], start: string): number | null {
  const state = v.safeParse(lost, walks.at(-1)?.reaction?.state);
  if (!state.success) return null;
  const earlier = walks.slice(0, -1).flatMap(cellsIn);
  const newest = [earlier.at(-1) ?? start, ...walks.slice(-1).flatMap(cellsIn)];
  const found = newest.indexOf(cellNames[state.output.cell] ?? '');
  return found < 0 ? null : earlier.length + found;
}

type Walk = Pick<Turn, 'text' | 'reaction'>;

/**
 * The turns of the walker. In a dialogue with a planner, these are all replies to plans. Without a planner, only the
 * newest path counts.
 */
function walksIn(trajectory: Pick<Trajectory, 'turns'> | null): Walk[] {
  const turns = trajectory?.turns ?? [];
  const walks = turns.filter(({ role }) => role !== 'metaThinking');
  const newest = walks.length < turns.length ? walks : walks.slice(-1);
  // A truncated turn does not move the walker.
  return newest.filter(({ isTruncated }) => !isTruncated);
}

/** A description of the figure in words. */
export function mapInWords({
  size,
  start,
  treasure,
  walls,
  rocks,
  key,
  door,
  beat,
  way,
  blocked,
  isDug,
}: DrawnMap): string {
  const at = (what: string, spots: readonly Spot[]) =>
    spots.length > 0 ? [say('{what} at {join}', { what, join: spots.map(({ name }) => name).join(', ') })] : [];
  const things = [
    ...[
      ...at(say('start'), [start]),
      ...at(say('treasure'), [treasure]),
      ...at(say('walls'), walls),
      ...at(say('rocks'), rocks),
    ],
    ...[...at(say('key'), key ? [key] : []), ...at(say('door'), door ? [door] : []), ...at(say('guard'), beat)],
  ];
  const walked = way.length > 1 ? say('; walked {join}', { join: way.map(({ name }) => name).join(' ') }) : '';
  const stopped = blocked ? say('; could not continue to {name}', { name: blocked.name }) : '';
  return say('Map of {size} by {size} cells: {join}{walked}{stopped}{value}', {
    size,
    join: things.join('; '),
    walked,
    stopped,
    value: isDug ? say('; dug at {name}', { name: way.at(-1)?.name }) : '',
  });
}
