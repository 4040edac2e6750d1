// Decodes all rows in lock-step, with all tensors on the device. Each token needs the same dispatches, which write to
// the same tensors in place, and nothing is uploaded. The tokens of a turn are read back together at the end of the
// turn. All rows use the same slots. The chunks of context of all rows end in the same slot, and shorter chunks are
// padded on the left. Slots of padding and of finished rows are masked, so that no position attends to them. RoPE
// positions count only the real tokens of a row, so the positions are the same as in training.
import * as tf from '@tensorflow/tfjs-core';
import { localAt, type ModelShape } from '../../config/sizes.ts';
import { cachedAttention } from '../../engine/ops/attention/cachedAttention.ts';
import { advance, copyInto, copyRows, drawUniforms, peek, writeSlots } from '../../engine/ops/inPlace/inPlace.ts';
import { hasKernel } from '../../engine/ops/kernel.ts';
import { takeTokens, type TakeTokensOptions } from '../../engine/ops/tokens/takeTokens.ts';
import type { Uploads } from '../../engine/replay.ts';
import type { ContextChunk, DecodeSession, Policy, SampledTurns, SampleRequest } from '../../records/policy.ts';
import { sharedStates, sharedUploads, sharesBeginnings } from '../network/beginnings.ts';
import { DecodingStates } from './decodingStates.ts';
import type { DecodingState, LayerCache, TurnTensors } from './decodingState.ts';
import { hiddenStates, logits, sharedHiddenStates, type Attend, type SharedStates } from '../network/llama.ts';
import type { WeightTree } from '../network/parameters.ts';
import { firstEnd, RowContexts, type ChunkGrid } from './rowContexts.ts';
import { sampleStepwise } from './stepwise.ts';

/**
 * Whether the current backend has all kernels that write in place, and its attention kernel supports heads of this
 * size.
 */
export function decodesInPlace({ headSize }: ModelShape): boolean {
  if (!['WriteSlots', 'DrawUniforms', 'TakeTokens', 'Advance', 'CopyInto', 'CopyRows'].every((name) => hasKernel(name)))
    return false;
  return tf.tidy(() => hasKernel('CachedAttention', tf.zeros([1, 3 * headSize]), tf.zeros([1, headSize])));
}

/**
 * A policy that computes with a parameter tree, for backends for which `decodesInPlace` is true. The caller must
 * dispose the tree.
 * @param rooms keeps the buffers of a session for later sessions; the caller disposes it. Without `rooms`, no buffers
 * are kept.
 */
export function residentPolicy(tree: WeightTree, shape: ModelShape, rooms?: DecodingStates): Policy {
  return {
    maxPositions: shape.maxPositions,
    mostRows: Infinity,
    open: (rows) => {
      const own = rooms ?? new DecodingStates(true);
      return new ResidentDecoder(own.take(tree, shape, rows), (state) => {
        own.giveBack(state);
        if (!rooms) own.dispose();
      });
    },
  };
}

type Inputs = Record<string, tf.Tensor>;

interface Opening extends SampleRequest {
  /** [B] position of each row's first token. */
  starts: Int32Array;
  tensors: TurnTensors;
}

class ResidentDecoder implements DecodeSession {
  readonly #on: DecodingState;
  readonly #contexts: RowContexts;
  readonly #close: (state: DecodingState) => void;
  #isOpen = true;
  /**
   * Context that was appended, but that the network has not processed yet. This context is sent to the device together
   * with the next turn.
   */
  #waiting: ChunkGrid | null = null;
  /** The number of slots in use. The device also counts the slots, and both numbers are always equal. */
  #used = 0;

  constructor(state: DecodingState, close: (state: DecodingState) => void) {
    this.#on = state;
    this.#contexts = new RowContexts(state.rows, state.shape.maxPositions);
    this.#close = close;
  }

  append(chunks: readonly ContextChunk[]): void {
    const grid = this.#contexts.lay(chunks);
    if (!grid) return;
    if (this.#waiting) this.#begin(this.#waiting, null);
    this.#waiting = grid;
  }

  async sample(request: SampleRequest): Promise<SampledTurns> {
    const { window, isActive, temperature, endIds, stepwise } = request;
    if (stepwise)
      return sampleStepwise(
        { contexts: this.#contexts, logits: () => this.#logits(), append: (chunks) => this.append(chunks) },
        ...([request, stepwise] as const),
      );
    const starts = this.#contexts.open(isActive);
    const on = this.#on;
    const options = { temperature, endIds, maxPosition: on.shape.maxPositions - 1 };
    const begin = () => {
      const turn = on.turnOf(window);
      this.#begin(this.#waiting, { ...request, starts, tensors: turn });
      this.#waiting = null;
      return turn;
    };
    if (peek(on.alive)) {
      const turn = begin();
      const steps = await this.#speakUntilAllEnd(turn, request, options);
      return this.#contexts.close(await turn.out.data<'float32'>(), request, steps);
    }
    // The readback is requested in the same batch as the commands of the turn, so that no separate submission is
    // needed.
    const said = on.replays.together(() => {
      const turn = begin();
      this.#speak(turn, window, options);
      return turn.out.data<'float32'>();
    });
    return this.#contexts.close(await said, request);
  }

  takeRows(from: readonly number[]): void {
    this.#contexts.take(from);
    if (from.every((source, b) => source === b)) return;
    if (this.#waiting) this.#begin(this.#waiting, null);
    this.#waiting = null;
    const { caches, mask, places, last, replays } = this.#on;
    const uploads = { from: { values: Int32Array.from(from), shape: [from.length] } };
    const compute = (inputs: Inputs) => {
      const sources = inputs['from'] as tf.Tensor1D;
      for (const rows of [
        mask,
        last,
        ...(places ? [places] : []),
        ...caches.flatMap(({ keys, values }) => [keys, values]),
      ])
        copyRows(rows, sources);
      return [];
    };
    replays.run('take rows', uploads, compute).release();
  }

  dispose(): void {
    if (this.#isOpen) this.#close(this.#on);
    this.#isOpen = false;
  }

  async #logits(): Promise<Float32Array> {
    const { last, tree, shape } = this.#on;
    if (this.#waiting) this.#begin(this.#waiting, null);
    this.#waiting = null;
    const all = tf.tidy(() => logits(last, tree, shape));
    const read = await all.data<'float32'>();
    all.dispose();
    return read;
  }

  /**
   * Uploads the pending chunk of context, if there is one, and runs the chunk through the network. Also uploads the
   * inputs of the turn, if a turn follows.
   */
  #begin(grid: ChunkGrid | null, turn: Opening | null): void {
    const on = this.#on;
    const { rows } = on;
    const [width, window] = [grid?.width ?? 0, turn?.window ?? 0];
    on.grant(this.#used + width + window); // a turn's last token takes a slot of the mask, though it is not fed
    const uploads: Uploads = {
      state: { values: Int32Array.of(this.#used, 0), shape: [2] },
      ...(grid && {
        ids: { values: grid.ids, shape: [rows * width] },
        positions: { values: grid.positions, shape: [rows * width] },
        visible: { values: grid.visible, shape: [rows, width] },
      }),
      ...(grid && this.#used === 0 && sharesBeginnings(on.shape) && beginningsIn(grid, rows)),
      ...(turn && {
        addresses: { values: new Int32Array(turn.addresses), shape: [rows] },
        starts: { values: turn.starts, shape: [rows] },
        alive: { values: Float32Array.from(turn.isActive, Number), shape: [rows] },
      }),
    };
    const compute = (inputs: Inputs) => {
      copyInto(on.state, inputs['state'] as tf.Tensor);
      if (turn) drawUniforms(turn.tensors.uniforms, inputs['addresses'] as tf.Tensor1D);
      if (turn) copyInto(on.starts, inputs['starts'] as tf.Tensor);
      if (turn) copyInto(on.alive, inputs['alive'] as tf.Tensor);
      if (grid) this.#hear(inputs, width);
      return [];
    };
    on.replays.run(`hear ${width} for ${window}`, uploads, compute).release();
    this.#used += width;
  }

  /** Runs a chunk of context through the network. */
  #hear(inputs: Inputs, width: number): void {
    const { rows, mask, state, last } = this.#on;
    writeSlots(mask, inputs['visible'] as tf.Tensor2D, state);
    const newest = (x: tf.Tensor2D) => {
      const byRow = tf.reshape(x, [rows, width, -1]) as tf.Tensor3D;
      return tf.reshape(tf.slice(byRow, [0, width - 1, 0], [rows, 1, -1]), [rows, -1]) as tf.Tensor2D;
    };
    const [ids, positions] = [inputs['ids'], inputs['positions']] as [tf.Tensor1D, tf.Tensor1D];
    const shared = sharedStates(inputs);
    const heard = shared
      ? this.#feedShared(shared, positions)
      : this.#feed(ids, positions, width > 1 ? newest : undefined);
    copyInto(last, heard);
    advance(state, { slots: width, steps: 0 });
  }

  /**
   * Samples tokens until all rows have ended, but at most `window`. This function is used if the tokens can be read
   * without waiting for the device (on the CPU). Returns the number of tokens sampled for each row.
   */
  async #speakUntilAllEnd(
    turn: TurnTensors,
    { window, overhear }: SampleRequest,
    options: TakeTokensOptions,
  ): Promise<number> {
    const { alive, rows } = this.#on;
    for (let steps = 1; ; steps++) {
      tf.tidy(() => this.#take(turn, options));
      const said = (row: number) => {
        const [out, ids] = [peek(turn.out) ?? [], Array.from({ length: steps }, (_, t) => 2 * t * rows + row)];
        const all = Int32Array.from(ids, (at) => out[at] as number);
        return [...all.subarray(0, firstEnd(all, options.endIds))];
      };
      const heard = overhear?.(said);
      if (heard) await heard;
      if (steps === window || peek(alive)?.every((is: number) => is === 0)) return steps;
      tf.tidy(() => this.#feedTaken());
      this.#used++;
    }
  }

  /** Draws `window` tokens for every row. */
  #speak(turn: TurnTensors, window: number, options: TakeTokensOptions): void {
    const { replays } = this.#on;
    const take = () => this.#take(turn, options);
    const key = `of ${window} at ${options.temperature} until ${options.endIds.join()}`;
    const step = () => {
      take();
      this.#feedTaken();
      return [];
    };
    const end = () => {
      take();
      return [];
    };
    if (window > 1) replays.repeat(`token ${key}`, {}, window - 1, step).release();
    replays.run(`end ${key}`, {}, end).release();
    this.#used += window - 1;
  }

  /** Draws the next token of every row. */
  #take({ uniforms, out }: TurnTensors, options: TakeTokensOptions): void {
    const { ids, last, tree, shape, alive, mask, starts, positions, state } = this.#on;
    takeTokens(
      { ids, out, logits: logits(last, tree, shape), uniforms, alive, mask, starts, positions, state },
      options,
    );
  }

  /** Runs the tokens that were just drawn through the network. */
  #feedTaken(): void {
    const { ids, positions, last, state } = this.#on;
    copyInto(last, this.#feed(ids, positions));
    advance(state, { slots: 1, steps: 1 });
  }

  /**
   * Runs the tokens `ids` [B·S] through all layers, and writes their keys and values to the next slots. Returns the
   * hidden states [B·S, C], or only those that `narrow` selects.
   */
  #feed(ids: tf.Tensor1D, positions: tf.Tensor1D, narrow?: (x: tf.Tensor2D) => tf.Tensor2D): tf.Tensor2D {
    const { tree, shape } = this.#on;
    const attend = this.#attendAt(positions, narrow !== undefined);
    return hiddenStates(ids, { tree, shape, attend, ...(narrow && { narrow }) });
  }

  /**
   * Does the same as `#feed` for the first chunk of a session if some rows have the same prefix. Returns the hidden
   * state at the newest position of each row, [B, C].
   */
  #feedShared(shared: SharedStates, positions: tf.Tensor1D): tf.Tensor2D {
    const { tree, shape } = this.#on;
    return sharedHiddenStates(shared, { tree, shape, attend: this.#attendAt(positions, true) });
  }

  /**
   * Computes the attention for the positions [B·S], whose keys and values are written to the next slots. If `isNewest`
   * is true, the last layer computes attention only for the newest position of each row.
   */
  #attendAt(positions: tf.Tensor1D, isNewest: boolean): Attend {
    const { shape, rows, caches, tables, localTables, window, mask, places, state } = this.#on;
    const heads = { heads: shape.numHeads, keyHeads: shape.numKvHeads };
    if (places) writeSlots(places, tf.reshape(tf.cast(positions, 'float32'), [rows, -1]) as tf.Tensor2D, state);
    return (layer, qkv) => {
      const isLocal = localAt(shape, layer) !== undefined;
      const near = isLocal && places && window !== undefined ? { places, window } : undefined;
      const inputs = {
        ...{ ...(caches[layer] as LayerCache), ...(isLocal && localTables ? localTables : tables) },
        ...{ qkv, positions, mask, state, places: near?.places },
      };
      const own = { ...heads, ...(near && { window: near.window }) };
      return cachedAttention(inputs, { ...own, isNewest: isNewest && layer === shape.numLayers - 1 });
    };
  }
}

/**
 * The additional inputs that are needed to compute equal prefixes of the first chunk only once, if only the state at
 * the newest position of each row is requested.
 */
function beginningsIn({ ids, width, starts, visible }: ChunkGrid, rows: number): Uploads {
  const newest = Array.from({ length: rows }, (_, b) => (b + 1) * width - 1);
  const from = (row: number) => starts[row] as number;
  return sharedUploads({ ids, rows, length: width, from, to: () => width, visible }, newest);
}
