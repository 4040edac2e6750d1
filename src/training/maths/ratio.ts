// The importance ratio, which is the probability under the new policy divided by the probability under the old one. It
// is computed for a token, a turn (ReMA 2503.09501), one agent's part of a trajectory (GSPO 2507.18071), or the whole
// dialogue of all agents with the same network. In GSPO, this part is a row; in ReMA, each role also has one row. A
// span is the set of action tokens that share one ratio. The spans are computed on the host and passed to the device as
// data (`prepareSpans`). On the device, the mean over a span then needs only two small matrix products, which are
// differentiable on every backend, without gather, scatter or segment sum.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import type { RatioLevel, Surrogate, TurnMean } from '../../config/names.ts';

/**
 * Masks and ids that show to which turn and row the tokens of a batch belong, in flat arrays, row after row. shape =
 * [B, T]. A turnId of −1 means that the token belongs to no turn.
 */
export type MaskArrays = {
  actionMask: ArrayLike<number>; // [B·T] 1 where the row's agent chose the token
  turnIds: ArrayLike<number>; // [B·T] index of the turn in its trajectory
  trajectoryIds: ArrayLike<number>; // [B]
  agentIds?: ArrayLike<number>; // [B]; if absent, each row contains everything that one agent said in its trajectory
  shape: readonly [number, number];
};

/** The same masks as tensors or as arrays; [B,T], [B,T], [B], [B]. */
export type Masks = {
  actionMask: tf.Tensor | ArrayLike<number>;
  turnIds: tf.Tensor | ArrayLike<number>;
  trajectoryIds: tf.Tensor | ArrayLike<number>;
  agentIds?: tf.Tensor | ArrayLike<number>;
};

export type Logprobs = { logprobs: tf.Tensor2D; oldLogprobs: tf.Tensor2D };

export interface RatioOptions {
  /** The tokens that share a ratio: one token, a turn, an agent's part of a dialogue, or the whole dialogue. */
  ratioLevel: RatioLevel;
  /** Whether the ratio of a turn is the geometric or the arithmetic mean of the ratios of its tokens. */
  turnMean: TurnMean;
  /** The largest log-ratio before exp(). */
  logratioClamp: number;
}

/** Whether the ratio of a turn is the mean of its tokens' ratios. The ratio of GMPO is always a geometric mean. */
export const isArithmetic = (
  { ratioLevel, turnMean }: Pick<RatioOptions, 'ratioLevel' | 'turnMean'>,
  surrogate: Surrogate = 'clipped',
): boolean => ratioLevel === 'turn' && turnMean === 'arithmetic' && surrogate !== 'gmpo';

/**
 * The sizes to which minibatches are padded, so that all minibatches have the same shapes: the number K of slots for
 * spans in each row, and the number S of spans that cover several rows.
 */
export type SpanSizes = { slots?: number; links?: number };

type Grouping<Matrix> = {
  members: Matrix; // [B, K, T] 1 if token t of row b is in slot k
  inverse: Matrix; // [B, T] 1 / length of the token's span, 0 outside spans
  link: Matrix | undefined; // [S, B·K] 1 if the slot belongs to span s; undefined if every span is within one row
};

/** Spans on the host, ready to upload. `grouping` is undefined if every token is a span. */
export type SpanArrays = {
  ratioLevel: RatioLevel;
  shape: readonly [number, number];
  slots: number;
  links: number;
  actionMask: Float32Array;
  outside: Float32Array;
  grouping: Grouping<Float32Array> | undefined;
};

/** Spans on the device. The owner disposes of these tensors with `tf.dispose(spans)`. */
export type Spans = {
  ratioLevel: RatioLevel;
  actionMask: tf.Tensor2D; // [B, T]
  outside: tf.Tensor2D; // [B, T] 1 − actionMask
  grouping: Grouping<tf.Tensor> | undefined;
};

/**
 * Numbers the spans of a batch. Returns `ids` [B·T], the number of each token's span (−1 outside every span), and the
 * length of each span in tokens. At level `turn`, a span is a pair (trajectory, turn). At level `trajectory`, a span is
 * a pair (trajectory, agent), and at level `dialogue` it is the whole trajectory. A span may cover several rows. Throws
 * ShapeError if an array does not have the size given by `shape`, or if an action token belongs to no turn at level
 * `turn`.
 */
export function tokenSpans(masks: MaskArrays, level: RatioLevel): { ids: Int32Array; lengths: number[] } {
  const { actionMask, turnIds, trajectoryIds, agentIds, shape } = masks;
  const [rows, columns] = shape;
  const expect = (name: string, array: ArrayLike<number>, size: number) => {
    if (array.length === size) return;
    throw new ShapeError(
      `tokenSpans: ${name} must have ${size} entries for [${shape.join(', ')}], got ${array.length}; was the batch padded?`,
    );
  };
  expect('actionMask', actionMask, rows * columns);
  expect('turnIds', turnIds, rows * columns);
  expect('trajectoryIds', trajectoryIds, rows);
  if (agentIds) expect('agentIds', agentIds, rows);
  const partOf = (row: number, turn: number): number => {
    if (level === 'turn') return turn;
    return level === 'dialogue' ? 0 : ((agentIds ? agentIds[row] : row) as number);
  };
  const ids = new Int32Array(rows * columns).fill(-1);
  const lengths: number[] = [];
  const known = new Map<number, Map<number, number>>();
  const lookUp = (row: number, part: number): number => {
    const trajectory = trajectoryIds[row] as number;
    const ofTrajectory = known.get(trajectory) ?? new Map<number, number>();
    known.set(trajectory, ofTrajectory);
    const id = ofTrajectory.get(part) ?? lengths.push(0) - 1;
    ofTrajectory.set(part, id);
    return id;
  };
  let [id, lastRow, lastPart] = [-1, -1, -1];
  for (let at = 0; at < ids.length; at++) {
    if (!actionMask[at]) continue;
    const turn = turnIds[at] as number;
    if (level === 'turn' && turn < 0) {
      throw new ShapeError(
        `tokenSpans: turnIds must be ≥ 0 where actionMask is 1, got ${turn} at row ${Math.floor(at / columns)}, token ${at % columns}; set the turn of this token, or mask the token.`,
      );
    }
    const row = Math.floor(at / columns);
    const part = level === 'token' ? at : partOf(row, turn);
    // Neighbouring tokens usually belong to the same span, so the span is looked up only if the token and the previous
    // token belong to different rows or parts.
    if (row !== lastRow || part !== lastPart) id = level === 'token' ? lengths.push(0) - 1 : lookUp(row, part);
    lastRow = row;
    lastPart = part;
    lengths[id] = (lengths[id] as number) + 1;
    ids[at] = id;
  }
  return { ids, lengths };
}

/**
 * For each token, the mean of `column` [B·T] over the token's span; 0 outside spans. `ids` and `lengths` come from
 * `tokenSpans`.
 */
export function meansOverSpans(
  column: ArrayLike<number>,
  { ids, lengths }: ReturnType<typeof tokenSpans>,
): Float64Array {
  const sums = new Float64Array(lengths.length);
  ids.forEach((id, at) => {
    if (id >= 0) sums[id] = (sums[id] as number) + (column[at] as number);
  });
  return Float64Array.from(ids, (id) => (id < 0 ? 0 : (sums[id] as number) / (lengths[id] as number)));
}

/**
 * Computes on the host which tokens belong to which span, as input for `preparedRatio`. K and S are padded to `sizes`,
 * because a captured step needs constant shapes. If `links` is given, there is always a link matrix. Throws ShapeError
 * if a batch needs more slots or links than `sizes` allows.
 */
export function prepareSpans(masks: MaskArrays, ratioLevel: RatioLevel, sizes: SpanSizes = {}): SpanArrays {
  const [rows, columns] = masks.shape;
  const { ids, lengths } = tokenSpans(masks, ratioLevel);
  const actionMask = new Float32Array(ids.length);
  const outside = new Float32Array(ids.length);
  for (let at = 0; at < ids.length; at++) ((ids[at] as number) < 0 ? outside : actionMask)[at] = 1;
  const common = { ratioLevel, shape: masks.shape, actionMask, outside };
  if (ratioLevel === 'token') return { ...common, slots: 0, links: 0, grouping: undefined };

  const slotsOfRows = Array.from({ length: rows }, () => new Map<number, number>()); // span id to slot
  for (let at = 0; at < ids.length; at++) {
    const ofRow = slotsOfRows[Math.floor(at / columns)] as Map<number, number>;
    const id = ids[at] as number;
    if (id >= 0 && !ofRow.has(id)) ofRow.set(id, ofRow.size);
  }
  const used = slotsOfRows.reduce((most, ofRow) => Math.max(most, ofRow.size), 1);
  const pieces = slotsOfRows.reduce((sum, ofRow) => sum + ofRow.size, 0);
  const isLinked = pieces > lengths.length || sizes.links !== undefined;
  const slots = padded('slots', used, sizes.slots);
  const links = isLinked ? padded('links', Math.max(1, lengths.length), sizes.links) : 0;

  const members = new Float32Array(rows * slots * columns);
  const inverse = new Float32Array(rows * columns);
  const link = isLinked ? new Float32Array(links * rows * slots) : undefined;
  for (let at = 0; at < ids.length; at++) {
    const id = ids[at] as number;
    if (id < 0) continue;
    const row = Math.floor(at / columns);
    const slot = row * slots + (slotsOfRows[row]?.get(id) as number);
    members[slot * columns + (at % columns)] = 1;
    inverse[at] = 1 / (lengths[id] as number);
    if (link) link[id * rows * slots + slot] = 1;
  }
  return { ...common, slots, links, grouping: { members, inverse, link } };
}

function padded(name: string, needed: number, size: number | undefined): number {
  if (size !== undefined && size < needed)
    throw new ShapeError(
      `prepareSpans: ${name} must be at least ${needed} for this batch, got ${size}; pass a larger number.`,
    );
  return size ?? needed;
}

/** Uploads prepared spans. The caller must dispose of the tensors. */
export function spanTensors(arrays: SpanArrays): Spans {
  const { ratioLevel, shape, slots, links, grouping } = arrays;
  const [rows, columns] = shape;
  const flat = (array: Float32Array) => tf.tensor2d(array, [rows, columns]);
  return {
    ratioLevel,
    actionMask: flat(arrays.actionMask),
    outside: flat(arrays.outside),
    grouping: grouping && {
      members: tf.tensor3d(grouping.members, [rows, slots, columns]),
      inverse: flat(grouping.inverse),
      link: grouping.link && tf.tensor2d(grouping.link, [links, rows * slots]),
    },
  };
}

/**
 * For each token, the mean of x [B,T] over the token's span; 0 outside spans. If every token is a span, this is x·mask.
 */
export function spanMean(x: tf.Tensor2D, spans: Spans): tf.Tensor2D {
  if (!spans.grouping) return tf.mul(x, spans.actionMask);
  const { members, inverse, link } = spans.grouping;
  const [rows, slots, columns] = members.shape as [number, number, number];
  let sums: tf.Tensor = tf.matMul(members, tf.reshape(x, [rows, columns, 1])); // [B, K, 1]
  if (link) {
    const whole = tf.matMul(link, tf.reshape(sums, [rows * slots, 1])); // [S, 1]
    sums = tf.reshape(tf.matMul(link, whole, true, false), [rows, slots, 1]);
  }
  const spread = tf.matMul(members, sums, true, false); // [B, T, 1]
  return tf.mul(tf.reshape(spread, [rows, columns]), inverse);
}

interface PreparedRatioOptions {
  turnMean: TurnMean;
  logratioClamp: number | tf.Scalar;
  /** Bounds the log-ratio of each token before the mean over its span is computed; both [B,T]. */
  bound?: (logratio: tf.Tensor2D) => tf.Tensor2D;
}

/**
 * Computes `ratio` with prepared spans. If `logratioClamp` is a scalar tensor, the computation uploads no data, so that
 * the computation can be captured. The result is [B,T] and differentiable with respect to logprobs; it is 1 for masked
 * tokens.
 */
export function preparedRatio(
  { logprobs, oldLogprobs }: Logprobs,
  spans: Spans,
  { turnMean, logratioClamp, bound = (logratio) => logratio }: PreparedRatioOptions,
): tf.Tensor2D {
  return tf.tidy(() => {
    const logratio = bound(tf.mul(tf.sub(logprobs, oldLogprobs), spans.actionMask) as tf.Tensor2D);
    if (isArithmetic({ ratioLevel: spans.ratioLevel, turnMean })) {
      const ofTokens: tf.Tensor2D = tf.exp(tf.minimum(logratio, logratioClamp));
      return tf.add(spanMean(ofTokens, spans), spans.outside);
    }
    const mean = spans.grouping ? spanMean(logratio, spans) : logratio;
    return tf.exp(tf.minimum(mean, logratioClamp));
  });
}

/**
 * For each token, the ratio of its span, [B,T]. The ratio is differentiable with respect to logprobs, and 1 for masked
 * tokens. `token`: exp(logratio) · `turn` geometric: exp(mean logratio) · `turn` arithmetic: mean of exp(logratio) ·
 * `trajectory`, `dialogue`: exp(mean logratio); `logratioClamp` is an upper bound of the argument of exp. Masks that
 * are tensors are copied back to the host, so a training step prepares its spans itself and calls `preparedRatio`.
 * Throws ShapeError if the masks and logprobs differ in shape.
 */
export function ratio(batch: Logprobs & Masks, options: RatioOptions): tf.Tensor2D {
  return tf.tidy(() => {
    const spans = spanTensors(prepareSpans(maskArrays(batch, batch.logprobs.shape), options.ratioLevel));
    return preparedRatio(batch, spans, options);
  });
}

/** Copies masks to the host. If they are tensors, the call waits until the device has computed them. */
export function maskArrays(masks: Masks, shape: readonly [number, number]): MaskArrays {
  const read = (x: tf.Tensor | ArrayLike<number>) => (x instanceof tf.Tensor ? x.dataSync<'int32'>() : x);
  return {
    actionMask: read(masks.actionMask),
    turnIds: read(masks.turnIds),
    trajectoryIds: read(masks.trajectoryIds),
    ...(masks.agentIds && { agentIds: read(masks.agentIds) }),
    shape,
  };
}
