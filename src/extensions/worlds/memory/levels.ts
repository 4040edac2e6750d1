// Determines for each level how many pieces a text has, how far apart the relevant facts are, and how long notes may
// be.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

/** Number of tokens in a fact. */
const fact = 4;

export interface MemoryLevel {
  /** Number of pieces of a text. */
  pieces: number;
  /** Number of facts in a piece. */
  facts: number;
  /** The maximum number of facts in a piece that state where a person is. A note has room for this many facts. */
  places: number;
  /** The minimum and the maximum number of pieces between the two facts; null if there is only one fact. */
  apart: { least: number; most: number } | null;
  /** The maximum number of tokens of a note. */
  note: number;
}

const one = { pieces: 4, facts: 6, places: 3, apart: null, note: 16 };
/**
 * A note has room for only one fact and one word for recall, so a reader cannot note every fact that states where a
 * person is.
 */
const two = { pieces: 7, facts: 2, places: 1, note: fact + 3 };
const near = { least: 0, most: 1 };
const far = { least: 2, most: Infinity };

const table: readonly MemoryLevel[] = [
  one,
  { ...two, apart: near },
  { ...two, apart: far },
  { ...two, pieces: 28, apart: far },
];

/** The parameters of a level. Texts of the harder split have four times as many pieces. */
export function levelOf(level: number, split: Split = 'training'): MemoryLevel {
  const asked = levelIn(table, level);
  return { ...asked, pieces: (split === 'harder' ? 4 : 1) * asked.pieces };
}

/**
 * The maximum number of tokens of a piece and of the recalled note before it, over all levels, because training
 * problems may come from several levels.
 */
const observation = Math.max(...table.map(({ facts, note }) => 2 + fact * facts + note));

/**
 * The limits of a level, which are large enough for texts of the harder split too. After the last piece there is one
 * more turn, for the recalled note.
 */
export function limits(level: number, { roles }: Protocol): WorldLimits {
  const { pieces, note } = levelOf(level, 'harder');
  return {
    roundLimit: pieces + 1,
    windows: roles.map((_, agent) => (agent === 0 ? note : 2)),
    promptWindow: 6,
    observationWindow: observation,
  };
}
