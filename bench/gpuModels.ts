// Language models of real size on WebGPU: `npm run bench:gpuModels [-- block product decode iteration] [-- --formats
// f32,q8_0]`. On a software adapter it measures only what that can handle; everything is measured on a graphics
// processor, to which gpuBundle.mjs takes it. Writes bench/results/gpuModels.json.
import * as tf from '@tensorflow/tfjs-core';
import { counters, restartPeak } from '../src/engine/counters.ts';
import { forgetWebGpuKernels, registerWebGpuKernels } from '../src/engine/webgpuKernels.ts';
import { adaptedKernels } from '../src/engine/ops/linear/adaptedWebgpu.ts';
import { frozenKernels } from '../src/engine/ops/frozen/webgpu.ts';
import { type BaseFormat, learner } from './models/learner.ts';
import { block, product, spoken, updated } from './models/onGpu.ts';
import { modelName } from './models/work.ts';
import { startBackend } from './shared/nodeBackend.ts';
import { machine, readOptions, writeResults } from './shared/runner.ts';

const parts = ['block', 'product', 'decode', 'iteration'] as const;
const { values, positionals, wholeNumber } = readOptions({
  formats: 'f32,q8_0,q4_1',
  tokens: '64',
  rounds: '3',
  layers: '30',
  rows: '32',
  'per-pass': '4',
});
const unknown = positionals.filter((name) => !(parts as readonly string[]).includes(name));
if (unknown.length > 0) throw new Error(`gpuModels: no part ${unknown.join(', ')}; there are ${parts.join(', ')}`);

const adapter = await startBackend('webgpu', { ours: true });
const isSoftware = /swiftshader|llvmpipe|lavapipe|software/i.test(adapter);
const usual = isSoftware ? ['block', 'product'] : parts;
const isAsked = (part: (typeof parts)[number]) => (positionals.length > 0 ? positionals : usual).includes(part);
const formats = values.formats.split(',') as BaseFormat[];
const rows: object[] = [];

function note(row: Record<string, unknown>): void {
  rows.push({ model: modelName, backend: 'webgpu', ...row, adapter, machine });
  console.error(JSON.stringify(row));
  writeResults('gpuModels', { rows });
}

const round = (x: number, digits = 3) => Number(x.toPrecision(digits));

if (isAsked('block')) {
  const effort = { tokens: wholeNumber('tokens'), rounds: wholeNumber('rounds') };
  // Measures the same weights as float32, composed of stock operations, and with kernels that do not depend on the
  // adapter and the stored weights.
  forgetWebGpuKernels();
  const composed = await block('f32', { ...effort, rounds: isSoftware ? 1 : effort.rounds });
  note({ work: 'block', format: 'f32', kernels: 'none', ms: round(composed.ms), dispatches: composed.dispatches });
  registerWebGpuKernels();
  for (const { kernelName } of [...adaptedKernels, ...frozenKernels]) tf.unregisterKernel(kernelName, 'webgpu');
  const apart = await block('f32', effort);
  const ofComposed = (ms: number) => round(ms / composed.ms);
  note({
    work: 'block',
    format: 'f32',
    kernels: 'apart',
    ms: round(apart.ms),
    dispatches: apart.dispatches,
    ofComposed: ofComposed(apart.ms),
  });
  registerWebGpuKernels();
  for (const format of formats) {
    const { ms, dispatches } = await block(format, effort);
    note({
      work: 'block',
      format,
      kernels: 'fused',
      ms: round(ms),
      dispatches,
      ofComposed: ofComposed(ms),
      ofApart: round(ms / apart.ms),
    });
  }
}

if (isAsked('product'))
  for (const format of formats) {
    const size = isSoftware ? { rows: 256, count: 2 } : { rows: 8192, count: 50 };
    note({ work: 'product', format, rows: size.rows, tflops: round(await product(format, size)) });
  }

if (isAsked('decode') || isAsked('iteration'))
  for (const format of formats) {
    const [layers, many] = [wholeNumber('layers'), wholeNumber('rows')];
    const one = learner(format, { maxPositions: 448, numLayers: layers });
    restartPeak();
    if (isAsked('decode')) {
      const size = { rows: many, heard: 16, said: isSoftware ? 2 : 64 };
      const { seconds, reads } = await spoken(one, size);
      note({
        work: `decode${many}`,
        format,
        layers,
        tokensPerS: round((size.rows * size.said) / seconds),
        readbacks: reads,
      });
    }
    if (isAsked('iteration')) {
      const rollout = await spoken(one, { rows: many, heard: 128, said: 256 });
      const update = await updated(one, { rows: many, length: 384, perPass: wholeNumber('per-pass') });
      const seconds = {
        rolloutS: round(rollout.seconds),
        updateS: round(update),
        iterationS: round(rollout.seconds + update),
      };
      note({
        work: 'iteration',
        format,
        layers,
        rows: many,
        ...seconds,
        peakMiB: Math.round(counters().peakBytes / 2 ** 20),
      });
    }
    one.free();
  }

process.exit(0);
