// The three levels, in the order of the form: how large the map is, what lies on it, how much there is room for.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

export interface GridLevel {
  size: number;
  /** Beside those of the wall that a door is in. */
  walls: number;
  rocks: number;
  hasDoor: boolean;
  hasGuard: boolean;
  /** The treasure lies so many steps off at most, by the key and the door where there are any. */
  farthest: number;
  /** Rounds in which the solver is done at most. */
  rounds: number;
}

const usual = { hasDoor: false, hasGuard: false };

interface Row {
  asked: GridLevel;
  /** Increments of the harder split: the treasure lies farther off, and more is in the way. */
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

/** A level as it is asked, or as it is where it is to be harder. */
export function levelOf(level: number, split: Split = 'training'): GridLevel {
  const { asked, harder } = levelIn(table, level);
  return split === 'harder' ? { ...asked, ...harder } : asked;
}

/** Room of a level, harder maps included, with one round to spare. */
export function limits(level: number, { roles, hasSteps, rounds: usual }: Protocol): WorldLimits {
  const { size, walls, rocks, rounds, hasDoor, hasGuard } = levelOf(level, 'harder');
  // The treasure and walls; under their headings a key and its door, rocks, and three cells of a beat.
  const map = 1 + walls + (hasDoor ? size - 1 + 4 : 0);
  const ground = 1 + rocks + (hasGuard ? 4 : 0);
  const promptWindow = 3 + map + ground; // <bos>, the start, <eot>
  // The solver takes two steps a round at most; then it digs, and ends.
  if (!hasSteps) return { roundLimit: usual, windows: roles.map(() => 2 * rounds + 2), promptWindow };
  // A cell, two ways to each of four sides at most, and two to a guard; <bos> and <eot>.
  return { roundLimit: rounds + 1, windows: [4, 4], promptWindow, observationWindow: 13 };
}
