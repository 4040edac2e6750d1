// How a map is set: its texts in words, and where everything lies on it that the figure draws. Coordinates are in cells from
// the upper left corner of the map, the middle of a cell at one half.
import * as v from 'valibot';
import { cellNames, grid as form, widest } from '../../config/worlds/grid.ts';
import type { Problem } from '../../records/problem.ts';
import type { Trajectory } from '../../records/trajectory.ts';

/** What a text is made of: names of things, cells, ways, words, and what else there may be sign by sign. */
export const gridTokens = (text: string): string[] =>
  text.match(/<[^<>\s]+>|[X#]?[a-g][1-7]|[!@]?(?:[NS][EW]?|[EW][NS]?)|dig|blocked|guard|wait|\S/gu) ?? [];

/** What marks and headings are in words. */
const groups: Readonly<Record<string, string>> = { X: 'treasure', '#': 'walls', '!': 'closed', '@': 'guard' };

/** A text in words: `Xd3#c1#d2<key>e5` is `treasure d3 · walls c1 d2 · key e5`, `b1!E!WS@N` is `b1 · closed E WS · guard N`. */
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
  /** As it is called: `d3`. */
  name: string;
  x: number;
  y: number;
}

/** What the figure draws. */
export interface DrawnMap {
  size: number;
  start: Spot;
  treasure: Spot;
  walls: Spot[];
  rocks: Spot[];
  key: Spot | null;
  door: Spot | null;
  beat: Spot[];
  /** From the start on, as far as it was said. */
  way: Spot[];
  /** Whether the last of them is where somebody dug. */
  isDug: boolean;
}

/** A problem drawn, with what was walked; null for a problem of another form. */
export function drawnMap({ given, answer }: Problem, trajectory: Pick<Trajectory, 'turns'> | null): DrawnMap | null {
  const read = v.safeParse(form.given, given);
  if (!read.success || !cellNames.includes(answer)) return null;
  const { size, start, walls, rocks, key, door, beat } = read.output;
  const spot = (name: string): Spot => {
    const cell = cellNames.indexOf(name);
    return { name, x: (cell % widest) + 0.5, y: size - Math.floor(cell / widest) - 0.5 };
  };
  const orNone = (name: string | null) => (name === null ? null : spot(name));
  const said = walkedTexts(trajectory).join('');
  const cells = said.match(/[a-g][1-7]/g) ?? [];
  return {
    ...{ size, start: spot(start), treasure: spot(answer), walls: walls.map(spot), rocks: rocks.map(spot) },
    ...{ key: orNone(key), door: orNone(door), beat: beat.map(spot), way: [start, ...cells].map(spot) },
    isDug: said.endsWith('dig'),
  };
}

/** What was said by who walks: every reply to a plan, or the newest whole way. */
function walkedTexts(trajectory: Pick<Trajectory, 'turns'> | null): string[] {
  const turns = trajectory?.turns ?? [];
  const walks = turns.filter(({ role }) => role !== 'metaThinking');
  const newest = walks.length < turns.length ? walks : walks.slice(-1);
  // Nobody goes where a turn was cut.
  return newest.filter(({ isTruncated }) => !isTruncated).map(({ text }) => text);
}

/** The figure in words. */
export function mapInWords({ size, start, treasure, walls, rocks, key, door, beat, way, isDug }: DrawnMap): string {
  const at = (what: string, spots: readonly Spot[]) =>
    spots.length > 0 ? [`${what} at ${spots.map(({ name }) => name).join(', ')}`] : [];
  const things = [
    ...[...at('start', [start]), ...at('treasure', [treasure]), ...at('walls', walls), ...at('rocks', rocks)],
    ...[...at('key', key ? [key] : []), ...at('door', door ? [door] : []), ...at('guard', beat)],
  ];
  const walked = way.length > 1 ? `; walked ${way.map(({ name }) => name).join(' ')}` : '';
  return `Map of ${size} by ${size} cells: ${things.join('; ')}${walked}${isDug ? `; dug at ${way.at(-1)?.name}` : ''}`;
}
