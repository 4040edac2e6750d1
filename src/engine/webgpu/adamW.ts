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

/**
 * The numbers of one step, [9] float32. A captured step is given a tensor of them as the kernel's input `rates`, and
 * other numbers in its buffer before each replay. The norm's bound is finite, because WGSL promises no Infinity.
 */
export function adamWRates({ learningRate, beta1, beta2, eps, maxGradNorm, step }: AdamWOptions): Float32Array {
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

/** Writes the norm of the whole gradient and the plan: the rates followed by the factor of the clip. */
function measure(recorder: Recorder, rates: tf.TensorInfo, variables: Trained[]) {
  const { variant } = recorder;
  const itemsOf = ({ size }: Trained) => Math.ceil(size / stretch);
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
  for (const batch of batches(variables, Math.max(1, Math.floor((bindings(recorder) - 1) / 4))))
    recorder.run({
      program: { key: `AdamW ${String(batch.length)}`, variant: 'solo', body: updateText(batch.length) },
      writes: { ...slots(batch, 'p'), ...slots(batch, 'm'), ...slots(batch, 'v') },
      reads: { ...slots(batch, 'g'), plan: as('f32', plan) },
      sizes: numbered('size', batch, ({ size }) => size),
      constants: numbered('decay', batch, ({ decay }) => decay),
      items: batch.reduce((sum, { size }) => sum + size, 0),
    });
}

const each = (count: number, text: (i: string) => string) =>
  Array.from({ length: count }, (_, i) => text(String(i))).join('');

const squaresText = (count: number) => `
  var rest = item;
  var sum = 0.0;
  var isFound = false;${each(
    count,
    (i) => `
  if (!isFound) {
    let items${i} = (sizes.size${i} + ${stretch - 1}u) / ${stretch}u;
    isFound = rest < items${i};
    if (isFound) {
      let end = min(sizes.size${i}, (rest + 1u) * ${stretch}u);
      for (var at = rest * ${stretch}u + lane; at < end; at += lanes) { sum += g${i}[at] * g${i}[at]; }
    } else {
      rest -= items${i};
    }
  }`,
  )}
  sum = total(sum, lane);
  if (isFound && lane == 0u) { squares[sizes.offset + item] = sum; }`;

const planText = `
  if (item > 0u) { return; }
  var sum = 0.0;
  for (var i = lane; i < sizes.count; i += lanes) { sum += squares[i]; }
  sum = total(sum, lane);
  if (lane == 0u) {
    let norm = sqrt(sum);
    gradNorm[0] = norm;
    for (var i = 0u; i < 9u; i++) { plan[i] = rates[i]; }
    plan[9] = min(1.0, rates[8] / (norm + 1e-6));
  }`;

// p ← p·(1 − lr·decay) − step·m / (√v·root + ε)
const updateText = (count: number) => `
  var at = item;${each(
    count,
    (i) => `
  if (at < sizes.size${i}) {
    let grad = g${i}[at] * plan[9];
    let first = m${i}[at] * plan[3] + grad * plan[4];
    let second = v${i}[at] * plan[5] + grad * grad * plan[6];
    m${i}[at] = first;
    v${i}[at] = second;
    let kept = p${i}[at] * (1.0 - plan[0] * sizes.decay${i});
    p${i}[at] = kept - first * plan[1] / (sqrt(second) * plan[2] + plan[7]);
    return;
  }
  at -= sizes.size${i};`,
  )}`;

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
