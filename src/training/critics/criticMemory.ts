// The dialogues a joint critic learns from again and again: a ring of the newest joint transcripts, each with the returns
// its values were to foretell when it was said. A value function bears many more passes over the same data, and older
// data, than a policy does (PPG 2009.04416, whose auxiliary phase learns from the latest 32 collections at once, towards
// the returns as they were computed).
import { ShapeError } from '../../base/errors.ts';
import type { Draws } from '../../base/random.ts';
import { memoryFault, type CriticMemoryState } from '../../records/criticMemory.ts';
import { emptyBatch, type RowBatch } from '../rows/rows.ts';

/** One dialogue. */
export interface Remembered {
  /** The joint transcript up to the last column that has a value. */
  ids: Uint16Array;
  /** Columns that have a value, rising: one for each turn. */
  columns: Uint16Array;
  /** What followed, parallel to `columns`. */
  returns: Float64Array;
}

export class CriticMemory {
  readonly #size: number;
  readonly #dialogues: Remembered[] = [];
  #stored = 0;

  /** @param size dialogues at most */
  constructor(size: number) {
    this.#size = size;
  }

  /** Dialogues at hand. */
  get count(): number {
    return this.#dialogues.length;
  }

  /** What it holds. */
  get bytes(): number {
    const of = ({ ids, columns, returns }: Remembered) => ids.byteLength + columns.byteLength + returns.byteLength;
    return this.#dialogues.reduce((sum, dialogue) => sum + of(dialogue), 0);
  }

  /** Stores dialogues, in order, over the oldest ones where there is no more room. */
  add(dialogues: readonly Remembered[]): void {
    for (const dialogue of dialogues) this.#dialogues[this.#stored++ % this.#size] = dialogue;
  }

  /** Draws dialogues with replacement; none where there are none. */
  sample(count: number, draws: Draws): Remembered[] {
    if (this.count === 0) return [];
    return Array.from({ length: count }, () => this.#dialogues[draws.below(this.count)] as Remembered);
  }

  /** A copy as plain data. */
  state(): CriticMemoryState {
    const facts: number[] = [];
    const returns: number[] = [];
    for (const { ids, columns, returns: own } of this.#dialogues) {
      for (const part of [ids, columns]) {
        facts.push(part.length);
        for (const fact of part) facts.push(fact);
      }
      for (const one of own) returns.push(one);
    }
    return { stored: this.#stored, facts: Uint16Array.from(facts), returns: Float64Array.from(returns) };
  }

  /** The ring that gave this state. Throws ShapeError when the numbers do not add up. */
  static of(state: CriticMemoryState, size: number): CriticMemory {
    const fault = memoryFault(state, size);
    if (fault) throw damaged(fault);
    const { stored, facts, returns } = state;
    const memory = new CriticMemory(size);
    let [at, paid] = [0, 0];
    const part = (): Uint16Array => {
      const from = at + 1;
      at = from + (facts[from - 1] as number);
      return facts.slice(from, at);
    };
    while (at < facts.length) {
      const [ids, columns] = [part(), part()];
      memory.#dialogues.push({ ids, columns, returns: returns.slice(paid, (paid += columns.length)) });
    }
    memory.#stored = stored;
    return memory;
  }
}

const damaged = (expected: string) =>
  new ShapeError(`memory of the joint critic: expected ${expected}; is the checkpoint of a run with another learning.criticMemory?`); // prettier-ignore

/** Joint rows as they are stored; `returns` [trajectory][turn]. */
export function rememberedRows(batch: RowBatch, returns: readonly Float64Array[]): Remembered[] {
  return Array.from(batch.trajectoryIds, (trajectory, b) => {
    const row = (of: Float32Array | Int32Array) => of.subarray(b * batch.length, (b + 1) * batch.length);
    const columns = Array.from(row(batch.actionMask).keys()).filter((t) => row(batch.actionMask)[t] === 1);
    return {
      ids: Uint16Array.from(row(batch.ids).subarray(0, (columns.at(-1) ?? -1) + 1)),
      columns: Uint16Array.from(columns),
      returns: Float64Array.from(columns, (t) => returns[trajectory]?.[row(batch.turnIds)[t] as number] as number),
    };
  });
}

/** Stored dialogues as rows, each a trajectory of its own; `returns` [B·T], 0 where no value stands. */
export function recallRows(dialogues: readonly Remembered[]): { batch: RowBatch; returns: Float32Array } {
  const length = Math.max(1, ...dialogues.map(({ ids }) => ids.length));
  const indices = Int32Array.from(dialogues.keys());
  const batch = emptyBatch(length, indices, new Int32Array(indices.length));
  const targets = new Float32Array(batch.ids.length);
  dialogues.forEach(({ ids, columns, returns }, b) => {
    batch.ids.set(ids, b * length);
    batch.targets.set(ids.subarray(1), b * length);
    columns.forEach((column, place) => {
      const at = b * length + column;
      batch.actionMask[at] = 1;
      batch.turnIds[at] = place;
      targets[at] = returns[place] as number;
    });
  });
  return { batch, returns: targets };
}
