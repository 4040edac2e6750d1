// The tensors of one decoding session: caches of fixed capacity, mask, ids, positions and draws. Kernels write to these
// tensors in place, so the buffers stay the same. Therefore, the dispatches are the same for each decoded token, and
// can be recorded and replayed. The tensors can be used only with one parameter tree and one number of rows. Between
// sessions, the tensors are stored in `DecodingStates`.
import * as tf from '@tensorflow/tfjs-core';
import type { ModelShape } from '../../config/sizes.ts';
import { Replays } from '../../engine/replay.ts';
import type { WeightTree } from '../network/parameters.ts';
import { rotaryTables } from '../network/positions.ts';

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
  /** [P, D] the RoPE tables for all positions. */
  readonly cos: tf.Tensor2D;
  readonly sin: tf.Tensor2D;
  #caches: LayerCache[];
  #mask: tf.Tensor2D;
  #turn: TurnTensors | null = null;

  constructor(tree: WeightTree, shape: ModelShape, { rows, isReplayed }: { rows: number; isReplayed: boolean }) {
    const { maxPositions, headSize, hiddenSize, numLayers } = shape;
    const tables = rotaryTables(maxPositions, shape);
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
    this.cos = tf.tensor2d(tables.cos, [maxPositions, headSize]);
    this.sin = tf.tensor2d(tables.sin, [maxPositions, headSize]);
    this.#caches = Array.from({ length: numLayers }, () => ({
      keys: this.#room(capacity),
      values: this.#room(capacity),
    }));
    this.#mask = tf.zeros([rows, capacity]);
  }

  /** One cache per layer. */
  get caches(): readonly LayerCache[] {
    return this.#caches;
  }

  /** [B, cap]: 1 if later positions may attend to the slot, otherwise 0. */
  get mask(): tf.Tensor2D {
    return this.#mask;
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
  }

  dispose(): void {
    this.replays.dispose();
    tf.dispose([this.state, this.ids, this.positions, this.starts, this.alive, this.last, this.cos, this.sin]);
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

function rounded(slots: number): number {
  return Math.ceil(slots / slotStep) * slotStep;
}
