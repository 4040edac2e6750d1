import '@tensorflow/tfjs-backend-webgpu';
import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { it } from 'vitest';
import type { ModelShape } from '../../config/sizes.ts';
import { startWebGpu } from '../webgpu.ts';
import { applyAdamW } from '../ops/adamW.ts';
import { tokenLogprobs } from '../ops/tokenLogprobs.ts';
import { logits, rowHiddenStates } from '../../model/llama.ts';
import { initialWeights, uploadTree } from '../../model/parameters.ts';
import { rotaryTables } from '../../model/positions.ts';
import { forceVariant } from './kernel.ts';
import { forgetWebGpuKernels, registerWebGpuKernels } from './register.ts';

const shape = { vocabSize: 32, hiddenSize: 64, intermediateSize: 176, numLayers: 2, numHeads: 4, numKvHeads: 4, headSize: 16, maxPositions: 64, ropeTheta: 10000, normEps: 1e-5, isTied: false } as unknown as ModelShape;
const [B, T] = [64, 16];
it('bench', async () => {
  const adapter = (await navigator.gpu.requestAdapter())!;
  await startWebGpu(adapter, { onLost: console.error, onRefusal: (r) => console.error('REFUSED', r) });
  tf.env().set('WEBGPU_CPU_FORWARD', false);
  const device = (tf.backend() as any).device as GPUDevice;
  console.log('limit', device.limits.maxStorageBuffersPerShaderStage);
  let dispatches = 0; let label = ''; const counts = new Map<string, number>();
  const create = device.createCommandEncoder.bind(device);
  const labels = new WeakMap<object, string>();
  for (const f of ['createComputePipeline'] as const) { const o = device[f].bind(device); (device as any)[f] = (d: any) => { const p = o(d); labels.set(p, d.label); return p; }; }
  device.createCommandEncoder = (d) => { const e = create(d); const begin = e.beginComputePass.bind(e); e.beginComputePass = (x) => { const p = begin(x); const s = p.setPipeline.bind(p); p.setPipeline = (q) => { label = labels.get(q) ?? '?'; return s(q); }; const g = p.dispatchWorkgroups.bind(p); p.dispatchWorkgroups = (...a) => { dispatches++; counts.set(label, (counts.get(label) ?? 0) + 1); return g(...a); }; return p; }; return e; };
  const { cos, sin } = rotaryTables(T, shape.headSize, shape.ropeTheta);
  const rotation = { cos: tf.tensor3d(cos, [1, T, 16]), sin: tf.tensor3d(sin, [1, T, 16]) };
  const ids = tf.tensor2d(Int32Array.from({ length: B * T }, (_, i) => (i * 7 + (i >> 4)) % 32), [B, T], 'int32');
  const targets = tf.tensor1d(Int32Array.from({ length: B * T }, (_, i) => (i * 7 + 7) % 32), 'int32');
  const results: Record<string, number[]> = {};
  for (const kind of (process.env['KINDS'] ?? 'composed,solo,team').split(',')) {
    forgetWebGpuKernels();
    if (kind !== 'composed') { registerWebGpuKernels(); forceVariant(tf.backend() as any, kind as 'solo'); }
    const tree = uploadTree(initialWeights(shape, 1), shape);
    const vars = [...tree.values()];
    const zeros = () => vars.map((v) => tf.tidy(() => tf.variable(tf.zerosLike(v))));
    const state = { m: zeros(), v: zeros() };
    const losses: number[] = []; const times: number[] = []; const submits: number[] = [];
    for (let step = 1; step <= Number(process.env['STEPS'] ?? 8); step++) {
      dispatches = 0; counts.clear();
      const start = performance.now();
      const { value, grads } = tf.variableGrads(() => {
        const h = rowHiddenStates(ids, { tree, shape, rotation });
        return tf.neg(tf.mean(tokenLogprobs(logits(h, tree, shape), targets, 1).logprobs)) as tf.Scalar;
      }, vars);
      const { gradNorm } = applyAdamW(vars, vars.map((v) => grads[v.name]!), state, { learningRate: 3e-3, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: vars.map(() => 0.01), maxGradNorm: 1, step });
      submits.push(performance.now() - start);
      losses.push((await value.data())[0]!);
      times.push(performance.now() - start);
      tf.dispose([value, grads, gradNorm]);
    }
    results[kind] = losses;
    times.splice(0, 2); submits.splice(0, 2); times.sort((a, b) => a - b); submits.sort((a, b) => a - b);
    console.log(kind, 'vars', vars.length, 'dispatches', dispatches, 'ms', times[times.length >> 1]!.toFixed(1), 'submit', submits[submits.length >> 1]!.toFixed(1), 'first', losses[0], 'last', losses.at(-1), 'tensors', tf.memory().numTensors);
    console.log([...counts].sort((a, b) => b[1] - a[1]).map(([k, n]) => `${k}:${n}`).join(' '));
    vars.forEach((v) => v.dispose()); tf.dispose([state.m, state.v] as any);
  }
}, 600000);
