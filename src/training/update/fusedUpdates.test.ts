// Training on the SIMD kernels beside training on composed ops: the same losses, update after update.
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { simdName } from '../../engine/simd.ts';
import '../testing/onCpu.ts';
import { lossesOfUpdates, shallowShape } from '../testing/updateLosses.ts';

const oddShape: ModelShape = {
  ...{ ...shallowShape, vocabSize: 33, hiddenSize: 17, intermediateSize: 29 },
  ...{ numHeads: 3, numKvHeads: 1, headSize: 14 },
};

it.each([
  ['even', shallowShape],
  ['odd', oddShape],
])('30 updates on the SIMD kernels lose what composed ones do, %s sizes', async (_, shape) => {
  await tf.setBackend('cpu');
  const composed = await lossesOfUpdates(shape, 30);
  await tf.setBackend(simdName);
  const fused = await lossesOfUpdates(shape, 30);
  expect(composed[29]).toBeLessThan(0.8 * (composed[0] as number));
  composed.forEach((loss, i) => expect(Math.abs((fused[i] as number) - loss), `update ${i + 1}`).toBeLessThan(1e-4));
});
