// The optimiser step over all variables in one kernel: it computes the norm of the whole gradient, clips the gradient,
// and updates the variables in place. The inputs are in this order: parameters, gradients, first moments, second
// moments. The outputs are the norm, then parameters and moments. If something else refers to the memory of a tensor,
// the tensor is copied first, so that its old values remain there.
import type * as tf from '@tensorflow/tfjs-core';
import type { AdamWOptions } from './adamW.ts';
import { declare, sizeOf } from '../../simd/kernel.ts';

export const adamWKernels = [
  declare('AdamW', ({ inputs, attrs, backend }) => {
    const { wasm } = backend;
    const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm, step } = attrs as unknown as AdamWOptions;
    const count = weightDecay.length;
    const list = (part: number) => weightDecay.map((_, i) => inputs[part * count + i] as tf.TensorInfo);
    const grads = list(1);
    let squares = 0;
    for (const grad of grads) squares += wasm.squaredNorm(backend.address(grad), sizeOf(grad));
    const norm = Math.sqrt(squares);
    const clip = maxGradNorm < Infinity ? Math.min(1, maxGradNorm / (norm + 1e-6)) : 1;
    const gradNorm = backend.allocate([]);
    backend.view(gradNorm.info)[0] = norm;
    const [p, m, v] = [0, 2, 3].map((part) => list(part).map((info) => backend.writable(info))) as [
      Written[],
      Written[],
      Written[],
    ];
    const rates = [clip, beta1, 1 - beta1, beta2, 1 - beta2] as const;
    const stepSize = learningRate / (1 - beta1 ** step);
    const root = 1 / Math.sqrt(1 - beta2 ** step);
    grads.forEach((grad, i) => {
      const [from, to, first, second] = [backend.address(grad), ...[p, m, v].map((all) => all[i]?.address)] as Four;
      const keep = 1 - learningRate * (weightDecay[i] as number);
      wasm.adamW(to, from, first, second, sizeOf(grad), ...rates, keep, stepSize, root, eps);
    });
    return [gradNorm.info, ...[p, m, v].flat().map(({ info }) => info)];
  }),
];

type Four = [number, number, number, number];

interface Written {
  info: tf.TensorInfo;
  address: number;
}
