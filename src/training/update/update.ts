// The update runs several epochs over the dialogues of an iteration. An epoch is divided into minibatches of whole
// trajectories, and these into microbatches, so that the worker stays responsive. The weights of tokens in the loss are
// computed for the whole minibatch, so the division into microbatches changes only the rounding. The loss itself is in
// gradient.ts.
import * as tf from '@tensorflow/tfjs-core';
import { placesByKey } from '../../base/groups.ts';
import { Draws, streams } from '../../base/random.ts';
import type { Config } from '../../config/schema.ts';
import { sharesBeginnings } from '../../model/network/beginnings.ts';
import { bucketOf, padRows, steadyBucket, updateTokens } from '../rows/microbatches.ts';
import type { Gate } from '../team/gate.ts';
import { microbatchGradient, microbatchWork } from './gradient.ts';
import { hasBonus, livingUnits, tiedRows } from './livingRows.ts';
import { lossWeights, partCount } from '../maths/loss.ts';
import { variables, type Network } from '../team/network.ts';
import { learnable, objectiveOfRows, type Objective } from './objectives.ts';
import { adamWOf, muonOf, optimiserStep, StepMetrics, type Microbatch } from './optimiserStep.ts';
import { actionCount, masksOf, selectRows, sumOver, type RowBatch } from '../rows/rows.ts';

/** Additional arrays [B·T] with facts about the action tokens. An array may be absent or empty if it is not needed. */
export interface RowFacts {
  advantages: Float32Array;
  returns: Float32Array;
  oldValues: Float32Array;
  refLogprobs: Float32Array;
}

export interface UpdateContext {
  config: Config;
  iteration: number;
  gate: Gate;
  /** β of the KL in the loss; 0 if the loss contains no KL. */
  klCoef: number;
  /** The maximum number of action tokens in a row, which the constant aggregation uses. */
  maxActionTokens: number;
  /** The number of tokens (rows · columns) of one microbatch. The default is in microbatches.ts. */
  microbatchTokens?: number;
  /** The objective that is used instead of the clipped policy loss and its value, entropy and KL terms. */
  objective?: Objective;
  /** Receives the number of action tokens from which each step learns. */
  onTrained?: (tokens: number) => void;
}

/**
 * The names of the metrics of a step. The first of them are the metrics that `optimiserStep` returns, in the same
 * order. The values of the others are known before the step.
 */
export const updateMetricNames = [
  'losses/policy_loss',
  'losses/value_loss',
  'losses/entropy',
  'losses/approx_kl',
  'losses/ref_kl',
  'losses/clipfrac',
  'losses/dual_clipfrac',
  'losses/grad_norm',
  'charts/rows_left_out',
] as const;
export type UpdateMetrics = Record<(typeof updateMetricNames)[number], number>;

/**
 * Runs all epochs of one iteration on one network. Returns the metrics of each optimiser step in order; the list is
 * empty if nothing can be learned.
 */
export async function updateNetwork(
  network: Network,
  batch: RowBatch,
  facts: Partial<RowFacts>,
  context: UpdateContext,
): Promise<UpdateMetrics[]> {
  const { learning, kl } = context.config;
  const { units, rows } = learnable(context.objective, batch);
  if (units.length === 0) return [];
  const metrics = new StepMetrics();
  const leftOut: number[] = [];
  let steps;
  try {
    for (let epoch = 0; epoch < learning.updateEpochs; epoch++) {
      const isRead = kl.targetKl > 0 || epoch === learning.updateEpochs - 1;
      const minibatches = minibatchesOf(units, context, epoch);
      for (const members of minibatches) {
        const chosen = rows ? members.map((unit) => unit.map((i) => rows[i] as number)) : members;
        const onTaken = (taken: tf.Tensor1D) => metrics.add(taken, isRead && members === minibatches.at(-1));
        leftOut.push(await minibatchStep(network, { batch, facts }, chosen, { ...context, onTaken }));
      }
      if (kl.targetKl > 0 && ((await metrics.read()).at(-1)?.[klPlace] as number) > kl.targetKl) break;
    }
    steps = await metrics.read();
  } finally {
    metrics.dispose();
  }
  return steps.map((step, s) =>
    Object.fromEntries(updateMetricNames.map((name, i) => [name, step[i] ?? leftOut[s]])),
  ) as UpdateMetrics[];
}

const klPlace = updateMetricNames.indexOf('losses/approx_kl');

/**
 * The minibatches of an epoch. Each minibatch is a list of units (such as trajectories), and each unit is a list of its
 * rows. Units are never split. `unitIds` [B] contains the unit of each row.
 */
export function minibatchesOf(
  unitIds: ArrayLike<number>,
  { config, iteration }: Pick<UpdateContext, 'config' | 'iteration'>,
  epoch: number,
): number[][][] {
  const rowsOf = placesByKey(Array.from(unitIds));
  const draws = new Draws(config.run.seed, streams.minibatches, iteration * 64 + epoch);
  const order = draws.shuffle([...rowsOf.keys()]);
  const parts = Math.min(config.learning.numMinibatches, order.length);
  return Array.from({ length: parts }, (_, part) =>
    order
      .slice(Math.floor((part * order.length) / parts), Math.floor(((part + 1) * order.length) / parts))
      .map((id) => rowsOf.get(id) as number[]),
  );
}

/**
 * Takes one optimiser step over some trajectories, each of which is a list of rows. `onTaken` receives the tensor with
 * the metrics of the step and must dispose of it. Returns the share of the trajectories' rows that had no gradient and
 * were left out.
 */
async function minibatchStep(
  network: Network,
  collected: { batch: RowBatch; facts: Partial<RowFacts> },
  trajectories: readonly number[][],
  context: UpdateContext & { onTaken: (metrics: tf.Tensor1D) => void },
): Promise<number> {
  const { config } = context;
  const chosen = trajectories.flat();
  const minibatch = selectRows(collected.batch, chosen, nonEmpty(collected.facts));
  const masks = masksOf(minibatch.batch);
  const { weight, share } = lossWeights(masks, policyOptions(context));
  const tokens = actionCount(minibatch.batch);
  const tokenShare = minibatch.batch.actionMask.map((is) => is / tokens);
  const places = numbered(trajectories);
  const tied = context.objective?.kind === 'preference' ? places : tiedRows(places, minibatch.batch, config);
  const size = sizeOf(network, minibatch.batch, context);
  // If rows have no common ratio, the rows of a trajectory may be in different microbatches. This keeps microbatches
  // small, because long dialogues have large rows, and dialogues with fresh contexts have many rows.
  const isParted = partCount(masks) < minibatch.batch.rows || places.some((rows) => rows.length > size);
  const all = tied ?? (isParted ? places.flat().map((row) => [row]) : places);
  const units = livingUnits(all, minibatch, { context, isTied: tied !== null });
  const rows = units.flat();
  const leftOut = 1 - rows.length / chosen.length;
  // Metrics are averaged over the remaining tokens or spans only. The weights of the policy loss do not change.
  const left = (column: Float32Array) => (leftOut > 0 ? sumOver(column, rows, minibatch.batch.length) : 1);
  const [learnedShare, spanShare] = [left(tokenShare), left(share)];
  const columns = {
    ...minibatch.columns,
    weight,
    share: share.map((x) => x / spanShare),
    tokenShare: tokenShare.map((x) => x / learnedShare),
  };
  context.onTrained?.(Math.round(tokens * learnedShare));
  const bonusShare = hasBonus(minibatch, rows, config) ? learnedShare : 0;
  const learning = { ...config.learning, entCoef: config.learning.entCoef * bonusShare };
  const usual = bucketOf(tf.getBackend());
  const isShared = sharesBeginnings(network.shape);
  const bucket = leftOut > 0 ? steadyBucket(usual, Math.min(size, chosen.length)) : usual;
  const microbatches = inMicrobatches(units, size).map((own): Microbatch => {
    const cut = selectRows(minibatch.batch, own, columns);
    const facts = { ...cut.columns, oldLogprobs: cut.batch.oldLogprobs };
    const padded = padRows(cut.batch, facts, bucket);
    const klCoef = config.kl.place === 'loss' ? context.klCoef : null;
    const ofAll = own.map((row) => chosen[row] as number);
    const objective = objectiveOfRows(context.objective, ofAll, trajectories.length);
    const given = { batch: padded.batch, facts: padded.columns, ...(objective && { objective }) };
    const work = microbatchWork(given, { config: { ...config, learning }, klCoef, bucket, isShared });
    return { ...work, gradient: (inputs) => microbatchGradient(network, work, { config, inputs }) };
  });
  await optimiserStep(network, microbatches, {
    trained: variables(network),
    options: adamWOf(network, config),
    muon: muonOf(network, config),
    gate: context.gate,
    onTaken: context.onTaken,
  });
  network.updates++;
  return leftOut;
}

/** Replaces the row indices of each trajectory with their indices within the minibatch. */
function numbered(trajectories: readonly number[][]): number[][] {
  let next = 0;
  return trajectories.map((rows) => rows.map(() => next++));
}

/** The number of rows in a microbatch. */
function sizeOf(network: Network, batch: RowBatch, { microbatchTokens }: UpdateContext): number {
  const tokens = microbatchTokens ?? updateTokens(network, batch.length);
  return Math.max(1, Math.floor(tokens / batch.length));
}

/**
 * Groups rows into microbatches without splitting a unit. A microbatch has at most `size` rows, unless a single unit
 * has more.
 */
function inMicrobatches(units: readonly number[][], size: number): number[][] {
  const out: number[][] = [[]];
  for (const unit of units) {
    const newest = out.at(-1) as number[];
    if (newest.length > 0 && newest.length + unit.length > size) out.push([]);
    out.at(-1)?.push(...unit);
  }
  return out;
}

function policyOptions({ config, maxActionTokens }: UpdateContext) {
  return { ...config.learning, maxActionTokens };
}

const nonEmpty = (facts: Partial<RowFacts>): Record<string, Float32Array> =>
  Object.fromEntries(Object.entries(facts).filter(([, values]) => values.length > 0));
