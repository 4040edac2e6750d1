// How long the texts of each level are, how far apart the relevant facts are, and how much room there is.
import type { Protocol } from '../../../records/protocol.ts';
import { levelIn } from '../../../tasks/levels.ts';
import type { WorldLimits, Split } from '../../../tasks/world.ts';

/** Tokens of a fact. */
const fact = 4;

export interface MemoryLevel {
  /** Pieces of a text. */
  pieces: number;
  /** Facts of a piece. */
  facts: number;
  /** The maximum number of facts of a piece that say where a person is: a note holds this many. */
  places: number;
  /** Pieces between the two facts: empty for one fact, otherwise the minimum and the maximum. */
  apart: { least: number; most: number } | null;
  /** The maximum number of tokens of a note. */
  note: number;
}

const one = { pieces: 4, facts: 6, places: 3, apart: null, note: 16 };
/** A note holds one fact and a word for recall: of all statements about where a person is, only the newest. */
const two = { pieces: 7, facts: 2, places: 1, note: fact + 3 };
const near = { least: 0, most: 1 };
const far = { least: 2, most: Infinity };

const table: readonly MemoryLevel[] = [
  one,
  { ...two, apart: near },
  { ...two, apart: far },
  { ...two, pieces: 28, apart: far },
];

/** A level as it is asked; harder texts are four times as long. */
export function levelOf(level: number, split: Split = 'training'): MemoryLevel {
  const asked = levelIn(table, level);
  return { ...asked, pieces: (split === 'harder' ? 4 : 1) * asked.pieces };
}

/**
 * The longest piece with the recalled note next to it, of any level: easier problems are mixed with those of a level.
 */
const observation = Math.max(...table.map(({ facts, note }) => 2 + fact * facts + note));

/** Room of a level, harder texts included: after the last piece there is one more turn for the recalled note. */
export function limits(level: number, { roles }: Protocol): WorldLimits {
  const { pieces, note } = levelOf(level, 'harder');
  return {
    roundLimit: pieces + 1,
    windows: roles.map((_, agent) => (agent === 0 ? note : 2)),
    promptWindow: 6,
    observationWindow: observation,
  };
}
