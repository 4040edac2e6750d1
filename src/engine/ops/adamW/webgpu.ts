// The optimiser step sums the squares of all gradients, computes the norm of the whole gradient, and then updates
// parameters and moments in place. Each dispatch updates as many variables as the device can bind. Variables that are
// views of one buffer together need only one binding, and so do their first and their second moments; each gradient
// needs its own binding. A variable with its own buffer has a separate dispatch. All numbers that change from step to
// step are in a tensor, so only this tensor has to change when a step is replayed.
import * as tf from '@tensorflow/tfjs-core';
import { inParts } from '../../../base/groups.ts';
import type { CapturingBackend } from '../../webgpu/device/capturingBackend.ts';
import { as, declare, type ProgramCall, sizeOf } from '../../webgpu/program/kernel.ts';
import { reductions, type Slot } from '../../webgpu/program/program.ts';
import type { Recorder } from '../../webgpu/program/recorder.ts';
import { adamWRates, type AdamWOptions } from './adamW.ts';
import { planText, squaresAtOnce, squaresText, stepText, updateText } from './wgsl.ts';

export const adamWKernels = [
  declare('AdamW', null, (call) => {
    const { recorder } = call;
    const options = call.attrs as unknown as AdamWOptions;
    const variables = variablesOf(call, options.weightDecay);
    const given = call.inputs['rates'];
    const rates = given ?? recorder.backend.makeTensorInfo([9], 'float32', adamWRates(options));
    const { gradNorm, plan } = measure(recorder, rates, variables);
    // The new values are written in place if nothing else refers to the old ones, otherwise to a new buffer.
    const outputs = (['p', 'm', 'v'] as const).map((list) =>
      variables.map((variable) => (variable[list] = writable(recorder, variable[list]))),
    );
    for (const batch of stretches(recorder, variables)) update(recorder, plan, batch);
    recorder.release(plan, ...(given ? [] : [rates]));
    return [gradNorm, ...outputs.flat()];
  }),
];

interface Trained {
  p: tf.TensorInfo;
  g: tf.TensorInfo;
  m: tf.TensorInfo;
  v: tf.TensorInfo;
  size: number;
  decay: number;
}

function variablesOf({ inputs }: ProgramCall, decays: readonly number[]): Trained[] {
  const count = decays.length;
  const at = (list: number, i: number) => inputs[list * count + i] as tf.TensorInfo;
  return decays.map((decay, i) => ({
    ...{ p: at(0, i), g: at(1, i), m: at(2, i), v: at(3, i) },
    ...{ size: sizeOf(at(0, i)), decay },
  }));
}

/**
 * Returns the same tensor with its reference count increased. If something else refers to the data of the tensor,
 * returns a copy.
 */
function writable(recorder: Recorder, info: tf.TensorInfo): tf.TensorInfo {
  const { backend } = recorder;
  if (backend.refCount(info.dataId) === 1) {
    backend.incRef(info.dataId);
    return { dataId: info.dataId, shape: info.shape, dtype: info.dtype };
  }
  const copy = recorder.allocate(info.shape);
  recorder.run({
    program: { key: 'copy', variant: 'solo', text: () => ({ body: 'y[item] = x[item];' }) },
    writes: { y: as('f32', copy) },
    reads: { x: as('f32', info) },
    items: sizeOf(info),
  });
  return copy;
}

/**
 * Writes the norm of the whole gradient, and the tensor `plan`, which contains the rates followed by the clip factor.
 */
function measure(recorder: Recorder, rates: tf.TensorInfo, variables: Trained[]) {
  const { variant } = recorder;
  const itemsOf = ({ size }: Trained) => Math.ceil(size / squaresAtOnce);
  const count = variables.reduce((sum, variable) => sum + itemsOf(variable), 0);
  const [squares, gradNorm, plan] = [[count], [], [10]].map((shape) => recorder.allocate(shape)) as [
    tf.TensorInfo,
    tf.TensorInfo,
    tf.TensorInfo,
  ];
  const functions = reductions(variant);
  let offset = 0;
  for (const batch of inParts(variables, bindings(recorder) - 1)) {
    const items = batch.reduce((sum, variable) => sum + itemsOf(variable), 0);
    const text = () => ({ functions, body: squaresText(batch.length) });
    recorder.run({
      program: { key: `AdamW squares ${String(batch.length)}`, variant, text },
      writes: { squares: as('f32', squares) },
      reads: gradients(batch),
      sizes: { offset, ...numbered('size', batch, ({ size }) => size) },
      items,
    });
    offset += items;
  }
  recorder.run({
    program: { key: 'AdamW plan', variant, text: () => ({ functions, body: planText }) },
    writes: { gradNorm: as('f32', gradNorm), plan: as('f32', plan) },
    reads: { squares: as('f32', squares), rates: as('f32', rates) },
    sizes: { count },
    items: 1,
  });
  recorder.release(squares);
  return { gradNorm, plan };
}

function update(recorder: Recorder, plan: tf.TensorInfo, batch: Trained[]): void {
  const [first, ...others] = batch as [Trained, ...Trained[]];
  const stretch = (list: 'p' | 'm' | 'v'): Slot => ({
    ...as('f32', first[list]),
    more: others.map((variable) => variable[list]),
  });
  const from = ({ p }: Trained) =>
    ((placeOf(recorder, p)?.offset ?? 0) - (placeOf(recorder, first.p)?.offset ?? 0)) / 4;
  const text = () => ({ functions: stepText, body: updateText(batch.length) });
  recorder.run({
    program: { key: `AdamW ${String(batch.length)}`, variant: 'solo', text },
    writes: { p: stretch('p'), m: stretch('m'), v: stretch('v') },
    reads: { ...gradients(batch), plan: as('f32', plan) },
    sizes: { ...numbered('size', batch, ({ size }) => size), ...numbered('from', batch, from) },
    constants: numbered('decay', batch, ({ decay }) => decay),
    items: batch.reduce((sum, { size }) => sum + size, 0),
  });
}

/**
 * Divides the variables into groups of consecutive variables. In each group, the parameters are in one buffer, the
 * first moments in another and the second moments in a third, with the same layout. A group has at most as many
 * variables as the device can bind.
 */
function stretches(recorder: Recorder, variables: Trained[]): Trained[][] {
  const most = Math.max(1, bindings(recorder) - 4);
  const all: Trained[][] = [];
  for (const variable of variables) {
    const last = all.at(-1);
    if (last && last.length < most && isNext(recorder, last[0] as Trained, variable)) last.push(variable);
    else all.push([variable]);
  }
  return all;
}

/**
 * Whether p, m and v of `next` come after those of `first` in the same three buffers, and all three at the same
 * distance.
 */
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

function gradients(batch: Trained[]): Record<string, Slot> {
  return Object.fromEntries(batch.map(({ g }, i) => [`g${String(i)}`, as('f32', g)]));
}

function numbered(name: string, batch: Trained[], value: (variable: Trained) => number): Record<string, number> {
  return Object.fromEntries(batch.map((variable, i) => [`${name}${String(i)}`, value(variable)]));
}

function bindings({ backend }: Recorder): number {
  return backend.device.limits.maxStorageBuffersPerShaderStage;
}
