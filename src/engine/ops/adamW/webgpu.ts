// The optimiser step: squares of all gradients, the global norm, then parameters and moments in place, as many
// variables to a dispatch as the device can bind. Variables that are views of one buffer, and their moments likewise,
// take one binding each for all of them, and one for each gradient. Everything that changes from step to step is
// data: a replayed step needs only other numbers in that tensor.
import * as tf from '@tensorflow/tfjs-core';
import { adamWRates, type AdamWOptions } from './adamW.ts';
import type { CapturingBackend } from '../../webgpu/device/capturingBackend.ts';
import { flatText, planText, squaresAtOnce, squaresText, stepText, updateText } from './wgsl.ts';
import { as, declare, type KernelCall, sizeOf } from '../../webgpu/program/kernel.ts';
import { reductions, type Slot } from '../../webgpu/program/program.ts';
import { type Recorder } from '../../webgpu/program/recorder.ts';

export function adamWKernels(): tf.KernelConfig[] {
  return [
    declare('AdamW', (call) => {
      const { recorder } = call;
      const options = call.attrs as unknown as AdamWOptions;
      const variables = variablesOf(call, options.weightDecay);
      const given = call.inputs['rates'];
      const rates = given ?? recorder.backend.makeTensorInfo([9], 'float32', adamWRates(options));
      const { gradNorm, plan } = measure(recorder, rates, variables);
      // Written in place where nobody else reads the old numbers, else into a new buffer.
      const outputs = (['p', 'm', 'v'] as const).map((list) =>
        variables.map((variable) => (variable[list] = writable(recorder, variable[list]))),
      );
      update(recorder, plan, variables);
      recorder.release(plan, ...(given ? [] : [rates]));
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

/** Writes the norm of the whole gradient and the plan: the rates followed by the factor of the clip. */
function measure(recorder: Recorder, rates: tf.TensorInfo, variables: Trained[]) {
  const { variant } = recorder;
  const itemsOf = ({ size }: Trained) => Math.ceil(size / squaresAtOnce);
  const count = variables.reduce((sum, variable) => sum + itemsOf(variable), 0);
  const [squares, gradNorm, plan] = [[count], [], [10]].map((shape) => recorder.allocate(shape)) as [
    tf.TensorInfo,
    tf.TensorInfo,
    tf.TensorInfo,
  ];
  let offset = 0;
  for (const batch of batches(variables, bindings(recorder) - 1)) {
    const items = batch.reduce((sum, variable) => sum + itemsOf(variable), 0);
    recorder.run({
      program: {
        key: `AdamW squares ${String(batch.length)}`,
        variant,
        functions: reductions(variant),
        body: squaresText(batch.length),
      },
      writes: { squares: as('f32', squares) },
      reads: slots(batch, 'g'),
      sizes: { offset, ...numbered('size', batch, ({ size }) => size) },
      items,
    });
    offset += items;
  }
  recorder.run({
    program: { key: 'AdamW plan', variant, functions: reductions(variant), body: planText },
    writes: { gradNorm: as('f32', gradNorm), plan: as('f32', plan) },
    reads: { squares: as('f32', squares), rates: as('f32', rates) },
    sizes: { count },
    items: 1,
  });
  recorder.release(squares);
  return { gradNorm, plan };
}

function update(recorder: Recorder, plan: tf.TensorInfo, variables: Trained[]): void {
  const limit = bindings(recorder);
  const { runs, loose } = flatRuns(recorder, variables, Math.max(1, limit - 4));
  for (const batch of runs) updateFlat(recorder, plan, batch);
  for (const batch of batches(loose, Math.max(1, Math.floor((limit - 1) / 4))))
    recorder.run({
      program: {
        key: `AdamW ${String(batch.length)}`,
        variant: 'solo',
        functions: stepText,
        body: updateText(batch.length),
      },
      writes: { ...slots(batch, 'p'), ...slots(batch, 'm'), ...slots(batch, 'v') },
      reads: { ...slots(batch, 'g'), plan: as('f32', plan) },
      sizes: numbered('size', batch, ({ size }) => size),
      constants: numbered('decay', batch, ({ decay }) => decay),
      items: batch.reduce((sum, { size }) => sum + size, 0),
    });
}

function updateFlat(recorder: Recorder, plan: tf.TensorInfo, batch: Trained[]): void {
  const [first, ...others] = batch as [Trained, ...Trained[]];
  const stretch = (list: 'p' | 'm' | 'v'): Slot => ({
    ...as('f32', first[list]),
    more: others.map((variable) => variable[list]),
  });
  const start = placeOf(recorder, first.p)?.offset ?? 0;
  recorder.run({
    program: {
      key: `AdamW flat ${String(batch.length)}`,
      variant: 'solo',
      functions: stepText,
      body: flatText(batch.length),
    },
    writes: { p: stretch('p'), m: stretch('m'), v: stretch('v') },
    reads: { ...slots(batch, 'g'), plan: as('f32', plan) },
    sizes: {
      ...numbered('size', batch, ({ size }) => size),
      ...numbered('from', batch, ({ p }) => ((placeOf(recorder, p)?.offset ?? 0) - start) / 4),
    },
    constants: numbered('decay', batch, ({ decay }) => decay),
    items: batch.reduce((sum, { size }) => sum + size, 0),
  });
}

/** Variables whose three tensors lie equally in one buffer each, in stretches; and the rest. */
function flatRuns(recorder: Recorder, variables: Trained[], most: number): { runs: Trained[][]; loose: Trained[] } {
  const runs: Trained[][] = [];
  const loose: Trained[] = [];
  for (const variable of variables) {
    const last = runs.at(-1);
    if (last && last.length < most && isNext(recorder, last[0] as Trained, variable)) last.push(variable);
    else if (isNext(recorder, variable, variable)) runs.push([variable]);
    else loose.push(variable);
  }
  return { runs, loose };
}

/** Whether p, m and v of one lie at the same distance after those of the other, in the same buffers. */
function isNext(recorder: Recorder, first: Trained, next: Trained): boolean {
  const distances = (['p', 'm', 'v'] as const).map((list) => {
    const [from, to] = [placeOf(recorder, first[list]), placeOf(recorder, next[list])];
    return from && to && from.flat === to.flat ? to.offset - from.offset : -1;
  });
  return distances.every((distance) => distance >= 0 && distance === distances[0]);
}

function placeOf({ backend }: Recorder, info: tf.TensorInfo) {
  return (backend as Partial<CapturingBackend>).viewOf?.call(backend, info);
}

function slots(batch: Trained[], list: 'p' | 'g' | 'm' | 'v'): Record<string, Slot> {
  return Object.fromEntries(batch.map((variable, i) => [`${list}${String(i)}`, as('f32', variable[list])]));
}

function numbered(name: string, batch: Trained[], value: (variable: Trained) => number): Record<string, number> {
  return Object.fromEntries(batch.map((variable, i) => [`${name}${String(i)}`, value(variable)]));
}

function bindings({ backend }: Recorder): number {
  return backend.device.limits.maxStorageBuffersPerShaderStage;
}

function batches<T>(all: T[], length: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / length) }, (_, i) => all.slice(i * length, (i + 1) * length));
}
