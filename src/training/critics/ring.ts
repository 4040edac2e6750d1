// A ring buffer of trajectories from which a critic learns repeatedly: new trajectories overwrite the oldest. The ring
// is stored in packed form: the integers of all trajectories in one array, and their real numbers (rewards or outcomes)
// in another.
import type { Draws } from '../../base/random.ts';

/**
 * Describes how one trajectory is packed. `numbers` is the key under which the stored state contains the real numbers.
 */
export interface Packing<T, N extends string> {
  numbers: N;
  write: (trajectory: T) => { facts: number[]; numbers: Iterable<number> };
  read: (from: PackedReader) => T;
}

/** A reader that returns packed numbers in the order in which they were written. */
interface PackedReader {
  fact: () => number;
  /** Reads a number n, and then n integers. */
  facts: () => Uint16Array;
  number: () => number;
}

type RingState<N extends string> = { stored: number; facts: Uint16Array } & Record<N, Float64Array>;

export class Ring<T, N extends string> {
  readonly #size: number;
  readonly #packing: Packing<T, N>;
  readonly #kept: T[] = [];
  #stored = 0;

  /**
   * @param size the maximum number of trajectories
   * @param state the complete content when the ring was stored; if absent, the ring is empty
   */
  constructor(size: number, packing: Packing<T, N>, state?: RingState<N>) {
    this.#size = size;
    this.#packing = packing;
    if (!state) return;
    const { stored, facts } = state;
    const numbers = state[packing.numbers];
    let [at, place] = [0, 0];
    const fact = () => facts[at++] as number;
    const reader: PackedReader = {
      fact,
      facts: () => {
        const count = fact();
        return facts.slice(at, (at += count));
      },
      number: () => numbers[place++] as number,
    };
    while (at < facts.length) this.#kept.push(packing.read(reader));
    this.#stored = stored;
  }

  /** The number of trajectories in the ring. */
  get count(): number {
    return this.#kept.length;
  }

  /** The size of the packed trajectories in bytes. */
  get bytes(): number {
    const state = this.state();
    return state.facts.byteLength + state[this.#packing.numbers].byteLength;
  }

  /** Stores trajectories in order. If the ring is full, new trajectories overwrite the oldest ones. */
  add(trajectories: readonly T[]): void {
    for (const trajectory of trajectories) this.#kept[this.#stored++ % this.#size] = trajectory;
  }

  /** A ring of another size with the newest trajectories. If the size is the same, the ring itself is returned. */
  resized(size: number): Ring<T, N> {
    if (size === this.#size) return this;
    const ring = new Ring(size, this.#packing);
    const oldest = this.#stored % this.#size;
    ring.add([...this.#kept.slice(oldest), ...this.#kept.slice(0, oldest)]);
    return ring;
  }

  /** Draws trajectories with replacement. The result is empty if the ring is empty. */
  sample(count: number, draws: Draws): T[] {
    if (this.count === 0) return [];
    return Array.from({ length: count }, () => this.#kept[draws.below(this.count)] as T);
  }

  /** A copy as plain data. */
  state(): RingState<N> {
    const packed = this.#kept.map(this.#packing.write);
    return {
      stored: this.#stored,
      facts: Uint16Array.from(packed.flatMap(({ facts }) => facts)),
      [this.#packing.numbers]: Float64Array.from(packed.flatMap(({ numbers }) => [...numbers])),
    } as RingState<N>;
  }
}
