// The tensors of one decoding session: caches of fixed capacity, mask, ids, positions and draws. Kernels write to these
// tensors in place, so the buffers stay the same. Therefore, the dispatches are the same for each decoded token, and
// can be recorded and replayed. The tensors can be used only with one parameter tree and one number of rows. Between
// sessions, the tensors are stored in `DecodingStates`.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { Replays } from '../../engine/replay.ts';
import type { WeightTree } from '../network/parameters.ts';
import { windowWithin } from '../network/llama.ts';
import { localTables, rotaryTables } from '../network/positions.ts';

/**
 * Slots are allocated in multiples of this number. Tensors therefore have few different shapes, and few pipelines and
 * recordings are needed.
 */
const slotStep = 16;

/** The keys and values of one layer, [B, cap, KV·D] each. */
export interface LayerCache {
  /** The keys after RoPE has been applied. */
  keys: tf.Tensor3D;
  values: tf.Tensor3D;
}

/** The tensors with the input and the output of one turn. */
export interface TurnTensors {
  /** [W, B] random numbers. */
  uniforms: tf.Tensor2D;
  /** [W, 2, B]: ids and log-probabilities. */
  out: tf.Tensor3D;
}

/** The RoPE tables for all positions, [P, D] each. */
interface Tables {
  cos: tf.Tensor2D;
  sin: tf.Tensor2D;
}

export class DecodingState {
  readonly tree: WeightTree;
  readonly shape: ModelShape;
  readonly rows: number;
  readonly backend: object = tf.backend();
  readonly replays: Replays;
  /** int32 [2]: the number of slots in use, and the number of the current step in the turn. */
  readonly state: tf.Tensor1D;
  /** [B] int32: the newest token of each row (`ids`) and its position (`positions`). */
  readonly ids: tf.Tensor1D;
  readonly positions: tf.Tensor1D;
  /** [B] int32: the position of each row's first token in this turn. */
  readonly starts: tf.Tensor1D;
  /** [B] */
  readonly alive: tf.Tensor1D;
  /** [B, C] hidden state after the newest token, from which the next token is drawn. */
  readonly last: tf.Tensor2D;
  readonly tables: Tables;
  /** The tables of layers with local attention; null if there are no such layers. */
  readonly localTables: Tables | null;
  /** The window of layers with local attention; undefined if no context can be longer. */
  readonly window: number | undefined;
  #caches: LayerCache[];
  #mask: tf.Tensor2D;
  #places: tf.Tensor2D | null;
  #turn: TurnTensors | null = null;

  constructor(tree: WeightTree, shape: ModelShape, { rows, isReplayed }: { rows: number; isReplayed: boolean }) {
    const { maxPositions, hiddenSize, numLayers } = shape;
    const local = localTables(shape);
    const counters = () => tf.zeros<tf.Rank.R1>([rows], 'int32');
    const capacity = rounded(maxPositions);
    this.tree = tree;
    this.shape = shape;
    this.rows = rows;
    this.replays = new Replays(isReplayed);
    this.state = tf.zeros([2], 'int32');
    this.ids = counters();
    this.positions = counters();
    this.starts = counters();
    this.alive = tf.zeros([rows]);
    this.last = tf.zeros([rows, hiddenSize]);
    this.tables = tablesOf(shape, maxPositions);
    this.localTables = local ? tablesOf(local, maxPositions) : null;
    this.window = windowWithin(shape.local, maxPositions);
    this.#caches = Array.from({ length: numLayers }, () => ({
      keys: this.#room(capacity),
      values: this.#room(capacity),
    }));
    this.#mask = tf.zeros([rows, capacity]);
    this.#places = this.window === undefined ? null : tf.zeros([rows, capacity]);
  }

  /** One cache per layer. */
  get caches(): readonly LayerCache[] {
    return this.#caches;
  }

  /** [B, cap]: 1 if later positions may attend to the slot, otherwise 0. */
  get mask(): tf.Tensor2D {
    return this.#mask;
  }

  /** [B, cap]: the position of each slot in use; null if no context can be longer than the window. */
  get places(): tf.Tensor2D | null {
    return this.#places;
  }

  get capacity(): number {
    return this.#mask.shape[1];
  }

  /** Approximate bytes of all tensors. */
  get bytes(): number {
    const { rows, shape } = this;
    return 8 * rows * shape.numLayers * this.capacity * shape.numKvHeads * shape.headSize;
  }

  /**
   * The tensors for a turn of at most `window` tokens. If the previous turn had the same maximum, the tensors of that
   * turn are used again.
   */
  turnOf(window: number): TurnTensors {
    if (this.#turn?.out.shape[0] === window) return this.#turn;
    tf.dispose(this.#turnTensors());
    this.#turn = { uniforms: tf.zeros([window, this.rows]), out: tf.zeros([window, 2, this.rows]) };
    return this.#turn;
  }

  /**
   * Makes sure that there are at least this many slots. There may be more slots than `maxPositions`, because shorter
   * rows are padded.
   */
  grant(slots: number): void {
    if (slots <= this.capacity) return;
    const more = rounded(Math.max(slots, 1.5 * this.capacity)) - this.capacity;
    const grown = <T extends tf.Tensor>(x: T, added: T): T => {
      const longer = tf.concat([x, added], 1);
      tf.dispose([x, added]);
      return longer;
    };
    this.replays.dispose(); // they write into the old caches
    this.#caches = this.#caches.map(({ keys, values }) => ({
      keys: grown(keys, this.#room(more)),
      values: grown(values, this.#room(more)),
    }));
    this.#mask = grown(this.#mask, tf.zeros<tf.Rank.R2>([this.rows, more]));
    this.#places = this.#places && grown(this.#places, tf.zeros<tf.Rank.R2>([this.rows, more]));
  }

  dispose(): void {
    this.replays.dispose();
    const { state, ids, positions, starts, alive, last, tables, localTables: local } = this;
    tf.dispose([state, ids, positions, starts, alive, last, tables.cos, tables.sin]);
    tf.dispose([...(local ? [local.cos, local.sin] : []), ...(this.#places ? [this.#places] : [])]);
    tf.dispose([this.#mask, ...this.#caches.flatMap(({ keys, values }) => [keys, values]), ...this.#turnTensors()]);
    this.#caches = [];
    this.#turn = null;
  }

  #turnTensors(): tf.Tensor[] {
    return this.#turn ? [this.#turn.uniforms, this.#turn.out] : [];
  }

  #room(slots: number): tf.Tensor3D {
    return tf.zeros([this.rows, slots, this.shape.numKvHeads * this.shape.headSize]);
  }
}

function tablesOf(shape: Parameters<typeof rotaryTables>[1], positions: number): Tables {
  const { cos, sin, headSize } = rotaryTables(positions, shape);
  return { cos: tf.tensor2d(cos, [positions, headSize]), sin: tf.tensor2d(sin, [positions, headSize]) };
}

function rounded(slots: number): number {
  return Math.ceil(slots / slotStep) * slotStep;
}
