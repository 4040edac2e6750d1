// Decodes all rows in lock-step with a cache that grows by concatenation. This decoder uses only the ops of TF.js, so
// it runs on every backend. In tests, the resident decoder is compared with this decoder. Both decoders use the same
// slots, masks and positions; see residentDecoder.ts.
import * as tf from '@tensorflow/tfjs-core';
import { uniformAt } from '../../base/random.ts';
import { localAt, type ModelShape } from '../../config/sizes.ts';
import { splitHeads } from '../../engine/ops/attention/heads.ts';
import { cachedAttentionComposed } from '../../engine/ops/attention/cachedAttention.ts';
import { scalar } from '../../engine/ops/constants.ts';
import { rotate, type Rotation } from '../../engine/ops/attention/rope.ts';
import { sampleTokens } from '../../engine/ops/tokens/sampleTokens.ts';
import type { ContextChunk, DecodeSession, Policy, SampledTurns, SampleRequest } from '../../records/policy.ts';
import { hiddenStates, logits, rotationAt, windowWithin, type Attend, type Rotations } from '../network/llama.ts';
import type { WeightTree } from '../network/parameters.ts';
import { localTables, rotaryTables, tablesAt, type RotaryTables } from '../network/positions.ts';
import { RowContexts } from './rowContexts.ts';
import { sampleStepwise } from './stepwise.ts';

interface LayerCache {
  /** [B, slots, KV, D] each. */
  k: tf.Tensor4D;
  v: tf.Tensor4D;
}

/** A policy that computes with a parameter tree. The caller must dispose the tree. */
export function growingPolicy(tree: WeightTree, shape: ModelShape): Policy {
  const local = localTables(shape);
  const tables = {
    whole: rotaryTables(shape.maxPositions, shape),
    local: local ? rotaryTables(shape.maxPositions, local) : null,
  };
  const open = (rows: number) => new GrowingDecoder(tree, shape, { rows, tables });
  return { maxPositions: shape.maxPositions, mostRows: Infinity, open };
}

/** The RoPE tables for all positions; `local` are those of layers with local attention, if there are any. */
interface Tables {
  whole: RotaryTables;
  local: RotaryTables | null;
}

class GrowingDecoder implements DecodeSession {
  readonly #tree: WeightTree;
  readonly #shape: ModelShape;
  readonly #contexts: RowContexts;
  readonly #tables: Tables;
  #cache: LayerCache[];
  /** [B, slots] float32: 1 if later positions may attend to the slot, otherwise 0. */
  #mask: tf.Tensor2D;
  /** [B, slots] float32: the position of each slot; null if no context can be longer than the window. */
  #places: tf.Tensor2D | null;
  /** [B, C] hidden state after the newest token, from which the next token is drawn. */
  #last: tf.Tensor2D | null = null;

  constructor(tree: WeightTree, shape: ModelShape, { rows, tables }: { rows: number; tables: Tables }) {
    this.#tree = tree;
    this.#shape = shape;
    this.#contexts = new RowContexts(rows, shape.maxPositions);
    this.#tables = tables;
    const empty = () => tf.zeros([rows, 0, shape.numKvHeads, shape.headSize]) as tf.Tensor4D;
    this.#cache = Array.from({ length: shape.numLayers }, () => ({ k: empty(), v: empty() }));
    this.#mask = tf.zeros([rows, 0]) as tf.Tensor2D;
    this.#places = windowWithin(shape.local, shape.maxPositions) === undefined ? null : tf.zeros([rows, 0]);
  }

  append(chunks: readonly ContextChunk[]): void {
    const grid = this.#contexts.lay(chunks);
    if (!grid) return;
    const at = this.#at(grid.positions, grid.width);
    const ids = tf.tensor1d(grid.ids, 'int32');
    this.#feed(ids, tf.tensor2d(grid.visible, [chunks.length, grid.width]), at);
    tf.dispose([ids, ...tensorsOf(at)]);
  }

  async sample(request: SampleRequest): Promise<SampledTurns> {
    const { window, isActive, addresses, temperature, endIds, stepwise } = request;
    if (stepwise)
      return sampleStepwise(
        { contexts: this.#contexts, logits: () => this.#logits(), append: (chunks) => this.append(chunks) },
        ...([request, stepwise] as const),
      );
    const starts = this.#contexts.open(isActive);
    const rows = starts.length;
    const positions = new Int32Array(rows * window).map((_, i) =>
      Math.min((starts[Math.floor(i / window)] as number) + (i % window), this.#shape.maxPositions - 1),
    );
    const turn = this.#at(positions, window);
    const uniforms = Float32Array.from({ length: rows * window }, (_, i) =>
      uniformAt(addresses[Math.floor(i / window)] as number, i % window),
    );
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
      const at = nthPlace(turn, t);
      this.#feed(ids, tf.clone(alive), at);
      const next = tf.tidy(() => tf.mul(alive, goesOn(ids, endIds))) as tf.Tensor2D;
      tf.dispose([...tensorsOf(at), alive]);
      alive = next;
    }
    const packed = tf.tidy(() => tf.stack(kept.map((x) => tf.cast(x, 'float32')))); // [2·window, rows]
    tf.dispose([...kept, ...tensorsOf(turn), draws, alive]);
    const read = await packed.data<'float32'>();
    packed.dispose();
    return this.#contexts.close(read, request);
  }

  takeRows(from: readonly number[]): void {
    this.#contexts.take(from);
    const sources = tf.tensor1d([...from], 'int32');
    const taken = <T extends tf.Tensor>(rows: T): T => {
      const picked = tf.gather(rows, sources);
      rows.dispose();
      return picked;
    };
    this.#cache = this.#cache.map(({ k, v }) => ({ k: taken(k), v: taken(v) }));
    this.#mask = taken(this.#mask);
    this.#places = this.#places && taken(this.#places);
    this.#last = this.#last && taken(this.#last);
    sources.dispose();
  }

  dispose(): void {
    tf.dispose(this.#cache.flatMap(({ k, v }) => [k, v]));
    tf.dispose([this.#mask, ...(this.#places ? [this.#places] : []), ...(this.#last ? [this.#last] : [])]);
    this.#cache = [];
    this.#last = null;
  }

  async #logits(): Promise<Float32Array> {
    const all = tf.tidy(() => logits(this.#last as tf.Tensor2D, this.#tree, this.#shape));
    const read = await all.data<'float32'>();
    all.dispose();
    return read;
  }

  /** The given positions of all rows, [B·length], and their rotary tables. */
  #at(positions: Int32Array, length: number): Placed {
    const rows = this.#contexts.count;
    const rotation = (tables: RotaryTables): Rotation => {
      const { cos, sin } = tablesAt(tables, positions);
      const shape: [number, number, number] = [rows, length, tables.headSize];
      return { cos: tf.tensor3d(cos, shape), sin: tf.tensor3d(sin, shape) };
    };
    const { whole, local } = this.#tables;
    const places = () => tf.tensor2d(Float32Array.from(positions), [rows, length]);
    return { ...rotation(whole), ...(local && { local: rotation(local) }), ...(this.#places && { places: places() }) };
  }

  /**
   * Runs the tokens `ids` [B·S] through all layers, extends the cache, and appends `mask` [B, S] to the mask of slots.
   */
  #feed(ids: tf.Tensor1D, mask: tf.Tensor2D, at: Placed): void {
    const [batch, length] = mask.shape;
    const grown: LayerCache[] = [];
    const places = this.#places && at.places ? tf.concat([this.#places, at.places], 1) : null;
    const hidden = tf.tidy(() => {
      const { numHeads: heads, numKvHeads: keyHeads, headSize: size } = this.#shape;
      const attend: Attend = (layer, qkv) => {
        const past = this.#cache[layer] as LayerCache;
        const own = splitHeads(qkv, { batch, length, heads, keyHeads, size });
        const local = localAt(this.#shape, layer);
        const rotation = rotationAt(at, local !== undefined);
        const [q, k] = [rotate(own.q, rotation), rotate(own.k, rotation)];
        grown.push({ k: tf.keep(tf.concat([past.k, k], 1)), v: tf.keep(tf.concat([past.v, own.v], 1)) });
        const pasts = { pastK: past.k, pastV: past.v, pastMask: this.#mask };
        const near = local && places ? { window: local.window, places } : undefined;
        const mixed = cachedAttentionComposed({ q, k, v: own.v, ...pasts, selfMask: mask, near });
        return tf.reshape(mixed, [batch * length, heads * size]) as tf.Tensor2D;
      };
      const all = hiddenStates(ids, { tree: this.#tree, shape: this.#shape, attend });
      const byRow = tf.reshape(all, [batch, length, -1]);
      return tf.reshape(tf.slice(byRow, [0, length - 1, 0], [batch, 1, -1]), [batch, -1]) as tf.Tensor2D;
    });
    const grownMask = tf.concat([this.#mask, mask], 1);
    tf.dispose(this.#cache.flatMap(({ k, v }) => [k, v]));
    tf.dispose([this.#mask, mask, ...(this.#places ? [this.#places] : []), ...(this.#last ? [this.#last] : [])]);
    this.#cache = grown;
    this.#mask = grownMask;
    this.#places = places;
    this.#last = hidden;
  }
}

/** The positions of some tokens of each row, and the rotary tables at these positions. */
interface Placed extends Rotations {
  /** [B, S] float32; absent if no context can be longer than the window. */
  places?: tf.Tensor2D;
}

const tensorsOf = ({ cos, sin, local, places }: Placed): tf.Tensor[] => [
  ...[cos, sin, ...(local ? [local.cos, local.sin] : [])],
  ...(places ? [places] : []),
];

/** The position of token `t` of each row. */
function nthPlace({ places, local, ...rotation }: Placed, t: number): Placed {
  const [rows] = rotation.cos.shape;
  const table = ({ cos, sin }: Rotation): Rotation => ({
    cos: tf.slice(cos, [0, t, 0], [rows, 1, -1]),
    sin: tf.slice(sin, [0, t, 0], [rows, 1, -1]),
  });
  return {
    ...{ ...table(rotation), ...(local && { local: table(local) }) },
    ...(places && { places: tf.slice(places, [0, t], [rows, 1]) }),
  };
}

/** ids [B] → [B, 1]: 1 for each row whose newest token does not end its turn, otherwise 0. */
function goesOn(ids: tf.Tensor1D, endIds: readonly number[]): tf.Tensor2D {
  const isLast = [...new Set(endIds)].map((id) => tf.cast(tf.equal(ids, tf.scalar(id, 'int32')), 'float32'));
  return tf.reshape(tf.sub(scalar(1), tf.addN(isLast)), [ids.size, 1]) as tf.Tensor2D;
}
