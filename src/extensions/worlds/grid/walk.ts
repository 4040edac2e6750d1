// Computes how a walker's message changes the state of the world. A walker lists the cells to which it walks. At the
// end of the message, the walker digs or states what has stopped it. A walker that walks into an obstacle is lost and
// cannot walk any more. A guard moves by one cell with each step of the walker, and once if the walker waits. The guard
// never steps into the walker's cell; it turns round instead.
import { because, type Reason } from '../../../base/reason.ts';
import {
  cellAt,
  cellName,
  cellOf,
  directionNames,
  directions,
  isAcross,
  isClosed,
  stepsBetween,
  type Ground,
} from './ground.ts';
import { marks } from './vocabulary.ts';

/** The state that is stored after each message, as plain data. */
export interface WalkState {
  cell: number;
  hasKey: boolean;
  /**
   * The position of the guard: the number of moves since the guard was in its first cell. After four moves, the guard
   * is in its first cell again, so the position is a number from 0 to 3.
   */
  paces: number;
  /** Whether the walker has dug or is lost; if so, it cannot act any more. */
  end: 'dug' | 'lost' | null;
}

export const standing = ({ start }: Pick<Ground, 'start'>): WalkState => ({
  ...{ cell: start, hasKey: false, paces: 0, end: null },
});

export const isStanding = (state: unknown): state is WalkState =>
  typeof state === 'object' && state !== null && 'paces' in state;

const toAndFro = [0, 1, 2, 1];

/** The cell of the guard; −1 if there is no guard. */
export const guardCell = ({ beat }: Pick<Ground, 'beat'>, paces: number): number =>
  beat[toAndFro[paces] as number] ?? -1;

/** The guard's position after its next move. The guard turns round if the walker is in front of it. */
function guardGoesOn(ground: Ground, { cell, paces }: Pick<WalkState, 'cell' | 'paces'>): number {
  const next = (paces + 1) % 4;
  return guardCell(ground, next) === cell ? (4 - paces) % 4 : next;
}

/** Whether the walker can now step into another cell. */
export const isFree = (ground: Ground, { hasKey, paces }: WalkState, cell: number): boolean =>
  !isClosed(ground, cellAt(cell, [0, 0], ground.size), hasKey) &&
  !ground.rocks.has(cell) &&
  guardCell(ground, paces) !== cell;

/** The state after a step into a free cell. If `cell` is the walker's own cell, it is the state after waiting. */
export function stepTo(ground: Ground, from: WalkState, cell: number): WalkState {
  const paces = guardGoesOn(ground, { cell, paces: from.paces });
  return { cell, hasKey: from.hasKey || cell === ground.key, paces, end: from.end };
}

/** A walker's message after it has been parsed. */
interface Walked {
  /** The cells of the steps, in order; null if the walker waits. */
  steps: (number | null)[];
  /** The last word of the message. */
  end: 'dig' | 'blocked' | 'guard' | null;
}

const walkedText = /^((?:[a-g][1-7]|wait)*)(dig|blocked|guard)?$/;

/** Reads a message of a walker; null if the text is not such a message. */
export function readWalk(text: string): Walked | null {
  const found = text === '' ? null : walkedText.exec(text);
  if (!found) return null;
  const words = (found[1] as string).match(/wait|../g) ?? [];
  const end = (found[2] ?? null) as Walked['end'];
  return { steps: words.map((word) => (word === 'wait' ? null : cellOf(word))), end };
}

interface Outcome {
  standing: WalkState;
  /** The reason, in words, why the walker is lost; empty if it is not lost. */
  reason: Reason;
}

/** The state after a message. A message that is not a walk does not move the walker, but the guard moves. */
export function walk(ground: Ground, from: WalkState, text: string): Outcome {
  if (from.end !== null) return { standing: from, reason: [] };
  const walked = readWalk(text) ?? { steps: [], end: null };
  let now = from;
  for (const cell of walked.steps) {
    if (cell !== null && cell !== now.cell) {
      const fault = faultOf(ground, now, cell);
      if (fault.length > 0) return { standing: { ...now, end: 'lost' }, reason: fault };
    }
    now = stepTo(ground, now, cell ?? now.cell);
  }
  if (walked.end === 'dig') return { standing: { ...now, end: 'dug' }, reason: [] };
  return { standing: walked.steps.length > 0 ? now : stepTo(ground, now, now.cell), reason: [] };
}

function faultOf(ground: Ground, now: WalkState, cell: number): Reason {
  if (stepsBetween(now.cell, cell) !== 1) return because`${cellName(cell)} is not next to ${cellName(now.cell)}`;
  if (isFree(ground, now, cell)) return [];
  const isGuarded = guardCell(ground, now.paces) === cell;
  return because`walked into ${isGuarded ? because`the guard` : nameOf(ground, cell)} at ${cellName(cell)}`;
}

function nameOf({ rocks, door, size }: Ground, cell: number): Reason {
  if (rocks.has(cell)) return because`a rock`;
  if (cell === door) return because`the closed door`;
  return cellAt(cell, [0, 0], size) < 0 ? because`the edge of the map` : because`a wall`;
}

/**
 * The observation of a walker: its cell; each step, or pair of steps round a corner, that is blocked; and the steps
 * that lead to the guard's next cell. Steps are written in the same form as in plans, so the walker only needs to check
 * whether the observation contains its plan.
 */
export function sight(ground: Ground, now: WalkState): string {
  const guard = guardCell(ground, now.paces);
  const isShut = (cell: number, hasKey: boolean) => isClosed(ground, cell, hasKey) || ground.rocks.has(cell);
  const marked = directionNames.flatMap((first) => {
    const next = cellAt(now.cell, directions[first], ground.size);
    if (isShut(next, now.hasKey)) return marks.closed + first;
    const then = stepTo(ground, now, next);
    const guardThen = guardCell(ground, then.paces);
    const beyond = directionNames.flatMap((second) => {
      if (!isAcross(first, second)) return [];
      const cell = cellAt(next, directions[second], ground.size);
      if (isShut(cell, then.hasKey)) return marks.closed + first + second;
      return cell === guardThen ? marks.guarded + first + second : [];
    });
    return next === guard ? [marks.guarded + first, ...beyond] : beyond;
  });
  return cellName(now.cell) + marked.join('');
}
