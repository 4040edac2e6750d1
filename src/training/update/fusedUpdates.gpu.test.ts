// Training on the fused WebGPU kernels beside training on composed ops: the same losses, update after update, and no
// more dispatches than were paid for.
import type { WebGPUBackend } from '@tensorflow/tfjs-backend-webgpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { forceVariant } from '../../engine/webgpu/program/kernel.ts';
import { dispatchesOf, gpuBackend } from '../../engine/testing/gpuBackend.ts';
import { disposeTree, initialWeights, uploadTree } from '../../model/network/parameters.ts';
import { lossesOfUpdates, lossOfRows, shallowShape as shape } from '../testing/updateLosses.ts';

let backend: WebGPUBackend;

beforeAll(async () => {
  backend = await gpuBackend();
});

it.each(['solo', 'team'] as const)(
  '30 updates on the %s kernels lose what composed ones on the CPU do',
  async (variant) => {
    await tf.setBackend('cpu');
    const composed = await lossesOfUpdates(shape, 30);
    await tf.setBackend('webgpu');
    forceVariant(backend, variant);
    const fused = await lossesOfUpdates(shape, 30);
    expect(composed[29]).toBeLessThan(0.8 * (composed[0] as number));
    composed.forEach((loss, i) => expect(Math.abs((fused[i] as number) - loss), `update ${i + 1}`).toBeLessThan(1e-4));
  },
);

it.each([
  { variant: 'team', forward: 22, backward: 23 },
  { variant: 'solo', forward: 24, backward: 25 },
] as const)('two layers take at most $forward dispatches forth and $backward back, $variant', (expected) => {
  forceVariant(backend, expected.variant);
  const tree = uploadTree(initialWeights(shape, 7), shape);
  const loss = lossOfRows(shape, [2, 8]);
  const forward = () => tf.tidy(() => void loss(tree));
  const both = () =>
    tf.dispose(tf.variableGrads(() => loss(tree), [...tree.values()]) as unknown as tf.TensorContainer);
  const step = () => [dispatchesOf(forward), dispatchesOf(both)] as const;
  step(); // what is kept is made, and constants are uploaded
  const [forth, all] = step();
  disposeTree(tree);
  expect(forth).toBeLessThanOrEqual(expected.forward);
  expect(all - forth).toBeLessThanOrEqual(expected.backward);
});
