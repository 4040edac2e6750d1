// Keeps decoding states between sessions. If a state is reused, no memory needs to be allocated, and recordings can be
// replayed from the first turn on. If agents speak in a fixed order, each agent gets its own state again.
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
  /**
   * The states that no session uses at present, and that are kept for later sessions. The least recently used state is
   * first.
   */
  #free: DecodingState[] = [];

  /**
   * @param isReplayed whether steps with tensors of the same shape may be recorded and replayed
   * @param networks the number of networks that speak in turn; for each of them, one state for training and one for
   * measurements may be kept
   */
  constructor(isReplayed: boolean, networks = 0, mostBytes = mostKeptBytes) {
    this.#isReplayed = isReplayed;
    this.#mostBytes = mostBytes;
    this.#mostStates = Math.max(usualStates, 2 * networks);
  }

  /**
   * Gives a decoding state to a session, which must return it at its end. The tensors of the state may still contain
   * the numbers of an earlier session.
   */
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
   * Takes a state back from a session and keeps the state for later sessions. If the unused states exceed the limits,
   * the least recently used ones are freed.
   */
  giveBack(state: DecodingState): void {
    this.#free.push(state);
    const bytes = () => this.#free.reduce((sum, { bytes: each }) => sum + each, 0);
    while (this.#free.length > this.#mostStates || bytes() > this.#mostBytes) this.#free.shift()?.dispose();
  }

  /**
   * Describes a computation that runs without replay although replay should be possible, and states the reason; empty
   * if there is no such computation.
   */
  get note(): string {
    return this.#free.find(({ replays }) => replays.note !== '')?.replays.note ?? '';
  }

  /** Frees all states that no session uses at present. */
  dispose(): void {
    for (const state of this.#free) state.dispose();
    this.#free = [];
  }
}
