// The four levels, in the order in which the form lists them. Each level states which relations its problems contain,
// how many moves a solution needs, and how long texts may be.
import type { RandomNumbers } from '../../../base/random.ts';
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits } from '../../../tasks/world.ts';
import type { LinearRelation, Sign } from './linear.ts';

interface Level {
  /** Draws the two relations of a problem. If `isHarder` is true, the numbers are larger than in training. */
  draw: (draws: RandomNumbers, isHarder: boolean) => [LinearRelation, LinearRelation];
  /** Number of moves of a solution. */
  moves: number;
  /**
   * Maximum lengths of the question, a plan and a reply in characters; the lengths are also sufficient for the wrong
   * numbers in demonstrations with slips.
   */
  shownLength: number;
  planLength: number;
  replyLength: number;
}

const from = (draws: RandomNumbers, low: number, high: number) => low + draws.below(high - low + 1);
const signed = (draws: RandomNumbers, size: number) => (draws.below(2) === 0 ? size : -size);

/** One side of a relation that consists of a single unknown with a factor. */
const alone = (unknown: number, factor: number) =>
  unknown === 0 ? ([factor, 0, 0] as const) : ([0, factor, 0] as const);

/** Two relations: one that contains only x, and one that contains only y. */
const oneEach = (draw: (unknown: number) => LinearRelation): [LinearRelation, LinearRelation] => [draw(0), draw(1)];

/** `ax+b=c`, with c at least 0. */
function oneSide(draws: RandomNumbers, isHarder: boolean, unknown: number): LinearRelation {
  for (;;) {
    const factor = isHarder ? from(draws, 6, 9) : from(draws, 2, 5);
    const constant = signed(draws, from(draws, 1, 9));
    const right = factor * from(draws, 1, 9) + constant;
    const [x, y] = alone(unknown, factor);
    if (right >= 0) return { left: [x, y, constant], sign: '=', right: [0, 0, right] };
  }
}

/** A relation `ax+b=cx+d` in which a is greater than c. */
function bothSides(draws: RandomNumbers, isHarder: boolean, unknown: number): LinearRelation {
  const less = isHarder ? from(draws, 6, 9) : from(draws, 1, 5);
  const difference = from(draws, 2, 4);
  const constant = signed(draws, from(draws, 1, 9));
  const right = difference * signed(draws, from(draws, 1, 9)) + constant;
  const [x, y] = alone(unknown, less + difference);
  const [rightX, rightY] = alone(unknown, less);
  return { left: [x, y, constant], sign: '=', right: [rightX, rightY, right] };
}

/**
 * Two relations from which either unknown can be eliminated: `(1)+k(2)` does not contain y, and `(2)+m(1)` does not
 * contain x.
 */
function system(draws: RandomNumbers, isHarder: boolean): [LinearRelation, LinearRelation] {
  for (;;) {
    const [a, e] = [from(draws, 1, 2), from(draws, 1, 2)];
    const [k, m] = [signed(draws, from(draws, 1, 3)), signed(draws, from(draws, 1, 3))];
    if (k * m === 1) continue; // the same equation twice
    const value = () => signed(draws, isHarder ? from(draws, 10, 15) : from(draws, 1, 9));
    const [x, y] = [value(), value()];
    const [b, d] = [-k * e, -m * a];
    return [
      { left: [a, b, 0], sign: '=', right: [0, 0, a * x + b * y] },
      { left: [d, e, 0], sign: '=', right: [0, 0, d * x + e * y] },
    ];
  }
}

/** A relation `ax+b<c`, in which a is negative with a probability of one half. */
function inequality(draws: RandomNumbers, isHarder: boolean, unknown: number): LinearRelation {
  const factor = signed(draws, isHarder ? from(draws, 6, 9) : from(draws, 2, 5));
  const constant = signed(draws, from(draws, 1, 9));
  const right = factor * signed(draws, from(draws, 1, 9)) + constant;
  const [x, y] = alone(unknown, factor);
  return { left: [x, y, constant], sign: draws.pick(['<', '>'] satisfies Sign[]), right: [0, 0, right] };
}

const table: readonly Level[] = [
  {
    draw: (draws, isHarder) => oneEach((unknown) => oneSide(draws, isHarder, unknown)),
    moves: 2,
    shownLength: 15, // 9x+9=90;9y+9=90
    planLength: 5, // (1)+9
    replyLength: 6, // 9x=117
  },
  {
    draw: (draws, isHarder) => oneEach((unknown) => bothSides(draws, isHarder, unknown)),
    moves: 3,
    shownLength: 23, // 13x+9=9x-45;13y+9=9y-45
    planLength: 6, // (1)-9x
    replyLength: 8, // 4x+9=-63
  },
  {
    draw: system,
    moves: 2,
    shownLength: 23, // -6x-6y=-120;-6x-6y=-120
    planLength: 8, // (1)-3(2)
    replyLength: 9, // -20x=-450
  },
  {
    draw: (draws, isHarder) => oneEach((unknown) => inequality(draws, isHarder, unknown)),
    moves: 2,
    shownLength: 19, // -9x-9>-90;-9y-9>-90
    planLength: 5, // (1)+9
    replyLength: 8, // -9x>-117
  },
];

/** The level with this number; throws ConfigError if there is none. */
export const levelOf = (level: number): Level => levelIn(table, level);

/** Maximum number of characters of a solution that is written in one turn. */
export const soloLength = ({ moves, planLength, replyLength }: Level): number =>
  moves * (planLength + replyLength + 2) - 1;

/** The limits of a level: enough for its longest demonstration, and one more round in dialogues with plans. */
export function limits(level: number, { roles, hasSteps, rounds }: Protocol): WorldLimits {
  const found = levelOf(level);
  const promptWindow = found.shownLength + 4; // <bos>, `x?`, <eot>
  if (!hasSteps) return { roundLimit: rounds, windows: roles.map(() => soloLength(found) + 1), promptWindow };
  return { roundLimit: found.moves + 2, windows: [found.planLength + 1, found.replyLength + 1], promptWindow };
}
