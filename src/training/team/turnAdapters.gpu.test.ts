// Tests runs with one adapter for each turn on WebGPU. Each turn is decoded by its own session, whose steps are
// replayed. Messages and updates must equal the messages and updates on the CPU engine.
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { expect, it } from 'vitest';
import { startWebGpu } from '../../engine/webgpu.ts';
import { slowerPaths } from '../run/slowerPaths.ts';
import { startCpuEngine } from '../testing/cpuEngine.ts';
import { startRun } from '../testing/microRun.ts';

/** Trains for some iterations on the current backend, with one epoch per iteration. */
async function train(iterations: number) {
  const run = await startRun({
    agents: { parameters: 'lora', adapterPer: 'turn', loraRank: 4, roundLimit: 2, metaWindow: 4, reasonWindow: 6 },
    learning: { learner: 'ppo', problemsPerIteration: 2, groupSize: 4, updateEpochs: 1, numMinibatches: 1 },
    evaluation: { problems: 8, every: 9 },
  });
  await run.session.train(iterations);
  expect(run.events.filter(({ kind }) => kind === 'failed')).toEqual([]);
  const { networks } = await run.session.checkpoint();
  const note = slowerPaths(run.session.trainState);
  await run.session.dispose();
  return { networks, note, collected: run.collected(), metrics: run.store.iterations.map(({ metrics }) => metrics) };
}

const flat = (arrays: readonly Float32Array[]) => arrays.flatMap((values) => Array.from(values));

it('says and learns on WebGPU what it does on the CPU, with a ratio of 1 in every iteration', async () => {
  await startCpuEngine();
  const cpu = await train(1);
  const adapter = await navigator.gpu.requestAdapter();
  expect(adapter, 'an adapter').not.toBeNull();
  await startWebGpu(adapter as GPUAdapter, { onLost: () => undefined, onRefusal: () => undefined });
  expect(await tf.setBackend('webgpu')).toBe(true);
  const gpu = await train(4);
  expect(gpu.note).toBe('');
  const said = ({ collected }: typeof cpu) => collected[0]?.map(({ turns }) => turns.map(({ text }) => text));
  expect(said(gpu)).toEqual(said(cpu));
  const first = await train(1);
  expect(first.networks).toHaveLength(4);
  first.networks.forEach(({ m, updates }, n) => {
    const expected = flat(cpu.networks[n]?.m ?? []);
    const scale = Math.max(...expected.map(Math.abs));
    expect(updates, `network ${n}`).toBe(1);
    expect(scale).toBeGreaterThan(1e-6);
    const gap = Math.max(...flat(m).map((x, i) => Math.abs(x - (expected[i] as number))));
    expect(gap / scale, `network ${n}`).toBeLessThan(1e-3);
  });
  for (const { values } of gpu.metrics) {
    expect(values['losses/approx_kl']).toBeLessThan(1e-6);
    expect(values['losses/clipfrac']).toBe(0);
  }
});
