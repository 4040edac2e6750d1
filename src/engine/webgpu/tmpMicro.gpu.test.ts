import '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { it } from 'vitest';
import { startWebGpu } from '../webgpu.ts';
import { runKernel, runKernels } from '../ops/kernel.ts';
import { forceVariant } from './kernel.ts';
it('micro', async () => {
  const adapter = (await navigator.gpu.requestAdapter())!;
  await startWebGpu(adapter, { onLost: console.error, onRefusal: (r) => console.error('REFUSED', r) });
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  const r = (...s: number[]) => tf.randomNormal(s);
  const N = 1024;
  const x64 = r(N, 64), w64 = r(64, 64), w176 = r(176, 64), x176 = r(N, 176), wd = r(64, 176), w32 = r(32, 64), x32 = r(N, 32), g = r(64);
  const q = r(64, 16, 4, 16), cos = r(1, 16, 16), one = tf.scalar(1), dl = r(N);
  const ids = tf.tensor1d(Int32Array.from({ length: N }, (_, i) => i % 32), 'int32');
  const cases: Record<string, () => tf.Tensor | tf.Tensor[]> = {
    'Linear 64x64': () => runKernel('Linear', { x: x64, w: w64 }),
    'matMul 64x64': () => tf.matMul(x64 as any, w64 as any, false, true),
    'Linear 64->176': () => runKernel('Linear', { x: x64, w: w176 }),
    'Linear 176->64': () => runKernel('Linear', { x: x176, w: wd }),
    'LinearGrad 64x64': () => runKernels('LinearGrad', { x: x64, w: w64, dy: x64 }),
    'LinearGrad 64->176': () => runKernels('LinearGrad', { x: x64, w: w176, dy: x176 }),
    'LinearGrad 176->64': () => runKernels('LinearGrad', { x: x176, w: wd, dy: x64 }),
    'LinearGrad 64->32': () => runKernels('LinearGrad', { x: x64, w: w32, dy: x32 }),
    RmsNorm: () => runKernel('RmsNorm', { x: x64, gain: g }, { eps: 1e-5 }),
    RmsNormGrad: () => runKernels('RmsNormGrad', { x: x64, gain: g, dy: x64 }, { eps: 1e-5 }),
    SwiGlu: () => runKernel('SwiGlu', { gate: x176, up: x176 }),
    SwiGluGrad: () => runKernels('SwiGluGrad', { gate: x176, up: x176, dy: x176 }),
    Rope: () => runKernel('Rope', { x: q, cos, sin: cos }, { isInverse: false }),
    Attention: () => runKernel('CausalAttention', { q, k: q, v: q, keyMask: one }, { isMasked: false }),
    AttentionGrad: () => runKernels('CausalAttentionGrad', { q, k: q, v: q, keyMask: one, dy: q }, { isMasked: false }),
    EmbedGrad: () => runKernel('EmbedGrad', { ids, dy: x64 }, { vocabulary: 32 }),
    TokenLogprobs: () => runKernels('TokenLogprobs', { logits: x32, ids }, { temperature: 1 }),
    TokenLogprobsGrad: () => runKernel('TokenLogprobsGrad', { logits: x32, ids, dLogprobs: dl, dEntropy: dl }, { temperature: 1 }),
    add: () => tf.add(x64, x64),
  };
  for (const variant of (process.env['KINDS'] ?? 'solo').split(',')) {
    forceVariant(tf.backend() as any, variant as 'solo');
    const out: string[] = [];
    for (const [name, run] of Object.entries(cases)) {
      const once = async (n: number) => { const t = process.cpuUsage().user / 1000; for (let i = 0; i < n; i++) tf.dispose(run()); const s = tf.scalar(1); await tf.add(s, 1).data(); return process.cpuUsage().user / 1000 - t; };
      await once(1);
      const times = [await once(6), await once(6), await once(6)].map((t) => t / 6);
      out.push(`${name}: ${Math.min(...times).toFixed(2)}`);
    }
    console.log(variant, out.join(' | '));
  }
}, 600000);
