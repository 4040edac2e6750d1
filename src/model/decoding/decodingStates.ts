// Keeps decoding states between sessions. Reusing a state avoids allocations, and its recordings are replayed from the
// first turn on. Agents that speak in a fixed order get their own states again.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { DecodingState } from './decodingState.ts';
import type { WeightTree } from '../network/parameters.ts';

/** The default maximum number of states that are kept for later use. */
const usualStates = 6;
/** The default maximum size in bytes of the states that are kept for later use. */
export const mostKeptBytes = 2 ** 26;

export class DecodingStates {
  readonly #isReplayed: boolean;
  readonly #mostStates: number;
  readonly #mostBytes: number;
  /** The kept states that no session uses, with the least recently used first. */
  #free: DecodingState[] = [];

  /**
   * @param isReplayed steps of equal shape may be recorded and replayed
   * @param networks the number of networks that speak in turn; for each of them, one state of training and one of a
   * measurement may be kept
   */
  constructor(isReplayed: boolean, networks = 0, mostBytes = mostKeptBytes) {
    this.#isReplayed = isReplayed;
    this.#mostBytes = mostBytes;
    this.#mostStates = Math.max(usualStates, 2 * networks);
  }

  /** Lends a decoding state to a session, which must return it. The state may contain data of an earlier session. */
  take(tree: WeightTree, shape: ModelShape, rows: number): DecodingState {
    const backend = tf.backend();
    const wanted = JSON.stringify(shape);
    const fits = (state: DecodingState) =>
      state.tree === tree && state.rows === rows && state.backend === backend && JSON.stringify(state.shape) === wanted;
    const found = this.#free.find(fits);
    this.#free = this.#free.filter((state) => state !== found);
    return found ?? new DecodingState(tree, shape, { rows, isReplayed: this.#isReplayed });
  }

  /**
   * Keeps a state for the next session. If there are too many unused states, the least recently used ones are freed.
   */
  giveBack(state: DecodingState): void {
    this.#free.push(state);
    const bytes = () => this.#free.reduce((sum, { bytes: each }) => sum + each, 0);
    while (this.#free.length > this.#mostStates || bytes() > this.#mostBytes) this.#free.shift()?.dispose();
  }

  /**
   * A sentence that says which computation runs slower than it could, and why; empty if there is no such computation.
   */
  get note(): string {
    return this.#free.find(({ replays }) => replays.note !== '')?.replays.note ?? '';
  }

  /** Frees all states that are not in use; the others are freed by their sessions. */
  dispose(): void {
    for (const state of this.#free) state.dispose();
    this.#free = [];
  }
}
