// Runs workload A inside a page, with Chromium's own WebGPU: `?engine=` selects the engine, and `benchStep()` performs
// one update.
import '@tensorflow/tfjs-core/dist/register_all_gradients';
import * as tf from '@tensorflow/tfjs-core';
import { startWebGpu } from '../../src/engine/webgpu.ts';
import { adapterName, countCommands, gpuCounts } from '../gpu/counts.ts';
import { jaxStep } from './peers/jaxLlama.ts';
import { stockStep } from './peers/stockLlama.ts';
import type { Taken } from './contract.ts';
import { ourStep } from './ours.ts';
import { stepWork } from './work.ts';

/** One update as the page measured it. */
export type PageSample = Taken & { ms: number; dispatches: number; submits: number };

export interface BenchPage {
  /** Opens the engine; returns the adapter in words. */
  open: () => Promise<string>;
  step: () => Promise<PageSample>;
}

const engine = new URLSearchParams(location.search).get('engine') ?? '';
let take: (() => Promise<Taken>) | null = null;

const page: BenchPage = {
  open: async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (!adapter) throw new Error('this browser offers no adapter');
    const device = await adapter.requestDevice();
    countCommands(device);
    device.destroy();
    const own = (await navigator.gpu.requestAdapter()) as GPUAdapter;
    const work = stepWork('A');
    if (engine === 'jax-js') take = await jaxStep(work, 'webgpu');
    else if (engine === 'cothink') {
      await startWebGpu(own, { onLost: () => undefined, onRefusal: (reason) => console.error(reason) });
      take = ourStep(work);
    } else {
      await tf.setBackend('webgpu');
      await tf.ready();
      take = stockStep(work);
    }
    return adapterName(own);
  },
  step: async () => {
    if (!take) throw new Error('open() comes first');
    const before = { ...gpuCounts };
    const started = performance.now();
    const taken = await take();
    return {
      ...taken,
      ms: performance.now() - started,
      dispatches: gpuCounts.dispatches - before.dispatches,
      submits: gpuCounts.submits - before.submits,
    };
  },
};
(globalThis as unknown as { benchPage: BenchPage }).benchPage = page;
