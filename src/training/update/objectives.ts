// Objectives that replace the clipped policy loss and use the same kind of rows. Imitation is the cross-entropy on the
// action tokens of chosen trajectories. Preference is DPO (2305.18290) on pairs of trajectories. These objectives have
// no entropy bonus, KL term or ratio.
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../base/errors.ts';
import type { Config } from '../../config/schema.ts';
import { scalar } from '../../engine/ops/constants.ts';
import { picksRows } from '../../engine/ops/embed/embed.ts';
import { lossFacts } from '../../engine/ops/loss/tokenLoss.ts';
import { weightedSum } from '../../engine/ops/loss/weightedSum.ts';
import type { Uploads } from '../../engine/replay.ts';
import type { Bucket } from '../rows/microbatches.ts';
import { dpoLoss, pairSigns, preferenceDelta, type PreferenceOptions, type RowPair } from '../maths/dpoLoss.ts';
import { askedInputs, rowInputs, type RowOutputs } from '../rows/forward.ts';
import { approxKl } from '../maths/loss.ts';
import { sumOver, type RowBatch } from '../rows/rows.ts';

/** The objective of a whole batch of rows. */
export type Objective =
  /** `isKept` [B] is 1 for rows that are imitated. */
  | { kind: 'imitation'; isKept: ArrayLike<number> }
  /**
   * `pairIds` [B] is −1 for rows in no pair. `sides` [B] is 1 for preferred and −1 for rejected rows. If there is no
   * reference, its log-probabilities are left out of the loss.
   */
  | { kind: 'preference'; options: PreferenceOptions; pairIds: ArrayLike<number>; sides: ArrayLike<number> };

/** The options of the preference loss in a configuration. */
export const preferenceOptions = ({ learning }: Pick<Config, 'learning'>): PreferenceOptions => ({
  kind: learning.preferenceKind,
  beta: learning.preferenceBeta,
  smoothing: learning.preferenceSmoothing,
  margin: learning.preferenceMargin,
});

/** The objective for the rows of one microbatch. */
export type PairedObjective =
  | { kind: 'imitation' }
  | { kind: 'preference'; options: PreferenceOptions; pairs: RowPair[]; /** Per minibatch. */ pairCount: number };

/**
 * Returns the unit to which each row belongs, and the indices of the rows from which something can be learned (null if
 * these are all rows). A pair needs two sides, so the rows of an agent are left out if the agent spoke in only one
 * trajectory of the pair.
 */
export function learnable(
  objective: Objective | undefined,
  { trajectoryIds }: Pick<RowBatch, 'trajectoryIds'>,
): { units: ArrayLike<number>; rows: number[] | null } {
  if (!objective) return { units: trajectoryIds, rows: null };
  const all = [...trajectoryIds.keys()];
  if (objective.kind === 'imitation') {
    const rows = all.filter((row) => objective.isKept[row]);
    return { units: rows.map((row) => trajectoryIds[row] as number), rows };
  }
  const { pairIds, sides } = objective;
  if (pairIds.length !== trajectoryIds.length || sides.length !== trajectoryIds.length)
    throw new ShapeError(
      `preference: expected a pair and a side for each of ${trajectoryIds.length} rows, got ${pairIds.length} and ${sides.length}.`,
    );
  const seen = (side: number) => new Set(all.filter((row) => sides[row] === side).map((row) => pairIds[row] as number));
  const [preferred, rejected] = [seen(1), seen(-1)];
  const rows = all.filter((row) => {
    const pair = pairIds[row] as number;
    return pair >= 0 && preferred.has(pair) && rejected.has(pair);
  });
  return { units: rows.map((row) => pairIds[row] as number), rows };
}

/** The objective for some rows of a batch, in the order of these rows. */
export function cutObjective(objective: Objective, rows: readonly number[]): Objective {
  const cut = (from: ArrayLike<number>) => rows.map((row) => from[row] as number);
  if (objective.kind === 'imitation') return { ...objective, isKept: cut(objective.isKept) };
  return { ...objective, pairIds: cut(objective.pairIds), sides: cut(objective.sides) };
}

/** Selects the rows from which the objective can learn. Without an objective, all given rows are selected. */
export function rowsToLearn(
  objective: Objective | undefined,
  { trajectoryIds }: Pick<RowBatch, 'trajectoryIds'>,
  rows: readonly number[],
): readonly number[] {
  if (!objective) return rows;
  const own = { trajectoryIds: Int32Array.from(rows, (row) => trajectoryIds[row] as number) };
  return (learnable(cutObjective(objective, rows), own).rows ?? []).map((i) => rows[i] as number);
}

/** The objective for the given rows of a microbatch. `unitCount` is the number of pairs in the minibatch. */
export function objectiveOfRows(
  objective: Objective | undefined,
  rows: readonly number[],
  unitCount: number,
): PairedObjective | null {
  if (!objective) return null;
  if (objective.kind === 'imitation') return { kind: 'imitation' };
  const pairs = new Map<number, { winner: number[]; loser: number[] }>();
  rows.forEach((row, i) => {
    const id = objective.pairIds[row] as number;
    const pair = pairs.get(id) ?? { winner: [], loser: [] };
    pairs.set(id, pair);
    (objective.sides[row] === 1 ? pair.winner : pair.loser).push(i);
  });
  return { kind: 'preference', options: objective.options, pairs: [...pairs.values()], pairCount: unitCount };
}

/** The arrays that are uploaded for a padded microbatch, and everything else on which its computation depends. */
export function objectiveUploads(
  objective: PairedObjective,
  batch: RowBatch,
  {
    facts,
    bucket,
    isShared,
  }: { facts: Partial<Record<(typeof lossFacts)[number], Float32Array>>; bucket: Bucket; isShared: boolean },
): { key: string; uploads: Uploads } {
  const shape = [batch.rows, batch.length];
  const column = (values: Float32Array | undefined) => ({
    values: values ?? new Float32Array(batch.ids.length),
    shape,
  });
  const rows: Uploads = {
    ...rowInputs(batch),
    ...(picksRows() && askedInputs(batch, { isShared })),
    tokenShare: column(facts.tokenShare),
    oldLogprobs: column(facts.oldLogprobs),
  };
  if (objective.kind === 'imitation') return { key: `imitation ${shape.join(' ')}`, uploads: rows };
  const { options, pairs, pairCount } = objective;
  const count = bucket.count(pairs.length);
  const signs = new Float32Array(count * batch.rows);
  const tokenCounts = Float64Array.from({ length: batch.rows }, (_, row) =>
    sumOver(batch.actionMask, [row], batch.length),
  );
  signs.set(pairSigns(pairs, tokenCounts, options.kind));
  const weights = Float32Array.from({ length: count }, (_, p) => (p < pairs.length ? 1 / pairCount : 0));
  return {
    key: ['preference', ...shape, count, ...Object.values(options), !facts.refLogprobs].join(' '),
    uploads: {
      ...rows,
      signs: { values: signs, shape: [count, batch.rows] },
      weights: { values: weights, shape: [count] },
      ...(facts.refLogprobs && { refLogprobs: column(facts.refLogprobs) }),
    },
  };
}

/**
 * The loss, and the metrics in the order of `lossTerms`. Metrics that this objective does not have are 0. This function
 * uploads no data, so that it can be recorded.
 */
export function objectiveLoss(
  { logprobs, entropy }: RowOutputs,
  objective: PairedObjective,
  inputs: Record<string, tf.Tensor>,
): { total: tf.Scalar; metrics: tf.Tensor1D } {
  const input = (name: string) => inputs[name] as tf.Tensor2D;
  const tokenShare = input('tokenShare');
  const actionMask = tf.cast(tf.greater(tokenShare, tf.zerosLike(tokenShare)), 'float32') as tf.Tensor2D;
  const refLogprobs = (inputs['refLogprobs'] as tf.Tensor2D | undefined) ?? null;
  const total =
    objective.kind === 'imitation'
      ? (tf.neg(weightedSum(logprobs, tokenShare)) as tf.Scalar)
      : dpoLoss(
          preferenceDelta({ logprobs, refLogprobs, actionMask }, input('signs')),
          objective.options,
          inputs['weights'] as tf.Tensor1D,
        );
  const moved = tf.mul(approxKl(logprobs, input('oldLogprobs'), actionMask), tf.sum(tokenShare));
  const none = scalar(0);
  const terms = [total, total, none, weightedSum(entropy, tokenShare), moved, none, none, none];
  return { total, metrics: tf.keep(tf.stack(terms)) as tf.Tensor1D };
}
