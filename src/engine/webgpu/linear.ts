// The linear map without bias and its gradients, for sizes that are multiples of four.
import type * as tf from '@tensorflow/tfjs-core';
import { declare, as, input, reads } from './kernel.ts';
import { linearGradText, linearText } from './linearText.ts';
import { groupSize } from './recorder.ts';

export function linearKernels(): tf.KernelConfig[] {
  return [
    declare('Linear', (call) => {
      const { recorder } = call;
      const [rows, inner] = input(call, 'x').shape as [number, number];
      const outs = input(call, 'w').shape[0] as number;
      const y = recorder.allocate([rows, outs]);
      recorder.run({
        program: { key: 'Linear', variant: 'solo', ...linearText },
        writes: { y: as('vec4<f32>', y) },
        reads: reads(call, 'vec4<f32>', 'x', 'w'),
        sizes: { rows, inner, outs },
        items: Math.ceil(rows / 4) * (outs / 4),
      });
      return y;
    }),
    declare('LinearGrad', (call) => {
      const { recorder } = call;
      const { variant } = recorder;
      const [rows, inner] = input(call, 'x').shape as [number, number];
      const outs = input(call, 'w').shape[0] as number;
      const [dx, dw] = [recorder.allocate([rows, inner]), recorder.allocate([outs, inner])];
      const inputBlocks = Math.ceil((Math.ceil(rows / 4) * (inner / 4)) / groupSize);
      const weightTiles = (outs / 4) * (inner / 4);
      recorder.run({
        program: { key: 'LinearGrad', variant, ...linearGradText(variant) },
        writes: { dx: as('vec4<f32>', dx), dw: as('vec4<f32>', dw) },
        reads: reads(call, 'vec4<f32>', 'x', 'w', 'dy'),
        sizes: { rows, inner, outs, inputBlocks },
        items: inputBlocks * (variant === 'team' ? 1 : groupSize) + weightTiles,
      });
      return [dx, dw];
    }),
  ];
}
