// Lock-step decoding over a KV cache: satisfies `Policy`.
// Think of a grid of slots, the same for all rows. A chunk of context is aligned at its right end,
// shorter rows are padded on the left; padded and finished slots are masked, never attended to.
// RoPE positions count a row's real tokens, not slots, so the numbers equal those of a training
// row. The last token of a window is not fed until the next append: most turns end before it.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../base/errors.ts';
import type { ModelShape } from '../config/sizes.ts';
import { cachedAttention } from '../engine/ops/cachedAttention.ts';
import { scalar } from '../engine/ops/constants.ts';
import { sampleTokens } from '../engine/ops/sampleTokens.ts';
import type { ContextChunk, DecodeSession, Policy, SampledTurns, SampleRequest } from '../records/policy.ts';
import { hiddenStates, logits, type Attend, type Rotation } from './llama.ts';
import type { ParameterTree } from './parameters.ts';
import { rotaryTables, tablesAt, type RotaryTables } from './positions.ts';
import { expectRows, firstEnd } from './sampledTurns.ts';

interface LayerCache {
  /** [B, slots, KV, D] each. */
  k: tf.Tensor4D;
  v: tf.Tensor4D;
}

/** A policy over a parameter tree; the tree stays the caller's. */
export function decodingPolicy(tree: ParameterTree, shape: ModelShape): Policy {
  const tables = rotaryTables(shape.maxPositions, shape.headSize, shape.ropeTheta);
  return { maxPositions: shape.maxPositions, open: (rows) => new Decoder(tree, shape, { rows, tables }) };
}

class Decoder implements DecodeSession {
  readonly #tree: ParameterTree;
  readonly #shape: ModelShape;
  readonly #rows: number;
  readonly #tables: RotaryTables;
  /** Real tokens of each row, fed or not. */
  readonly #lengths: Int32Array;
  /** The last sampled token of a full window, not fed yet; −1: none. */
  readonly #unfed: Int32Array;
  /** Whether the newest slot of a row is its newest token: only then may it speak. */
  readonly #isReady: boolean[];
  #cache: LayerCache[];
  /** [B, slots] float32: 1 = may be attended to. */
  #mask: tf.Tensor2D;
  /** [B, C] after the newest token; what the next token is read from. */
  #last: tf.Tensor2D | null = null;

  constructor(tree: ParameterTree, shape: ModelShape, { rows, tables }: { rows: number; tables: RotaryTables }) {
    this.#tree = tree;
    this.#shape = shape;
    this.#rows = rows;
    this.#tables = tables;
    this.#lengths = new Int32Array(rows);
    this.#unfed = new Int32Array(rows).fill(-1);
    this.#isReady = new Array<boolean>(rows).fill(false);
    const empty = () => tf.zeros([rows, 0, shape.numKvHeads, shape.headSize]) as tf.Tensor4D;
    this.#cache = Array.from({ length: shape.numLayers }, () => ({ k: empty(), v: empty() }));
    this.#mask = tf.zeros([rows, 0]) as tf.Tensor2D;
  }

  append(chunks: readonly ContextChunk[]): void {
    expectRows('append', chunks.length, this.#rows);
    const unfed = (b: number) => ((this.#unfed[b] as number) >= 0 ? 1 : 0);
    const width = Math.max(0, ...chunks.map((chunk, b) => chunk.tokens.length + unfed(b)));
    if (width === 0) return;
    const ids = new Int32Array(this.#rows * width);
    const mask = new Float32Array(this.#rows * width);
    const positions = new Int32Array(this.#rows * width);
    chunks.forEach(({ tokens, visible }, b) => {
      const pending = unfed(b);
      const start = b * width + width - tokens.length - pending;
      const base = (this.#lengths[b] as number) - pending;
      if (pending) {
        ids[start] = this.#unfed[b] as number;
        mask[start] = 1;
        positions[start] = base;
      }
      tokens.forEach((token, t) => {
        ids[start + pending + t] = token;
        mask[start + pending + t] = visible?.[t] === false ? 0 : 1;
        positions[start + pending + t] = base + pending + t;
      });
      this.#lengths[b] = (this.#lengths[b] as number) + tokens.length;
      this.#isReady[b] = tokens.length + pending > 0;
    });
    this.#unfed.fill(-1);
    const rotation = this.#rotation(positions, width);
    const idTensor = tf.tensor1d(ids, 'int32');
    const maskTensor = tf.tensor2d(mask, [this.#rows, width]);
    this.#feed(idTensor, maskTensor, rotation);
    tf.dispose([idTensor, rotation.cos, rotation.sin]);
  }

  async sample({ window, isActive, uniforms, temperature, endIds }: SampleRequest): Promise<SampledTurns> {
    expectRows('sample', isActive.length, this.#rows);
    const rows = this.#rows;
    const mute = isActive.findIndex((is, b) => is && !this.#isReady[b]);
    if (mute >= 0) {
      throw new ShapeError(
        `sample: row ${mute} has heard nothing since its last turn; append its context first, or leave it inactive.`,
      );
    }
    this.#isReady.fill(false);
    const positions = new Int32Array(rows * window);
    for (let b = 0; b < rows; b++) {
      for (let t = 0; t < window; t++) {
        positions[b * window + t] = Math.min((this.#lengths[b] as number) + t, this.#shape.maxPositions - 1);
      }
    }
    const rotation = this.#rotation(positions, window);
    const draws = tf.tensor2d(uniforms, [rows, window]);
    let alive = tf.tensor2d(Float32Array.from(isActive, Number), [rows, 1]);
    const kept: tf.Tensor[] = [];
    for (let t = 0; t < window; t++) {
      const [ids, logprobs] = tf.tidy(() => {
        const uniform = tf.reshape(tf.slice(draws, [0, t], [rows, 1]), [rows]) as tf.Tensor1D;
        const chosen = sampleTokens(logits(this.#last as tf.Tensor2D, this.#tree, this.#shape), uniform, temperature);
        return [chosen.ids, chosen.logprobs] as const;
      }) as [tf.Tensor1D, tf.Tensor1D];
      kept.push(ids, logprobs);
      if (t === window - 1) break;
      const at = {
        cos: tf.slice(rotation.cos, [0, t, 0], [rows, 1, -1]),
        sin: tf.slice(rotation.sin, [0, t, 0], [rows, 1, -1]),
      };
      this.#feed(ids, tf.clone(alive), at);
      const next = tf.tidy(() => tf.mul(alive, goesOn(ids, endIds))) as tf.Tensor2D;
      tf.dispose([at.cos, at.sin, alive]);
      alive = next;
    }
    const packed = tf.tidy(() => tf.stack(kept.map((x) => tf.cast(x, 'float32')))); // [2·window, rows]
    tf.dispose([...kept, rotation.cos, rotation.sin, draws, alive]);
    const read = await packed.data<'float32'>();
    packed.dispose();
    return this.#account(read, { window, isActive, endIds });
  }

  dispose(): void {
    tf.dispose(this.#cache.flatMap(({ k, v }) => [k, v]));
    tf.dispose([this.#mask, ...(this.#last ? [this.#last] : [])]);
    this.#cache = [];
    this.#last = null;
  }

  /** From what was read back to turns; the row lengths grow by what was said. */
  #account(
    packed: Float32Array,
    { window, isActive, endIds }: { window: number; isActive: readonly boolean[]; endIds: readonly number[] },
  ): SampledTurns {
    const rows = this.#rows;
    const ids = new Int32Array(rows * window);
    const logprobs = new Float32Array(rows * window);
    const lengths = new Int32Array(rows);
    for (let b = 0; b < rows; b++) {
      if (!isActive[b]) continue;
      for (let t = 0; t < window; t++) {
        ids[b * window + t] = packed[2 * t * rows + b] as number;
        logprobs[b * window + t] = packed[(2 * t + 1) * rows + b] as number;
      }
      const length = firstEnd(ids.subarray(b * window, (b + 1) * window), endIds);
      lengths[b] = length;
      ids.fill(0, b * window + length, (b + 1) * window);
      logprobs.fill(0, b * window + length, (b + 1) * window);
      if (length === window) this.#unfed[b] = ids[b * window + window - 1] as number;
      this.#lengths[b] = (this.#lengths[b] as number) + length;
    }
    return { ids, logprobs, lengths };
  }

  #rotation(positions: Int32Array, length: number): Rotation {
    const { cos, sin } = tablesAt(this.#tables, positions);
    const shape: [number, number, number] = [this.#rows, length, this.#shape.headSize];
    return { cos: tf.tensor3d(cos, shape), sin: tf.tensor3d(sin, shape) };
  }

  /** Runs ids [B·S] through all layers, grows the cache and takes over `mask` [B,S]. */
  #feed(ids: tf.Tensor1D, mask: tf.Tensor2D, rotation: Rotation): void {
    const steps = mask.shape[1];
    const grown: LayerCache[] = [];
    const hidden = tf.tidy(() => {
      const attend: Attend = (layer, q, k, v) => {
        const past = this.#cache[layer] as LayerCache;
        grown.push({
          k: tf.keep(tf.concat([past.k, k], 1)),
          v: tf.keep(tf.concat([past.v, v], 1)),
        });
        return cachedAttention({ q, k, v, pastK: past.k, pastV: past.v, pastMask: this.#mask, selfMask: mask });
      };
      const all = hiddenStates(ids, { tree: this.#tree, shape: this.#shape, rotation, attend });
      const byRow = tf.reshape(all, [this.#rows, steps, -1]);
      return tf.reshape(tf.slice(byRow, [0, steps - 1, 0], [this.#rows, 1, -1]), [this.#rows, -1]) as tf.Tensor2D;
    });
    const grownMask = tf.concat([this.#mask, mask], 1);
    tf.dispose(this.#cache.flatMap(({ k, v }) => [k, v]));
    tf.dispose([this.#mask, mask, ...(this.#last ? [this.#last] : [])]);
    this.#cache = grown;
    this.#mask = grownMask;
    this.#last = hidden;
  }
}

/** 1 where a row's newest token does not end its turn: ids [B] → [B, 1]. */
function goesOn(ids: tf.Tensor1D, endIds: readonly number[]): tf.Tensor2D {
  const isLast = endIds.map((id) => tf.cast(tf.equal(ids, tf.scalar(id, 'int32')), 'float32'));
  return tf.reshape(tf.sub(scalar(1), tf.addN(isLast)), [ids.size, 1]) as tf.Tensor2D;
}
