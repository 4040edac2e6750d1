// A critic's memory contains the newest tracks. For each track, the memory contains the rows that the critic reads and
// the reward of each step. Targets are not stored, but are computed from the critic's current values whenever the
// critic is trained.
import { ShapeError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { learnerWhere } from '../../config/learners/registry.ts';
import { memoryFault, type CriticMemoryState } from '../../records/stored/criticMemory.ts';
import { emptyBatch, type RowBatch } from '../rows/rows.ts';
import type { Track } from '../rows/tracks.ts';
import { Ring, type Packing } from './ring.ts';

/** A row of tokens, which ends at the last column for which the critic predicts a value. */
interface RememberedRow {
  ids: Uint16Array;
  /** The columns for which the critic predicts a value, in ascending order. */
  columns: Uint16Array;
  /** The step to which each column belongs. */
  steps: Uint16Array;
}
export interface Remembered {
  rows: RememberedRow[];
  /** The reward of each step. */
  rewards: Float64Array;
}

const packing: Packing<Remembered, 'rewards'> = {
  numbers: 'rewards',
  write: ({ rows, rewards }) => {
    const facts = rows.flatMap(({ ids, columns, steps }) => [ids.length, ...ids, columns.length, ...columns, ...steps]);
    return { facts: [rows.length, ...facts], numbers: rewards };
  },
  read: ({ fact, facts, number }) => {
    const rows = Array.from({ length: fact() }, (): RememberedRow => {
      const [ids, columns] = [facts(), facts()];
      return { ids, columns, steps: columns.map(fact) };
    });
    const steps = 1 + Math.max(-1, ...rows.flatMap((row) => [...row.steps]));
    return { rows, rewards: Float64Array.from({ length: steps }, number) };
  },
};

export type CriticMemory = Ring<Remembered, 'rewards'>;

/**
 * A memory of `size` tracks, restored from a stored state, or empty if no state is passed. Throws ShapeError if the
 * numbers are inconsistent.
 */
export function criticMemory(size: number, state?: CriticMemoryState): CriticMemory {
  const fault = state && memoryFault(state, size);
  if (fault)
    throw new ShapeError(
      spoken`memory of a critic: expected ${fault}; is the checkpoint from a run with another learning.criticMemory?`,
    );
  return new Ring(size, packing, state);
}

/**
 * Converts a track, whose places are in these rows, to its stored form. Throws ShapeError for rows of more than 65,536
 * tokens.
 */
export function remembered({ ids, length }: RowBatch, { places, rewards }: Track): Remembered {
  if (length > 2 ** 16)
    throw new ShapeError(
      spoken`memory of a critic: expected rows of at most ${2 ** 16} tokens, got ${length}; use learning.learner = ${learnerWhere(({ critic }) => critic === 'none')}, which has no critic.`,
    );
  const ofRow = new Map<number, [column: number, step: number][]>();
  places.forEach((own, step) => {
    for (const at of own) {
      const [row, column] = [Math.floor(at / length), at % length];
      ofRow.set(row, [...(ofRow.get(row) ?? []), [column, step]]);
    }
  });
  const rows = [...ofRow].map(([row, values]): RememberedRow => {
    const rising = values.toSorted(([a], [b]) => a - b);
    const last = rising.at(-1)?.[0] ?? -1;
    return {
      ids: Uint16Array.from(ids.subarray(row * length, row * length + last + 1)),
      columns: Uint16Array.from(rising, ([column]) => column),
      steps: Uint16Array.from(rising, ([, step]) => step),
    };
  });
  return { rows, rewards: Float64Array.from(rewards) };
}

/**
 * Converts stored tracks back to rows. Each track becomes a separate trajectory; `actionMask` is 1 where a value is
 * predicted.
 */
export function recalled(memories: readonly Remembered[]): { batch: RowBatch; tracks: Track[] } {
  const all = memories.flatMap(({ rows }, track) => rows.map((row) => ({ ...row, track })));
  const length = Math.max(1, ...all.map(({ ids }) => ids.length));
  const batch = emptyBatch(
    length,
    Int32Array.from(all, ({ track }) => track),
    new Int32Array(all.length),
  );
  const tracks = memories.map(({ rewards }) => ({ places: Array.from(rewards, (): number[] => []), rewards }));
  all.forEach(({ ids, columns, steps, track }, b) => {
    batch.ids.set(ids, b * length);
    columns.forEach((column, i) => {
      const at = b * length + column;
      const step = steps[i] as number;
      batch.actionMask[at] = 1;
      batch.turnIds[at] = step;
      tracks[track]?.places[step]?.push(at);
    });
  });
  return { batch, tracks };
}
