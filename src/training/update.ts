// The update: epochs over one collection, minibatches of whole trajectories, microbatches that keep
// the worker responsive. Loss weights are those of the whole minibatch, so how it is cut into
// microbatches changes nothing but rounding.
// total = policyLoss + vfCoef·valueLoss − entCoef·entropy + klCoef·refKl
import * as tf from '@tensorflow/tfjs-core';
import { Draws, streams } from '../base/random.ts';
import type { Config } from '../config/schema.ts';
import { applyAdamW } from '../engine/ops/adamW.ts';
import { disposeRows, rowOutputs, uploadRows } from './forward.ts';
import type { Gate } from './gate.ts';
import { refKlLoss } from './kl.ts';
import { approxKl, lossWeights, policyTensors, preparedPolicyLoss, preparePolicy, valueLoss } from './loss.ts';
import { variables, type Network } from './network.ts';
import { actionCount, selectRows, type RowBatch } from './rows.ts';

/** Further [B·T] facts of the action tokens; empty arrays where the run has no use for them. */
export interface RowFacts {
  [name: string]: Float32Array;
  advantages: Float32Array;
  returns: Float32Array;
  oldValues: Float32Array;
  refLogprobs: Float32Array;
}

export interface UpdateContext {
  config: Config;
  iteration: number;
  gate: Gate;
  /** β of the KL in the loss; 0 elsewhere. */
  klCoef: number;
  /** Action tokens of a row at most, for the constant aggregation. */
  maxActionTokens: number;
  /** Tokens (rows · columns) of one microbatch; about a tenth of a second of work on two cores when left out. */
  microbatchTokens?: number;
}

export const updateMetricNames = [
  'losses/policy_loss',
  'losses/value_loss',
  'losses/entropy',
  'losses/approx_kl',
  'losses/ref_kl',
  'losses/clipfrac',
  'losses/dual_clipfrac',
  'losses/grad_norm',
] as const;
export type UpdateMetrics = Record<(typeof updateMetricNames)[number], number>;

const usualMicrobatchTokens = 3072;

/** Step size of the next update: a linear rise over `warmupUpdates`, then constant. */
export function learningRate({ optimiser }: Config, updates: number): number {
  return optimiser.learningRate * Math.min(1, (updates + 1) / Math.max(1, optimiser.warmupUpdates));
}

/** All epochs of one iteration on one network; metrics of each optimiser step, in order. */
export async function updateNetwork(
  network: Network,
  batch: RowBatch,
  facts: RowFacts,
  context: UpdateContext,
): Promise<UpdateMetrics[]> {
  const { learning, kl } = context.config;
  const byTrajectory = new Map<number, number[]>();
  batch.trajectoryIds.forEach((id, row) => byTrajectory.set(id, [...(byTrajectory.get(id) ?? []), row]));
  const trajectoryIds = [...byTrajectory.keys()];
  const taken: tf.Tensor1D[] = [];
  for (let epoch = 0; epoch < learning.updateEpochs; epoch++) {
    const seed = context.config.run.seed;
    const order = new Draws(seed, streams.minibatches, context.iteration * 64 + epoch).shuffle([...trajectoryIds]);
    const parts = Math.min(learning.numMinibatches, order.length);
    for (let part = 0; part < parts; part++) {
      const members = order.slice(
        Math.floor((part * order.length) / parts),
        Math.floor(((part + 1) * order.length) / parts),
      );
      taken.push(
        await minibatchStep(
          network,
          { batch, facts },
          members.map((id) => byTrajectory.get(id) as number[]),
          context,
        ),
      );
    }
    if (kl.targetKl > 0 && (await newestKl(taken)) > kl.targetKl) break;
  }
  const packed = tf.stack(taken);
  const read = await packed.data<'float32'>();
  tf.dispose([...taken, packed]);
  const width = updateMetricNames.length;
  return taken.map((_, step) =>
    Object.fromEntries(updateMetricNames.map((name, i) => [name, read[step * width + i] as number])),
  ) as UpdateMetrics[];
}

async function newestKl(taken: readonly tf.Tensor1D[]): Promise<number> {
  const read = await (taken.at(-1) as tf.Tensor1D).data();
  return read[updateMetricNames.indexOf('losses/approx_kl')] as number;
}

/** One optimiser step over some trajectories (each a list of rows); its metrics as a kept tensor. */
async function minibatchStep(
  network: Network,
  all: { batch: RowBatch; facts: RowFacts },
  trajectories: readonly number[][],
  context: UpdateContext,
): Promise<tf.Tensor1D> {
  const { optimiser } = context.config;
  const trained = variables(network);
  const minibatch = selectRows(all.batch, trajectories.flat(), nonEmpty(all.facts));
  const weights = lossWeights(masksOf(minibatch.batch), policyOptions(context));
  const tokens = actionCount(minibatch.batch);
  let grads: tf.Tensor[] | null = null;
  let metrics: tf.Tensor1D | null = null;
  const size = Math.max(1, Math.floor((context.microbatchTokens ?? usualMicrobatchTokens) / minibatch.batch.length));
  for (const rows of microbatches(trajectories, size)) {
    await context.gate.pass();
    const cut = selectRows(minibatch.batch, rows, { ...minibatch.columns, ...weights });
    const result = microbatchGradient(network, cut, { context, tokens });
    grads = addAll(grads, result.grads);
    metrics = addAll(metrics && [metrics], [result.metrics])[0] as tf.Tensor1D;
  }
  const decays = trained.map(({ rank }) => (rank > 1 ? optimiser.weightDecay : 0));
  const { gradNorm } = applyAdamW(trained, grads as tf.Tensor[], network, {
    learningRate: learningRate(context.config, network.updates),
    beta1: optimiser.beta1,
    beta2: optimiser.beta2,
    eps: 1e-8,
    weightDecay: decays,
    maxGradNorm: optimiser.maxGradNorm,
    step: network.updates + 1,
  });
  network.updates++;
  const whole = tf.tidy(() => tf.concat([metrics as tf.Tensor1D, tf.reshape(gradNorm, [1])]));
  tf.dispose([...(grads as tf.Tensor[]), metrics as tf.Tensor1D, gradNorm]);
  return whole as tf.Tensor1D;
}

/** Row numbers within the minibatch: whole trajectories together, `size` rows at most where one allows it. */
function microbatches(trajectories: readonly number[][], size: number): number[][] {
  const out: number[][] = [[]];
  let row = 0;
  for (const { length: count } of trajectories) {
    const newest = out.at(-1) as number[];
    if (newest.length > 0 && newest.length + count > size) out.push([]);
    for (let i = 0; i < count; i++) (out.at(-1) as number[]).push(row++);
  }
  return out;
}

type Cut = { batch: RowBatch; columns: Record<string, Float32Array> };

/** Gradient of a microbatch's part of the loss, and of the metrics, of a minibatch of `tokens` action tokens; the caller disposes both. */
function microbatchGradient(
  network: Network,
  { batch, columns }: Cut,
  { context, tokens }: { context: UpdateContext; tokens: number },
): { grads: tf.Tensor[]; metrics: tf.Tensor1D } {
  const { learning, agents, kl } = context.config;
  const share = actionCount(batch) / tokens;
  const rows = uploadRows(batch, network.shape);
  const [B, T] = rows.shape;
  const table = (values: Float32Array | undefined) => (values ? tf.tensor2d(values, [B, T]) : null);
  const weights = { weight: columns['weight'] as Float32Array, share: columns['share'] as Float32Array };
  const prepared = policyTensors(preparePolicy(masksOf(batch), policyOptions(context), { weights }));
  const oldLogprobs = tf.tensor2d(batch.oldLogprobs, [B, T]);
  const mask = tf.tensor2d(batch.actionMask, [B, T]);
  const tokenShare = tf.tensor2d(
    batch.actionMask.map((is) => is / tokens),
    [B, T],
  );
  const advantages = table(columns['advantages']) as tf.Tensor2D;
  const returns = table(columns['returns']);
  const oldValues = table(columns['oldValues']);
  const refLogprobs = table(columns['refLogprobs']);
  let metrics: tf.Tensor1D | null = null;

  const trained = variables(network);
  const { grads, value } = tf.variableGrads(() => {
    const { logprobs, entropy, values } = rowOutputs(network, rows, agents.temperature);
    const policy = preparedPolicyLoss({ logprobs, oldLogprobs, advantages }, prepared);
    const entropyMean = tf.sum(tf.mul(entropy, tokenShare)) as tf.Scalar;
    const zero = tf.zerosLike(policy.loss);
    const fit =
      values && returns && oldValues
        ? tf.mul(valueLoss({ values, oldValues, returns, actionMask: mask }, learning), tf.scalar(share))
        : zero;
    const distance =
      refLogprobs && kl.place === 'loss'
        ? tf.mul(refKlLoss({ logprobs, refLogprobs, actionMask: mask }, kl.estimator), tf.scalar(share))
        : zero;
    const step = tf.mul(approxKl(logprobs, oldLogprobs, mask), tf.scalar(share));
    metrics = tf.keep(
      tf.stack([policy.loss, fit, entropyMean, step, distance, policy.clipFraction, policy.dualClipFraction]),
    ) as tf.Tensor1D;
    const weighed = tf.addN([
      policy.loss,
      tf.mul(fit, tf.scalar(learning.vfCoef)),
      tf.mul(entropyMean, tf.scalar(-learning.entCoef)),
      tf.mul(distance, tf.scalar(context.klCoef)),
    ]);
    return weighed as tf.Scalar;
  }, trained);
  disposeRows(rows);
  tf.dispose([prepared as unknown as tf.TensorContainer, oldLogprobs, mask, tokenShare, advantages, value]);
  tf.dispose([returns, oldValues, refLogprobs].filter((x) => x !== null));
  return { grads: trained.map(({ name }) => grads[name] as tf.Tensor), metrics: metrics as unknown as tf.Tensor1D };
}

/** Sum of two lists, the old ones freed; the new list itself where there is no old one. */
function addAll(old: tf.Tensor[] | null, more: tf.Tensor[]): tf.Tensor[] {
  if (!old) return more;
  const sums = tf.tidy(() => old.map((x, i) => tf.add(x, more[i] as tf.Tensor)));
  tf.dispose([...old, ...more]);
  return sums;
}

function masksOf(batch: RowBatch) {
  const { actionMask, turnIds, trajectoryIds, rows, length } = batch;
  return { actionMask, turnIds, trajectoryIds, shape: [rows, length] as const };
}

function policyOptions({ config, maxActionTokens }: UpdateContext) {
  return { ...config.learning, maxActionTokens };
}

const nonEmpty = (facts: RowFacts): Record<string, Float32Array> =>
  Object.fromEntries(Object.entries(facts).filter(([, values]) => values.length > 0));
