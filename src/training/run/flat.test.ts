// Tests that in 140 iterations of the micro preset, the number of tensors and the size of the heap do not grow. This
// file contains only one test, because other tests in the same file would leave objects on the heap.
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import type { SimdBackend } from '../../engine/simd/simdBackend.ts';
import { presetConfig } from '../../config/presets.ts';
import { memoryStore } from './memoryStore.ts';
import { onCpu } from '../testing/onCpu.ts';
import { microCheckpoint, openRun } from '../testing/microRun.ts';

onCpu();

/** The bytes of the JavaScript heap and of all array buffers after a forced garbage collection. */
async function liveBytes(): Promise<number> {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) throw new Error('run with --expose-gc');
  for (let i = 0; i < 5; i++) {
    collect();
    await new Promise((resolve) => setTimeout(resolve, 10)); // needs a second collection
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

it('a hundred and forty iterations leave the number of tensors and the heap where they were', async () => {
  const preset = presetConfig('micro');
  const config = { ...preset, run: { ...preset.run, iterations: 160 } };
  const store = memoryStore({ keepsIterations: false });
  store.saveEvaluation = () => Promise.resolve();
  const { session, events } = openRun(await microCheckpoint(config), { store });
  const walk = async (iterations: number) => {
    await session.train(iterations);
    events.length = 0;
    return {
      tensors: tf.memory().numTensors,
      kernels: (tf.backend() as SimdBackend).heap.usedBytes,
      live: await liveBytes(),
    };
  };
  const start = await walk(20); // the first iterations compile code and fill caches
  const middle = await walk(70);
  const end = await walk(70);
  expect(session.run.iteration).toBe(160);
  expect([middle.tensors, end.tensors]).toEqual([start.tensors, start.tensors]);
  // The memory that the kernels use must not grow either.
  expect([middle.kernels, end.kernels]).toEqual([start.kernels, start.kernels]);
  // The memory of compiled code varies by about ±1 MB. Leaked trajectories would take over 3.5 MB in each half, and
  // leaked copies of the weights and moments over 2 MB.
  expect(Math.min(end.live - middle.live, end.live - start.live)).toBeLessThan(1_500_000);
});
