// AdamW with decoupled weight decay (Loshchilov & Hutter 2019), in PyTorch's formula, after the gradient was clipped by
// its global norm:
//   scale = min(1, maxGradNorm / (‖g‖ + 1e-6))
//   p ← p·(1 − lr·decay) − lr/(1 − β1ᵗ) · m / (√v/√(1 − β2ᵗ) + ε)
import * as tf from '@tensorflow/tfjs-core';
import { ShapeError } from '../../../base/errors.ts';
import { scalar } from '../constants.ts';
import { hasKernel, runKernels } from '../kernel.ts';

export interface AdamWOptions {
  /** > 0 */
  learningRate: number;
  beta1: number;
  beta2: number;
  eps: number;
  /** one rate for each variable */
  weightDecay: readonly number[];
  /** The maximum norm of the whole gradient; Infinity switches clipping off. */
  maxGradNorm: number;
  /** The number of this update, starting at 1. */
  step: number;
  /**
   * The numbers of `adamWRates` as a tensor, [9] float32. If it is given, a kernel in a replayed recording reads the
   * rates only from this tensor.
   */
  rates?: tf.Tensor1D;
}

/** Numbers in `adamWRates`. */
export const adamWRateCount = 9;

/**
 * All numbers that change from step to step, [9]. The maximum norm is limited to a finite number, because WGSL does not
 * guarantee Infinity.
 */
export function adamWRates({ learningRate, beta1, beta2, eps, maxGradNorm, step }: AdamWOptions): Float32Array {
  const stepSize = learningRate / (1 - beta1 ** step);
  const inverseRoot = 1 / Math.sqrt(1 - beta2 ** step);
  const bound = Math.min(maxGradNorm, 1e38);
  return Float32Array.of(learningRate, stepSize, inverseRoot, beta1, 1 - beta1, beta2, 1 - beta2, eps, bound);
}

/**
 * The first and second moments of AdamW. For each parameter, `m` and `v` contain one variable each, with the shape of
 * the parameter and initially zero.
 */
export interface AdamWState {
  m: tf.Variable[];
  v: tf.Variable[];
}

/**
 * Updates every variable and its moments once. The gradients are not disposed.
 * @returns the norm of the whole gradient before clipping; the caller disposes it
 * @throws ShapeError if the lengths of the lists or the shapes differ
 */
export function applyAdamW(
  variables: tf.Variable[],
  grads: tf.Tensor[],
  state: AdamWState,
  options: AdamWOptions,
): { gradNorm: tf.Scalar } {
  expectLists(variables, grads, state, options);
  return { gradNorm: tf.tidy(() => (hasKernel('AdamW') ? fused : composed)(variables, grads, state, options)) };
}

function fused(variables: tf.Variable[], grads: tf.Tensor[], { m, v }: AdamWState, options: AdamWOptions): tf.Scalar {
  const { rates, ...attrs } = options;
  const inputs = Object.fromEntries([...variables, ...grads, ...m, ...v].map((tensor, i) => [i, tensor]));
  const [gradNorm, ...next] = runKernels('AdamW', { ...inputs, ...(rates && { rates }) }, attrs);
  [...variables, ...m, ...v].forEach((variable, i) => {
    variable.assign(next[i] as tf.Tensor);
  });
  return gradNorm as tf.Scalar;
}

function composed(variables: tf.Variable[], grads: tf.Tensor[], state: AdamWState, options: AdamWOptions): tf.Scalar {
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm, step } = options;
  // tf.addN is not used, because one program binds all inputs of tf.addN. If there are more inputs than the device can
  // bind, this program is invalid and returns zeros without an error.
  const squares = tf.concat(grads.map((grad) => tf.reshape(tf.sum(tf.square(grad)), [1])));
  const gradNorm = tf.sqrt(tf.sum(squares)) as tf.Scalar;
  const isClipped = maxGradNorm < Infinity;
  const scale = isClipped
    ? tf.minimum(scalar(1), tf.div(scalar(maxGradNorm), tf.add(gradNorm, scalar(1e-6))))
    : scalar(1);
  // These numbers change from step to step, so they are not stored as constants.
  const stepSize = tf.scalar(learningRate / (1 - beta1 ** step));
  const inverseRoot = tf.scalar(1 / Math.sqrt(1 - beta2 ** step));
  variables.forEach((variable, i) => {
    const grad = isClipped ? tf.mul(grads[i] as tf.Tensor, scale) : (grads[i] as tf.Tensor);
    const m = state.m[i] as tf.Variable;
    const v = state.v[i] as tf.Variable;
    m.assign(tf.add(tf.mul(m, scalar(beta1)), tf.mul(grad, scalar(1 - beta1))));
    v.assign(tf.add(tf.mul(v, scalar(beta2)), tf.mul(tf.square(grad), scalar(1 - beta2))));
    const root = tf.add(tf.mul(tf.sqrt(v), inverseRoot), scalar(eps));
    const decay = weightDecay[i] as number;
    const kept = decay === 0 ? variable : tf.mul(variable, tf.scalar(1 - learningRate * decay));
    variable.assign(tf.sub(kept, tf.div(tf.mul(m, stepSize), root)));
  });
  return gradNorm;
}

function expectLists(variables: tf.Variable[], grads: tf.Tensor[], state: AdamWState, options: AdamWOptions): void {
  const lists = { grads, 'state.m': state.m, 'state.v': state.v };
  for (const [label, list] of Object.entries({ ...lists, weightDecay: options.weightDecay }))
    if (list.length !== variables.length)
      throw new ShapeError(
        `applyAdamW: ${label} must have ${String(variables.length)} entries, one for each variable, got ${String(list.length)}; keep the lists in the same order.`,
      );
  variables.forEach((variable, i) => {
    for (const [label, list] of Object.entries(lists))
      if (!tf.util.arraysEqual((list[i] as tf.Tensor).shape, variable.shape))
        throw new ShapeError(
          `applyAdamW: ${label}[${String(i)}] must be [${variable.shape.join(', ')}], got [${(list[i] as tf.Tensor).shape.join(', ')}]; keep the lists in the same order.`,
        );
  });
}
