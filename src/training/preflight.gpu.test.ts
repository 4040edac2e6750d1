// What is foretold of a run on WebGPU, where recorded steps keep their buffers.
import '@tensorflow/tfjs-backend-cpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebGpu } from '../engine/webgpu.ts';
import { forgetWebGpuKernels } from '../engine/webgpu/register.ts';
import { measureIteration } from './preflight.ts';
import { microCheckpoint, microConfig, openRun } from './testing/microRun.ts';

beforeAll(async () => {
  const adapter = await navigator.gpu.requestAdapter();
  expect(adapter, 'an adapter').not.toBeNull();
  await startWebGpu(adapter as GPUAdapter, { onLost: () => undefined, onRefusal: () => undefined });
});

// Other test files in this process expect the backend without our kernels.
afterAll(forgetWebGpuKernels);

it('the memory is foretold within 10 % of the most that three iterations need, recordings included', async () => {
  const config = microConfig({ agents: { roundLimit: 2, stopWhenTruncated: false, maskUnfinished: false } });
  const run = openRun(await microCheckpoint(config), { now: () => performance.now() });
  const { memoryBytes } = await measureIteration(run.session.learning);
  await run.session.train(3);
  const profiles = run.events.flatMap((event) => (event.kind === 'profile' ? [event.profile] : []));
  await run.session.dispose();
  expect(profiles).toHaveLength(3);
  expect(profiles[2]?.usedBytes).toBeGreaterThan(memoryBytes / 4); // recordings stay
  const most = Math.max(...profiles.map(({ peakBytes }) => peakBytes));
  expect(Math.abs(memoryBytes / most - 1)).toBeLessThan(0.1);
});
