// Takes one step of the optimiser with the gradients of one or more microbatches. Each computation has fixed shapes and
// depends only on uploaded numbers, so that a backend can record and replay it. With one microbatch, gradient and
// update are a single computation. With several microbatches, their gradients are first added up in a buffer, and then
// the update is computed.
import * as tf from '@tensorflow/tfjs-core';
import { NumericsError } from '../../base/errors.ts';
import { spoken } from '../../base/spoken.ts';
import { mean } from '../../base/stats.ts';
import { adamWRateCount, adamWRates, applyAdamW, type AdamWOptions } from '../../engine/ops/adamW/adamW.ts';
import { flatVariables } from '../../engine/flat.ts';
import { lossAndGradients } from '../../engine/gradients.ts';
import { addInto, copyInto } from '../../engine/ops/inPlace/inPlace.ts';
import { hasKernel } from '../../engine/ops/kernel.ts';
import { applyMuon, muonRates, type MuonOptions } from '../../engine/ops/muon/muon.ts';
import { copyOf, readTogether, type Compute, type Uploads } from '../../engine/replay.ts';
import type { Config } from '../../config/schema.ts';
import type { Gate } from '../team/gate.ts';
import { variables, type Network } from '../team/network.ts';

/** The number of metrics that a microbatch returns. */
export const metricCount = 7;

export interface Microbatch {
  /**
   * A text that identifies the computation `gradient`. Microbatches with equal keys differ only in the uploaded
   * numbers.
   */
  key: string;
  uploads: Uploads;
  /**
   * Computes metrics [7] and the gradient of each trained variable from the uploaded tensors. The results of all
   * microbatches of a step are added up.
   */
  gradient: (inputs: Record<string, tf.Tensor>) => tf.Tensor[];
}

/**
 * The result of a microbatch whose only metric is the loss: the metrics, of which the first is the loss and the others
 * are 0, and then the gradients.
 */
export function lossGradient(loss: () => tf.Scalar, trained: tf.Variable[]): tf.Tensor[] {
  const { grads, value } = lossAndGradients(loss, trained);
  const metrics = tf.tidy(() => tf.pad(tf.reshape(value, [1]), [[0, metricCount - 1]]));
  value.dispose();
  // Variables on which the loss does not depend have gradient 0. For example, a separate output matrix for the
  // vocabulary has gradient 0 if the loss contains only values.
  return [metrics, ...trained.map((variable) => grads[variable.name] ?? tf.zerosLike(variable))];
}

export interface StepOptions {
  /** The variables that this step updates: the first of the network's variables, in the same order. */
  trained: tf.Variable[];
  /** The options of AdamW for the trained variables, except `rates`, which `optimiserStep` sets. */
  options: AdamWOptions;
  /** The options of Muon for the matrices that it updates instead of AdamW; absent if AdamW updates all variables. */
  muon?: MuonStep | null;
  gate: Gate;
  /**
   * Called with the metrics before the step is submitted to the device, so that a read that is requested here is
   * submitted together with the step.
   */
  onTaken?: (metrics: tf.Tensor1D) => void;
}

export interface MuonStep extends MuonOptions {
  /** For each trained variable, whether Muon updates it. */
  isMatrix: readonly boolean[];
}

/**
 * Takes the step and changes the network in place. Returns a tensor [8] with the summed metrics and the norm of the
 * gradient. The caller must dispose of this tensor.
 */
export async function optimiserStep(
  network: Network,
  microbatches: readonly Microbatch[],
  { trained, options, muon, gate, onTaken }: StepOptions,
): Promise<tf.Tensor1D> {
  const rates: Uploads = {
    rates: { values: adamWRates(options), shape: [adamWRateCount] },
    ...(muon && { muonRates: { values: muonRates(muon), shape: [2] } }),
  };
  const baked = `${String(trained.length)} ${[...new Set(options.weightDecay)].join(' ')}${muon ? ' muon' : ''}`;
  const update = ([metrics, ...grads]: readonly tf.Tensor[], inputs: Record<string, tf.Tensor>) => {
    const gradNorm = moveBy(grads, inputs, { network, trained, options, ...(muon && { muon }) });
    return [tf.concat([metrics as tf.Tensor1D, tf.reshape(gradNorm, [1])])];
  };
  const [only, ...more] = microbatches as [Microbatch, ...Microbatch[]];
  if (more.length === 0) {
    await gate.pass();
    const key = `${only.key}, update ${baked}`;
    const uploads = { ...only.uploads, ...rates };
    return take(network, { key, uploads, compute: (inputs) => update(only.gradient(inputs), inputs) }, onTaken);
  }
  for (const microbatch of microbatches) {
    await gate.pass();
    const place = microbatch === only ? 'first' : 'next';
    const sum = (inputs: Record<string, tf.Tensor>) => {
      accumulate(network, microbatch.gradient(inputs), place === 'first');
      return [];
    };
    network.replays.run(`${microbatch.key}, ${place}`, microbatch.uploads, sum).release();
  }
  const sums = gradientSums(network).slice(0, 1 + trained.length);
  return take(network, { key: `update ${baked}`, uploads: rates, compute: (inputs) => update(sums, inputs) }, onTaken);
}

/** Updates all trained variables, with Muon or AdamW. Returns the norm of the whole gradient. */
function moveBy(
  grads: readonly tf.Tensor[],
  inputs: Record<string, tf.Tensor>,
  { network, trained, options, muon }: Pick<StepOptions, 'trained' | 'options' | 'muon'> & { network: Network },
): tf.Tensor {
  const isMatrix = muon?.isMatrix ?? trained.map(() => false);
  const matrices = <T>(all: readonly T[]): T[] => all.filter((_, i) => isMatrix[i] === true);
  const others = <T>(all: readonly T[]): T[] => all.filter((_, i) => isMatrix[i] === false);
  const byAdamW = () => {
    const data = { ...options, weightDecay: others(options.weightDecay), rates: inputs['rates'] as tf.Tensor1D };
    return applyAdamW(others(trained), others(grads), { m: others(network.m), v: others(network.v) }, data).gradNorm;
  };
  if (!muon) return byAdamW();
  const given = { grads: matrices(grads), m: matrices(network.m), rates: inputs['muonRates'] as tf.Tensor1D };
  const squares = applyMuon(matrices(trained), given);
  return tf.sqrt(isMatrix.includes(false) ? tf.add(squares, tf.square(byAdamW())) : squares);
}

/** Runs the last computation of a step and copies its only output, because the next replay overwrites this output. */
function take(
  { replays }: Network,
  { key, uploads, compute }: { key: string; uploads: Uploads; compute: Compute<tf.Tensor[]> },
  onTaken?: (metrics: tf.Tensor1D) => void,
): tf.Tensor1D {
  return replays.together(() => {
    const { outputs, release } = replays.run(key, uploads, compute);
    const metrics = copyOf(outputs[0] as tf.Tensor1D);
    release();
    onTaken?.(metrics);
    return metrics;
  });
}

function accumulate(network: Network, parts: readonly tf.Tensor[], isFirst: boolean): void {
  const sums = gradientSums(network);
  parts.forEach((part, i) => {
    const sum = sums[i] as tf.Variable;
    if (hasKernel('AddInto')) (isFirst ? copyInto : addInto)(sum, part);
    else sum.assign(isFirst ? part.clone() : tf.add(sum, part));
  });
}

/**
 * The variables in which metrics and gradients are added up over microbatches: first the metrics, then the gradient of
 * each variable. These variables are created at the first call and are freed together with the network.
 */
function gradientSums(network: Network): tf.Variable[] {
  const shapes = () => [[metricCount], ...variables(network).map(({ shape }) => shape)];
  network.sums ??= flatVariables(
    shapes().map((shape) => ({ shape, values: new Float32Array(tf.util.sizeFromShape(shape)) })),
  );
  return network.sums;
}

/**
 * The learning rate of the next optimiser step. The learning rate rises linearly to `rate` over `warmupUpdates` steps
 * and is then constant.
 */
export function learningRate({ optimiser }: Config, updates: number, rate = optimiser.learningRate): number {
  return rate * Math.min(1, (updates + 1) / Math.max(1, optimiser.warmupUpdates));
}

/** The options of AdamW for the next step of a network. `rate` can replace the run's learning rate. */
export function adamWOf(network: Network, config: Config, rate?: number): AdamWOptions {
  const { beta1, beta2, weightDecay, maxGradNorm } = config.optimiser;
  const rates = { learningRate: learningRate(config, network.updates, rate), beta1, beta2, weightDecay, maxGradNorm };
  return adamW(variables(network), { ...rates, step: network.updates + 1 });
}

/**
 * The options of Muon for the next step of a network, and the variables that Muon updates: the projection matrices, or
 * all adapters. The result is null if AdamW updates all variables.
 */
export function muonOf(network: Network, config: Config): MuonStep | null {
  const { optimiser } = config;
  if (optimiser.method !== 'muon') return null;
  const { tree, adapter } = network;
  const names = [...tree.keys()];
  const isMatrix = variables(network).map((_, i) => (adapter ? true : (names[i]?.endsWith('_proj.weight') ?? false)));
  const rate = learningRate(config, network.updates, optimiser.muonRate);
  return { isMatrix, rate, weightDecay: optimiser.weightDecay };
}

/** The options of AdamW for some variables. Weight decay applies only to matrices. */
export function adamW(
  trained: readonly tf.Variable[],
  { weightDecay, ...rates }: Omit<AdamWOptions, 'eps' | 'weightDecay'> & { weightDecay: number },
): AdamWOptions {
  return { ...rates, eps: 1e-8, weightDecay: trained.map(({ rank }) => (rank > 1 ? weightDecay : 0)) };
}

/**
 * Reads back the metrics of optimiser steps. The metrics stay on the device until they are needed. Then a single read
 * returns the metrics of all steps so far. This read is submitted to the device together with the newest step.
 */
export class StepMetrics {
  readonly #taken: tf.Tensor1D[] = [];
  #reading: Promise<Float32Array> | null = null;

  /**
   * Adds the metrics of a step, float32 [n]. This object will free the tensor. With `isRead`, a read of all metrics so
   * far is started.
   */
  add(metrics: tf.Tensor1D, isRead: boolean): void {
    this.#taken.push(metrics);
    if (isRead) this.#reading = readTogether(this.#taken);
  }

  /**
   * The n numbers of each step in order, up to the newest step that was read. The list is empty before the first read.
   */
  async read(): Promise<number[][]> {
    const numbers = Array.from((await this.#reading) ?? []);
    const width = this.#taken[0]?.size ?? 1;
    return Array.from({ length: numbers.length / width }, (_, i) => numbers.slice(i * width, (i + 1) * width));
  }

  dispose(): void {
    tf.dispose(this.#taken);
  }
}

/**
 * Takes one step for each batch and returns the mean of the losses. The loss of a step is the first of the metrics that
 * the step returns.
 */
export async function meanLoss<T>(batches: readonly T[], step: (batch: T) => Promise<tf.Tensor1D>): Promise<number> {
  const metrics = new StepMetrics();
  try {
    for (const [i, batch] of batches.entries()) metrics.add(await step(batch), i === batches.length - 1);
    return mean((await metrics.read()).map(([loss]) => loss as number));
  } finally {
    metrics.dispose();
  }
}

/**
 * Throws NumericsError if a metric of an iteration (from 0) is not finite. `rate` is the name of the setting that
 * should be lowered.
 */
export function expectFinite(
  name: string,
  value: number,
  { iteration, rate }: { iteration: number; rate: string },
): void {
  if (Number.isFinite(value)) return;
  throw new NumericsError(
    spoken`${name} is ${value} at iteration ${iteration + 1}. The last stored checkpoint is intact: resume from it with a lower ${rate}.`,
  );
}
