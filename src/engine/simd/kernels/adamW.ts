// The optimiser step over all variables in one kernel: norm of the whole gradient, clip, update.
// Inputs are numbered: parameters, gradients, first and second moments. Outputs: the norm, then the
// new parameters and moments in new blocks, so that a copy taken earlier keeps its values.
import type * as tf from '@tensorflow/tfjs-core';
import type { AdamWOptions } from '../../ops/adamW.ts';
import { declare, type KernelDeclaration, sizeOf } from './kernel.ts';

export function adamWKernels(): KernelDeclaration[] {
  return [
    declare('AdamW', ({ inputs, attrs, backend }) => {
      const { wasm } = backend;
      const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm, step } = attrs as unknown as AdamWOptions;
      const count = weightDecay.length;
      const all = Array.from({ length: 4 * count }, (_, i) => inputs[i] as tf.TensorInfo);
      const addresses = all.map((info) => backend.address(info));
      let squares = 0;
      for (let i = count; i < 2 * count; i++)
        squares += wasm.squaredNorm(addresses[i] as number, sizeOf(all[i] as tf.TensorInfo));
      const norm = Math.sqrt(squares);
      const clip = maxGradNorm < Infinity ? Math.min(1, maxGradNorm / (norm + 1e-6)) : 1;
      const gradNorm = backend.allocate([]);
      (backend.data.get(gradNorm.info.dataId).values as Float32Array)[0] = norm;
      const outputs = [0, 2, 3].map((list) =>
        all.slice(list * count, (list + 1) * count).map(({ shape }) => backend.allocate(shape)),
      );
      for (let i = 0; i < count; i++) {
        const [p, g, m, v] = [0, 1, 2, 3].map((list) => addresses[list * count + i]) as Four;
        const [pOut, mOut, vOut] = outputs.map((list) => list[i]?.address) as Three;
        const [p1, p2] = [1 - beta1, 1 - beta2];
        const keep = 1 - learningRate * (weightDecay[i] as number);
        const stepSize = learningRate / (1 - beta1 ** step);
        const root = 1 / Math.sqrt(1 - beta2 ** step);
        const size = sizeOf(all[i] as tf.TensorInfo);
        const rates = [clip, beta1, p1, beta2, p2, keep, stepSize, root, eps] as const;
        wasm.adamW(p, g, m, v, pOut, mOut, vOut, size, ...rates);
      }
      return [gradNorm.info, ...outputs.flat().map(({ info }) => info)];
    }),
  ];
}

type Three = [number, number, number];
type Four = [number, number, number, number];
