// 200 iterations of the micro preset: neither tensors nor the heap grow. In a file of its own, as it is the longest
// single test (about 7 s on quiet cores) and wants a heap that no other test has filled.
import * as tf from '@tensorflow/tfjs-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SimdBackend } from '../engine/simd/simdBackend.ts';
import { presetConfig } from '../config/presets.ts';
import { memoryStore } from '../records/memoryStore.ts';
import { startCpuEngine } from './testing/cpuEngine.ts';
import { microCheckpoint, openRun } from './testing/microRun.ts';

beforeAll(startCpuEngine);

/** Bytes of the JavaScript heap and of all array buffers after a forced collection. */
function liveBytes(): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (!collect) throw new Error('run with --expose-gc');
  for (let i = 0; i < 3; i++) collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe('two hundred iterations', () => {
  it('leave the number of tensors and the heap where they were', async () => {
    const preset = presetConfig('micro');
    const config = { ...preset, run: { ...preset.run, iterations: 220 } };
    const store = memoryStore({ keepsIterations: false });
    store.saveEvaluation = () => Promise.resolve();
    const { session, events } = openRun(await microCheckpoint(config), { store });
    const walk = async (iterations: number) => {
      await session.train(iterations);
      events.length = 0;
      return {
        tensors: tf.memory().numTensors,
        kernels: (tf.backend() as SimdBackend).heap.usedBytes,
        live: liveBytes(),
      };
    };
    const start = await walk(20); // code is compiled and caches are filled
    const middle = await walk(100);
    const end = await walk(100);
    expect(session.run.iteration).toBe(220);
    expect([middle.tensors, end.tensors]).toEqual([start.tensors, start.tensors]);
    // Bytes in use in the kernels' own memory, too.
    expect([middle.kernels, end.kernels]).toEqual([start.kernels, start.kernels]);
    // A leak of one array of the smallest weight matrix (512 bytes) an iteration would be 100 kB in each half.
    expect(end.live - middle.live).toBeLessThan(100_000);
    await session.dispose();
  });
});
