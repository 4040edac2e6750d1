// How long the texts of each level are, how far apart what they are asked about stands, and how much room there is.
import type { Protocol } from '../../records/protocol.ts';
import { levelIn } from '../levels.ts';
import type { Limits, Split } from '../world.ts';

/** Facts of a piece, of four tokens each. */
export const factsOfPiece = 6;
/** Facts of a piece at most that say where somebody is; notes hold so many, and a word to call back. */
export const placesOfPiece = 3;

export interface Level {
  /** Pieces of a text. */
  pieces: number;
  /** Pieces between the two facts: none for one fact, else the least and the most. */
  apart: { least: number; most: number } | null;
}

const near = { least: 0, most: 1 };
const far = { least: 2, most: Infinity };

const table: readonly Level[] = [
  { pieces: 4, apart: null },
  { pieces: 4, apart: near },
  { pieces: 4, apart: far },
  { pieces: 16, apart: far },
];

/** A level as it is asked; harder texts are four times as long. */
export function levelOf(level: number, split: Split = 'training'): Level {
  const { pieces, apart } = levelIn(table, level);
  return { pieces: split === 'harder' ? 4 * pieces : pieces, apart };
}

/** Tokens of notes at most. */
const notes = 16;

/** Room of a level, harder texts included: after the last piece there is one more turn for what was called back. */
export function limits(level: number, { roles }: Protocol): Limits {
  const piece = 1 + 4 * factsOfPiece;
  return {
    roundLimit: levelOf(level, 'harder').pieces + 1,
    windows: roles.map((_, agent) => (agent === 0 && roles.length > 1 ? notes : 2)),
    promptWindow: 6,
    observationWindow: 1 + notes + piece,
  };
}
