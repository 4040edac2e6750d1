// The three levels, in the order of the form. They state how large the map is and what lies on it, and the limits of
// texts follow from this.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

export interface GridLevel {
  size: number;
  /** The number of walls, in addition to the wall that contains the door. */
  walls: number;
  rocks: number;
  hasDoor: boolean;
  hasGuard: boolean;
  /**
   * The maximum number of steps to the treasure, including the way to the key and through the door, if there are any.
   */
  farthest: number;
  /** The maximum number of rounds that the solver needs. */
  rounds: number;
}

const usual = { hasDoor: false, hasGuard: false };

interface Row {
  asked: GridLevel;
  /** The values of the harder split, in which the treasure lies farther away and more things are in the way. */
  harder: Pick<GridLevel, 'walls' | 'rocks' | 'farthest' | 'rounds'>;
}

const table: readonly Row[] = [
  {
    asked: { ...usual, size: 5, walls: 2, rocks: 2, farthest: 5, rounds: 5 },
    harder: { walls: 3, rocks: 3, farthest: 7, rounds: 6 },
  },
  {
    asked: { ...usual, size: 6, walls: 0, rocks: 3, hasDoor: true, farthest: 11, rounds: 8 },
    harder: { walls: 1, rocks: 4, farthest: 13, rounds: 9 },
  },
  {
    asked: { ...usual, size: 7, walls: 4, rocks: 3, hasGuard: true, farthest: 6, rounds: 6 },
    harder: { walls: 6, rocks: 4, farthest: 10, rounds: 7 },
  },
];

/** The parameters of a level, or of its harder version. */
export function levelOf(level: number, split: Split = 'training'): GridLevel {
  const { asked, harder } = levelIn(table, level);
  return split === 'harder' ? { ...asked, ...harder } : asked;
}

/** The limits of a level, which also suffice for harder maps and leave one round to spare. */
export function limits(level: number, { roles, hasSteps, rounds: usual }: Protocol): WorldLimits {
  const { size, walls, rocks, rounds, hasDoor, hasGuard } = levelOf(level, 'harder');
  // The map contains the treasure and the walls, and also the key and the door under separate headings. The ground
  // contains rocks and the three cells of a guard's path, also under separate headings.
  const map = 1 + walls + (hasDoor ? size - 1 + 4 : 0);
  const ground = 1 + rocks + (hasGuard ? 4 : 0);
  const promptWindow = 3 + map + ground; // <bos>, the start, <eot>
  // The solver takes at most two steps in each round. After that it digs and ends the dialogue.
  if (!hasSteps) return { roundLimit: usual, windows: roles.map(() => 2 * rounds + 2), promptWindow };
  // An observation contains a cell, at most two steps in each of four directions, two steps towards a guard, `<bos>`
  // and `<eot>`.
  return { roundLimit: rounds + 1, windows: [4, 4], promptWindow, observationWindow: 13 };
}
