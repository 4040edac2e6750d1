// The optimiser step: squares of all gradients, the global norm, then parameters and moments in place, as many
// variables to a dispatch as the device can bind. Everything that changes from step to step is data, one upload a
// step: a replayed step needs only other numbers in that tensor.
import * as tf from '@tensorflow/tfjs-core';
import type { AdamWOptions } from '../ops/adamW.ts';
import { as, declare, type KernelCall, sizeOf } from './kernel.ts';
import { reductions, type Recorder, type Slot } from './recorder.ts';

/** Numbers of one gradient whose squares one item sums. */
const stretch = 4096;

export function adamWKernels(): tf.KernelConfig[] {
  return [
    declare('AdamW', (call) => {
      const { recorder } = call;
      const options = call.attrs as unknown as AdamWOptions;
      const variables = variablesOf(call, options.weightDecay);
      const given = recorder.backend.makeTensorInfo([9], 'float32', ratesOf(options));
      const { gradNorm, plan } = measure(recorder, given, variables);
      // Written in place where nobody else reads the old numbers, else into a new buffer.
      const outputs = (['p', 'm', 'v'] as const).map((list) =>
        variables.map((variable) => (variable[list] = writable(recorder, variable[list]))),
      );
      update(recorder, plan, variables);
      recorder.release(given, plan);
      return [gradNorm, ...outputs.flat()];
    }),
  ];
}

interface Trained {
  p: tf.TensorInfo;
  g: tf.TensorInfo;
  m: tf.TensorInfo;
  v: tf.TensorInfo;
  size: number;
  decay: number;
}

function variablesOf({ inputs }: KernelCall, decays: readonly number[]): Trained[] {
  const count = decays.length;
  const at = (list: number, i: number) => inputs[list * count + i] as tf.TensorInfo;
  return decays.map((decay, i) => ({
    ...{ p: at(0, i), g: at(1, i), m: at(2, i), v: at(3, i) },
    ...{ size: sizeOf(at(0, i)), decay },
  }));
}

/** What the text calls rates[0..8]; the norm is bounded by a number, because WGSL promises no Infinity. */
function ratesOf({ learningRate, beta1, beta2, eps, maxGradNorm, step }: AdamWOptions): Float32Array {
  const stepSize = learningRate / (1 - beta1 ** step);
  const inverseRoot = 1 / Math.sqrt(1 - beta2 ** step);
  const bound = Math.min(maxGradNorm, 1e38);
  return Float32Array.of(learningRate, stepSize, inverseRoot, beta1, 1 - beta1, beta2, 1 - beta2, eps, bound);
}

/** The record itself, counted once more, or a copy when it is shared. */
function writable(recorder: Recorder, info: tf.TensorInfo): tf.TensorInfo {
  const { backend } = recorder;
  if (backend.refCount(info.dataId) === 1) {
    backend.incRef(info.dataId);
    return { dataId: info.dataId, shape: info.shape, dtype: info.dtype };
  }
  const copy = recorder.allocate(info.shape);
  recorder.run({
    program: { key: 'copy', variant: 'solo', body: 'if (item < sizes.count) { y[item] = x[item]; }' },
    writes: { y: as('f32', copy) },
    reads: { x: as('f32', info) },
    sizes: { count: sizeOf(info) },
    items: sizeOf(info),
  });
  return copy;
}

const slotNames = (prefix: string, count: number) => Array.from({ length: count }, (_, i) => `${prefix}${String(i)}`);

/** A batch of variables, filled up with the last one, which then counts as empty. */
function batches<T>(all: T[], length: number): { item: T; isReal: boolean }[][] {
  const out: { item: T; isReal: boolean }[][] = [];
  for (let at = 0; at < all.length; at += length)
    out.push(
      Array.from({ length }, (_, i) => ({
        item: (all[at + i] ?? all.at(-1)) as T,
        isReal: at + i < all.length,
      })),
    );
  return out;
}
