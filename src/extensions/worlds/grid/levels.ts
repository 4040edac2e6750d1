// The three levels, in the order in which the form lists them. A level determines how large the map is and what is on
// the map. The maximum lengths of texts are computed from these facts.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

export interface GridLevel {
  size: number;
  /** The number of wall cells, without the wall that contains the door. */
  walls: number;
  rocks: number;
  hasDoor: boolean;
  hasGuard: boolean;
  /**
   * The maximum number of steps to the treasure, including the way to the key and through the door, if the map contains
   * them.
   */
  farthest: number;
  /** The maximum number of rounds that the solver (solver.ts) needs. */
  rounds: number;
}

const usual = { hasDoor: false, hasGuard: false };

interface Row {
  asked: GridLevel;
  /** The values that differ in the harder split: the treasure is farther away and there are more obstacles. */
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

/** The properties of a level in a split. */
export function levelOf(level: number, split: Split = 'training'): GridLevel {
  const { asked, harder } = levelIn(table, level);
  return split === 'harder' ? { ...asked, ...harder } : asked;
}

/** The limits of a level. The limits are also large enough for the harder split with one more round. */
export function limits(level: number, { roles, hasSteps, rounds: usual }: Protocol): WorldLimits {
  const { size, walls, rocks, rounds, hasDoor, hasGuard } = levelOf(level, 'harder');
  // The map contains the treasure, the walls, and the key and the door under separate headings. The ground contains
  // rocks and the three cells of a guard, also under separate headings.
  const map = 1 + walls + (hasDoor ? size - 1 + 4 : 0);
  const ground = 1 + rocks + (hasGuard ? 4 : 0);
  const promptWindow = 3 + map + ground; // <bos>, the start, <eot>
  // A path has at most two cells for each round that the solver needs, followed by `dig` and `<eot>`.
  if (!hasSteps) return { roundLimit: usual, windows: roles.map(() => 2 * rounds + 2), promptWindow };
  // An observation contains the walker's cell, at most two entries for each of four directions, two for a guard,
  // `<bos>` and `<eot>`.
  return { roundLimit: rounds + 1, windows: [4, 4], promptWindow, observationWindow: 13 };
}
