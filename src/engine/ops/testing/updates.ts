// Optimiser steps for the tests of the kernels. The steps run on the current backend.
import * as tf from '@tensorflow/tfjs-core';
import { applyAdamW } from '../adamW/adamW.ts';
import { linear } from '../linear/linear.ts';
import { opCases } from './cases.ts';
import { normals } from './numbers.ts';
import { evaluate } from './opCase.ts';

const random = (shape: number[], seed: number) =>
  tf.tensor(Float32Array.from(normals(tf.util.sizeFromShape(shape), seed)), shape);

/**
 * The variables, moments and norms after five steps. Each step has its own rates, and the last two do not clip the
 * gradient.
 */
export function fiveSteps(): tf.Tensor1D {
  const variables = [[7, 5], [3], [90, 50]].map((shape, i) => tf.variable(random(shape, i)));
  const zeros = () => variables.map((variable) => tf.variable(tf.zerosLike(variable)));
  const state = { m: zeros(), v: zeros() };
  const norms = [1, 2, 3, 4, 5].map((step) => {
    const grads = variables.map(({ shape }, i) => random(shape, 10 * i + step));
    const rates = { learningRate: 0.01 * step, beta1: 0.9, beta2: 0.95, eps: 1e-8 };
    const options = { ...rates, weightDecay: [0.1, 0, 0.2], maxGradNorm: step > 3 ? Infinity : 2, step };
    return applyAdamW(variables, grads, state, options).gradNorm;
  });
  const kept = [...variables, ...state.m, ...state.v];
  const all = tf.concat([...kept, ...norms].map((tensor) => tf.reshape(tensor, [-1])) as tf.Tensor1D[]);
  for (const variable of kept) variable.dispose();
  return all;
}

/**
 * Runs all operations with their gradients and an optimiser step, `updates` times. Returns the value of `held()` after
 * the second and after the last of these updates.
 */
export async function heldOver(updates: number, held: () => unknown): Promise<[unknown, unknown]> {
  const variable = tf.variable(random([8, 8], 1) as tf.Tensor2D);
  const state = { m: [tf.variable(tf.zeros([8, 8]))], v: [tf.variable(tf.zeros([8, 8]))] };
  const seen: unknown[] = [];
  for (let step = 1; step <= updates; step++) {
    for (const { shapes, shipped } of opCases())
      await evaluate(
        shipped,
        shapes,
        shapes.map((shape, i) => normals(tf.util.sizeFromShape(shape), i)),
      );
    tf.tidy(() => {
      const { grads } = tf.variableGrads(() => tf.sum(linear(variable, variable)) as tf.Scalar, [variable]);
      const rates = { learningRate: 0.01, beta1: 0.9, beta2: 0.95, eps: 1e-8, weightDecay: [0.1], maxGradNorm: 1 };
      applyAdamW([variable], Object.values(grads), state, { ...rates, step });
    });
    await variable.data();
    seen.push(held());
  }
  return [seen[1], seen.at(-1)];
}
