// Trees on WebGPU, decoded in place and replayed. Between turns, some cache rows become copies of other rows. The
// log-probabilities of sampled tokens must still be equal to those of the policy.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, expect, it } from 'vitest';
import { startWebGpu } from '../../engine/webgpu.ts';
import { startRun } from '../testing/microRun.ts';

beforeAll(async () => {
  const adapter = (await navigator.gpu.requestAdapter()) as GPUAdapter;
  expect(adapter, 'an adapter').not.toBeNull();
  await startWebGpu(adapter, { onLost: () => undefined, onRefusal: () => undefined });
  expect(await tf.setBackend('webgpu')).toBe(true);
});

it('leave the ratio at 1 where every sample is learned from once, iteration after iteration', async () => {
  const run = await startRun({
    agents: { candidates: 3, roundLimit: 2 },
    learning: {
      ...{ groupKey: 'problem+agent+turn', problemsPerIteration: 2, groupSize: 2 },
      ...{ updateEpochs: 1, numMinibatches: 1 },
    },
    reward: { over: 'dense', across: 'own' },
    evaluation: { every: 9 },
  });
  await run.session.train(4);
  const { iterations } = run.store;
  expect(iterations.filter(({ trajectories }) => trajectories.length > 8)).toHaveLength(4);
  for (const { metrics } of iterations) {
    expect(metrics.values['losses/approx_kl']).toBeLessThan(1e-6);
    expect(metrics.values['losses/clipfrac']).toBe(0);
  }
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  await run.session.dispose();
});
