// The vocabulary. Each of the following is one token: a direction, two directions round a corner, a cell, a cell
// together with its content on the map, a direction that is closed or guarded, and a few words. A planner with few
// parameters can therefore read from a single token where the treasure or a wall is, and a walker reads a plan as one
// token. Texts contain no spaces.
import { cellNames } from './form.ts';
import { tokenizerJsonOf } from '../../../text/lexicon.ts';
import { directionNames, isAcross } from './ground.ts';

/**
 * The marks before the treasure and each wall of a map, and before each direction that is closed or guarded in an
 * observation.
 */
export const marks = { treasure: 'X', wall: '#', closed: '!', guarded: '@' } as const;

/** The headings that precede the cells of all other things. */
export const headings = ['key', 'door', 'rock', 'guard'] as const;
export type Heading = (typeof headings)[number];

const corners = directionNames.flatMap((first) =>
  directionNames.filter((second) => isAcross(first, second)).map((second) => first + second),
);
const ways = [...directionNames, ...corners];
const words = ['dig', 'blocked', 'guard', 'wait'];

export const gridTokenizerJson = tokenizerJsonOf([
  ...headings.map((heading) => `<${heading}>`),
  ...[...ways, ...words, ...cellNames],
  ...[marks.treasure, marks.wall].flatMap((mark) => cellNames.map((name) => mark + name)),
  ...[marks.closed, marks.guarded].flatMap((mark) => ways.map((way) => mark + way)),
]);
